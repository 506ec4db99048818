import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatPage } from '../../scripts/format-page.ts';
import { policyPage } from '../../scripts/policy-page.ts';
import {
  policyCasesJsonSchema,
  policyJsonSchema,
  proposalJsonSchema,
} from '../../src/operations/json-schemas.ts';
import { frontmatterJsonSchema, stepBlockJsonSchema } from '../../src/protocol/json-schema.ts';
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
  it('is what the schemas say', () => {
    expect(readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8')).toBe(formatPage());
  });

  it('describes every key of every schema', () => {
    expect([...keysWithout(stepBlockJsonSchema()), ...keysWithout(frontmatterJsonSchema())]).toEqual([]);
  });

  it('describes nothing else', () => {
    const page = formatPage();
    for (const [key, { meaning }] of Object.entries(KEY_DOCS))
      expect(page, key).toContain(meaning.replaceAll('|', '\\|'));
  });
});

describe('the reference of policies', () => {
  it('is made from the schemas', () => {
    expect(readFileSync(new URL('../../docs/policy.md', import.meta.url), 'utf8')).toBe(policyPage());
  });

  it('describes every key', () => {
    const schemas = [policyJsonSchema(), policyCasesJsonSchema(), proposalJsonSchema()];
    expect(schemas.flatMap((schema) => keysWithout(schema))).toEqual([]);
  });
});
