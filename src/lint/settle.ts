import { type Analysis, levelOf } from './analyse.ts';
import { applyDirectives } from './directives/apply.ts';
import { compareMessages, type LintResult } from './message.ts';
import type { Rule } from './rule.ts';

/**
 * The last phase: directives suppress what they disable, rules about directives run, messages get their
 * order. Messages of `enforced` rules are never suppressed.
 */
export function settle(
  analysis: Analysis,
  rules: readonly Rule[],
  enforced: ReadonlySet<string> = NONE,
): LintResult {
  const { path, directed } = analysis;
  const result: LintResult = { path, messages: analysis.messages, suppressed: [] };
  if (directed !== null) {
    const { source, directives, check } = directed;
    const relaxed = applyDirectives(source, analysis.messages, directives, enforced);
    analysis.messages = relaxed.messages;
    for (const rule of rules) {
      if (rule.last && levelOf(rule, analysis.severities) !== 'off') check(rule);
    }
    result.messages = analysis.messages;
    result.suppressed = relaxed.suppressed.map((suppressed) => ({ ...suppressed, by: 'directive' }));
  }
  result.messages.sort(compareMessages);
  return result;
}

const NONE: ReadonlySet<string> = new Set();
