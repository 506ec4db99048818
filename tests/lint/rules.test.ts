import { describe, expect, it } from 'vitest';
import { compareDocuments } from '../../src/lint/across.ts';
import { type Analysis, analyse } from '../../src/lint/analyse.ts';
import { applyEdits } from '../../src/lint/edits.ts';
import type { LintMessage } from '../../src/lint/message.ts';
import type { Rule, RuleExample } from '../../src/lint/rule.ts';
import { RULES } from '../../src/lint/rules/index.ts';
import { settle } from '../../src/lint/settle.ts';

const PATH = 'example.md';

describe('the registry', () => {
  it('names every rule once, in order', () => {
    const ids = RULES.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
  });

  it.each(RULES.map((rule) => [rule.id, rule] as const))(
    '%s shows what it finds and what it accepts',
    (_, rule) => {
      expect(rule.summary).toMatch(/^[A-Z`].*[^\s]\.$/s);
      expect(rule.why.length).toBeGreaterThan(40);
      expect(rule.examples.some(({ findings }) => findings.length > 0)).toBe(true);
      expect(rule.examples.some(({ findings }) => findings.length === 0)).toBe(true);
      expect(rule.examples.some(({ fixed }) => fixed !== undefined)).toBe(rule.fixable !== false);
    },
  );
});

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (_, rule) => {
  it.each(rule.examples.map((example) => [example.title, example] as const))(
    '%s',
    async (_title, example) => {
      const messages = await lintExample(rule, example, example.source);
      const found = messages.map(({ reason, place: { start } }, at) => ({
        line: start.line,
        ...(example.findings[at]?.column === undefined ? {} : { column: start.column }),
        ...(example.findings[at]?.reason === undefined ? {} : { reason }),
      }));
      expect(found).toEqual(example.findings);
      for (const { fix } of messages) {
        if (fix !== undefined && rule.fixable !== 'unsafe') expect(fix.safe).toBe(rule.fixable === 'safe');
      }
      expect(await fixExample(rule, example)).toBe(example.fixed ?? example.source);
    },
  );
});

async function lintExample(rule: Rule, example: RuleExample, source: string): Promise<LintMessage[]> {
  const documents: Analysis[] = [];
  const exists = (path: string) => (example.files ?? []).includes(path.replace(/^\.\//, ''));
  for (const { path, source: text } of [{ path: PATH, source }, ...(example.others ?? [])]) {
    documents.push(
      await analyse(text, { path, rules: [rule], severities: new Map(), inlineConfig: true, exists }),
    );
  }
  compareDocuments(documents, [rule]);
  return settle(documents[0]!, [rule]).messages;
}

/** To a fixed point, as `--fix --unsafe-fixes` does. */
async function fixExample(rule: Rule, example: RuleExample): Promise<string> {
  let source = example.source;
  for (let round = 0; round < 10; round += 1) {
    const messages = await lintExample(rule, example, source);
    const fixes = messages.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
    if (fixes.length === 0) return source;
    source = applyEdits(source, fixes).text;
  }
  throw new Error(`the fixes of ${rule.id} never end`);
}
