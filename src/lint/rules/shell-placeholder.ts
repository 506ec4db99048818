import { referencesIn } from '../../protocol/inputs.ts';
import { placeholders } from '../../shell/placeholder.ts';
import type { LintRule } from '../rule.ts';

export const shellPlaceholder: LintRule = {
  id: 'shell-placeholder',
  family: 'shell',
  severity: 'error',
  summary: 'A command is complete: nothing in it is left to be filled in.',
  why: 'The command is run unchanged. A shell reads <name> as a file to read from and one to write to, and everything else goes to the program unchanged. What differs from run to run is an input: kairos asks for it, checks it and records it.',
  check(context) {
    for (const script of context.scripts) {
      for (const { text, pos, end } of placeholders(script.parsed)) {
        // `reference-in-command` reports these.
        if (referencesIn(text).length > 0) continue;
        context.report({
          place: script.place(pos, end),
          reason: `${text} is left to fill in, but the command is run unchanged. Declare an input for it, and read it as "$NAME".`,
        });
      }
    }
  },
};
