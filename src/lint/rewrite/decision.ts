import type { Place, Problem, ProtocolDocument } from '../../protocol/model.ts';
import { describeProblem } from '../../protocol/problems.ts';
import { parseScript } from '../../shell/commands.ts';
import { placeholders } from '../../shell/placeholder.ts';

/** Something that a migration leaves to a human: what it is, and what they can do about it. */
export interface Decision {
  /** One of the parser's problems, or one of migration's own. */
  code: Problem['code'] | 'not-a-command' | 'words-after-command' | 'placeholder';
  place: Place;
  reason: string;
  hint: string;
}

/** An error of the parser, which no migration can fix automatically. */
export function fromProblem(problem: Problem): Decision {
  const { reason, hint } = describeProblem(problem);
  return { code: problem.code, place: problem.place, reason, hint };
}

export function notACommand(place: Place, command: string): Decision {
  return {
    code: 'not-a-command',
    place,
    reason: `The proof line reads like a sentence and not like a command: ${JSON.stringify(command)}. It was left unchanged.`,
    hint: 'Write a step block: a comment if a person describes it, or a shell command that fails if it is not so.',
  };
}

export function wordsAfterCommand(place: Place, words: string): Decision {
  return {
    code: 'words-after-command',
    place,
    reason: `Text after the command was kept as text: ${JSON.stringify(words)}.`,
    hint: 'If it describes a condition, put it into the block: stdout_matches, expect_exit_code.',
  };
}

/** Commands in which something was never filled in. */
export function placeholderDecisions({ chains }: ProtocolDocument): Decision[] {
  return chains
    .flatMap(({ steps }) => steps)
    .flatMap(({ block }): Decision[] => {
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.type !== 'shell') return [];
      return placeholders(parseScript(proof.shell.cmd)).map(({ text }) => ({
        code: 'placeholder',
        place: block.place,
        reason: `The command has a gap to be filled in: ${text}.`,
        hint: 'Write what is meant, or pass it in as an environment variable named in env.',
      }));
    });
}
