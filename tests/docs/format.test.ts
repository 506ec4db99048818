import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandsPage, errorsPage, manPage } from '../../scripts/commands-page.ts';
import { filesPage } from '../../scripts/files-page.ts';
import { formatPage, RULES } from '../../scripts/format-page.ts';
import { policyPage } from '../../scripts/policy-page.ts';
import { HELP_EXAMPLES } from '../../src/cli/help-examples.ts';
import { LINT_RULES } from '../../src/lint/rules/index.ts';
import { SCHEMAS } from '../../src/operations/json-schemas.ts';
import { KEY_DOCS } from '../../src/protocol/key-docs.ts';

function keysWithout(schema: unknown, found: string[] = [], path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return found;
  const { properties } = schema as { properties?: Record<string, { description?: string }> };
  for (const [key, inner] of Object.entries(properties ?? {})) {
    if ((inner.description ?? '') === '') found.push(`${path}.${key}`);
  }
  for (const [key, inner] of Object.entries(schema)) keysWithout(inner, found, `${path}.${key}`);
  return found;
}

describe('the format reference', () => {
  it('matches the schemas', () => {
    expect(readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8')).toBe(formatPage());
  });

  it('describes nothing else', () => {
    const page = formatPage();
    for (const [key, { meaning }] of Object.entries(KEY_DOCS))
      expect(page, key).toContain(meaning.replaceAll('|', '\\|'));
  });
});

describe('every schema', () => {
  it.each(Object.entries(SCHEMAS))('describes every key: %s', (_, { make }) => {
    expect(keysWithout(make())).toEqual([]);
  });

  it('has keys whose errors are rules of lint', () => {
    const ids = new Set(LINT_RULES.map(({ id }) => id));
    for (const [key, rules] of Object.entries(RULES)) {
      expect(Object.keys(KEY_DOCS)).toContain(key);
      for (const id of rules) expect(ids, key).toContain(id);
    }
  });
});

describe('the reference of answers, inputs and hold lists', () => {
  it('is made from the schemas', () => {
    expect(readFileSync(new URL('../../docs/files.md', import.meta.url), 'utf8')).toBe(filesPage());
  });
});

describe('the reference of policies', () => {
  it('is made from the schemas', () => {
    expect(readFileSync(new URL('../../docs/policy.md', import.meta.url), 'utf8')).toBe(policyPage());
  });
});

describe('the reference of commands', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };

  it.each([
    ['docs/commands.md', commandsPage()],
    ['docs/errors.md', errorsPage()],
    ['man/kairos.1', manPage(version)],
  ])('%s is made from the commands', (path, text) => {
    expect(read(path) === text, 'run node scripts/format-docs.mjs').toBe(true);
  });

  it('has an example for each command', () => {
    const sections = commandsPage().split('\n### ').slice(1);
    expect(sections.length).toBeGreaterThan(60);
    expect(sections.filter((section) => !section.includes('```sh\nkairos '))).toEqual([]);
    for (const line of HELP_EXAMPLES.slice(0, 3))
      expect(manPage(version)).toContain(line.replaceAll('-', '\\-'));
  });
});
