import type { ParsedScript } from './commands.ts';

/**
 * The same question, asked once of each script: what is found in a command does not depend on where it stands, and the
 * protocols of a team have many commands in common. Nobody may change the answers.
 */
export function perScript<Answer extends NonNullable<unknown> | null>(
  find: (parsed: ParsedScript) => Answer,
): (parsed: ParsedScript) => Answer {
  return (parsed) => {
    const known = parsed.answers.get(find);
    if (known !== undefined) return known as Answer;
    const answer = find(parsed);
    parsed.answers.set(find, answer);
    return answer;
  };
}
