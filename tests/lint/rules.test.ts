import { describe, expect, it } from 'vitest';
import { fixExample, lintExample } from '../../scripts/lint-example.ts';
import { examplesOfRule, RULE_EXAMPLES } from '../../src/lint/rules/examples/index.ts';
import { LINT_RULES } from '../../src/lint/rules/index.ts';

const EVERY = LINT_RULES.map((rule) => [rule.id, rule] as const);

describe('the registry', () => {
  it('names every rule once, in order', () => {
    const ids = LINT_RULES.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
  });

  it('has examples of every rule, and of no other', () => {
    expect(Object.keys(RULE_EXAMPLES).sort()).toEqual(LINT_RULES.map(({ id }) => id));
  });

  it.each(EVERY)('%s shows what it finds and what it accepts', (_, rule) => {
    expect(rule.summary).toMatch(/^[A-Z`].*[^\s]\.$/s);
    expect(rule.why.length).toBeGreaterThan(40);
    const examples = examplesOfRule(rule.id);
    expect(examples.some(({ findings }) => findings.length > 0)).toBe(true);
    expect(examples.some(({ findings }) => findings.length === 0)).toBe(true);
    expect(examples.some(({ fixed }) => fixed !== undefined)).toBe(rule.fixable !== undefined);
  });
});

describe.each(EVERY)('%s', (_, rule) => {
  it.each(examplesOfRule(rule.id).map((example) => [example.title, example] as const))(
    '%s',
    async (_title, example) => {
      const messages = await lintExample(rule, example);
      const found = messages.map(({ reason, place: { start } }, at) => ({
        line: start.line,
        column: start.column,
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
