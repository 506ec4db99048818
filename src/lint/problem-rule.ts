import type { Place, Problem, ProblemCode } from '../protocol/model.ts';
import { describeProblem } from '../protocol/problems.ts';
import type { Fix } from './message.ts';
import type { LintRule, RuleContext } from './rule.ts';

interface ProblemRule extends Omit<LintRule, 'id' | 'about' | 'check'> {
  /** The edit that fixes one problem; absent if only a person can. */
  fix?(problem: Problem, context: RuleContext): Fix | undefined;
}

/**
 * A rule that reports one kind of the parser's problems. Its id is the problem's code, its text comes from
 * `describeProblem`.
 */
export function problemRule(code: ProblemCode, { fix, ...rule }: ProblemRule): LintRule {
  return {
    id: code,
    ...rule,
    about: 'problems',
    check(context) {
      for (const problem of context.problems) {
        if (problem.code !== code) continue;
        const { reason, hint } = describeProblem(problem);
        const mended = fix?.(problem, context);
        context.report({
          place: problem.place,
          reason: hint === '' ? reason : `${reason} ${hint}`,
          ...(mended === undefined ? {} : { fix: mended }),
        });
      }
    },
  };
}

/** Whether the parser has found something wrong that lies in a place or reaches into it: then what seems to be missing may only be unreadable. */
export function hasProblem({ problems }: RuleContext, { start, end }: Place): boolean {
  return problems.some(
    ({ place, severity }) =>
      severity === 'error' && place.start.offset < end.offset && place.end.offset >= start.offset,
  );
}
