import { expect, test } from 'vitest';
import { locateInYaml } from '../../src/formats/yaml.ts';
import { ruleContext } from '../../src/lint/context.ts';
import type { RuleFinding } from '../../src/lint/rule.ts';
import { RULE_EXAMPLES } from '../../src/lint/rules/examples/index.ts';
import { LINT_RULES } from '../../src/lint/rules/index.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';

test('A rule that is about something finds nothing in a document without it', async () => {
  const found: { rule: string; findings: RuleFinding[] }[] = [];
  const missing = { problems: 0, proposals: 0 };
  for (const { source } of Object.values(RULE_EXAMPLES).flat()) {
    const parsed = await parseProtocol(source);
    const findings: RuleFinding[] = [];
    const context = ruleContext(parsed, {
      rules: LINT_RULES,
      level: ({ severity }) => severity,
      report: (finding) => findings.push(finding),
      inlineConfig: false,
      comments: [],
      links: [],
      locateInYaml,
    });
    const lacks = {
      problems: context.problems.length === 0,
      proposals: context.steps.every(({ step }) => step.block?.value.proposal === undefined),
    };
    for (const rule of LINT_RULES) {
      if (rule.about === undefined || !lacks[rule.about]) continue;
      missing[rule.about] += 1;
      rule.check(context);
      if (findings.length > 0) found.push({ rule: rule.id, findings: findings.splice(0) });
    }
  }
  expect(found).toEqual([]);
  expect(Math.min(...Object.values(missing))).toBeGreaterThan(1000);
});
