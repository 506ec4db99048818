import { placeholders } from '../../shell/placeholder.ts';
import type { LintRule } from '../rule.ts';

export const shellSyntax: LintRule = {
  id: 'shell-syntax',
  family: 'shell',
  severity: 'error',
  summary: 'A command is something that a shell can read.',
  why: 'The shell refuses it before anything has run, so the step can never be passed. Mostly a quote or a `fi` is missing, or a quote inside of the command was not escaped for JSON.',
  check(context) {
    for (const script of context.scripts) {
      const { parsed, text } = script;
      const [error] = parsed.errors;
      // Then the cause is an unfilled placeholder, which has its own rule.
      if (error === undefined || placeholders(parsed).length > 0) continue;
      const end = Math.min(Math.max(error.pos + 1, 1), text.length);
      context.report({
        place: script.place(end - 1, end),
        reason: `The shell cannot read this command: ${error.message}. Nothing of it would run.`,
      });
    }
  },
};
