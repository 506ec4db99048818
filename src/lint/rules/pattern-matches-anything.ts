import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const patternMatchesAnything: LintRule = {
  id: 'pattern-matches-anything',
  family: 'proof',
  severity: 'warning',
  summary: 'A pattern can be missed.',
  why: 'A pattern must be able to reject something. A pattern that matches every output or answer looks like a check, but checks nothing.',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block === null) continue;
      const { proof_of_work: proof, outputs = [] } = block.value;
      const patterns: [string | undefined, (string | number)[]][] = outputs.map(({ matches }, at) => [
        matches,
        ['outputs', at, 'matches'],
      ]);
      if (proof?.type === 'shell')
        patterns.push([proof.shell.stdout_matches, ['proof_of_work', 'shell', 'stdout_matches']]);
      if (proof?.type === 'user_input')
        patterns.push([proof.user_input.pattern, ['proof_of_work', 'user_input', 'pattern']]);
      for (const [pattern, path] of patterns) {
        if (pattern === undefined || !ANYTHING.test(pattern)) continue;
        context.report({
          place: nearestPlace(context, block, path),
          reason: `The pattern ${JSON.stringify(pattern)} fits every text, so it checks nothing. Write what must be found, or remove it.`,
        });
      }
    }
  },
};

/** `.*`, `.+` and similar patterns, anchored or in brackets. */
const ANYTHING = /^(?:\(\?[a-z]+\))?\^?\(?(?:\?:)?(?:\.|\[\\s\\S\]|\[\^\])[*+]\??\)?[*+]?\$?$/;
