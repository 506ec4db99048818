import { secretsIn } from '../facts/secrets.ts';
import type { LintRule } from '../rule.ts';

export const secretInText: LintRule = {
  id: 'secret-in-text',
  family: 'safety',
  severity: 'error',
  summary: 'A protocol contains no key, token or password.',
  why: 'Protocols are committed, minted, searched and shown to agents, and every revision is kept. Every reader of one of these gets the secret, and a change of the text does not revoke it.',
  alwaysOn: true,
  check(context) {
    const { source } = context;
    let end = 0;
    for (const { name, start, stop } of secretsIn(source)) {
      if (start < end) continue;
      end = stop;
      context.report({
        place: context.place(start, stop),
        reason: `This looks like a secret (${name}). Revoke it where it was issued, and let the command read a new one from an input with "secret": true.`,
      });
    }
  },
};
