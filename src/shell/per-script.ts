import type { ParsedScript } from './commands.ts';

/**
 * The same question, asked once of each script: what is found in a command does not depend on where it stands, and the
 * protocols of a team have many commands in common. Nobody may change the answers.
 */
export function perScript<Answer extends NonNullable<unknown> | null>(
  find: (parsed: ParsedScript) => Answer,
): (parsed: ParsedScript) => Answer {
  const known = new WeakMap<ParsedScript, Answer>();
  return (parsed) => {
    let answer = known.get(parsed);
    if (answer === undefined) {
      answer = find(parsed);
      known.set(parsed, answer);
    }
    return answer;
  };
}
