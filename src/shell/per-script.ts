import type { ParsedScript } from './commands.ts';

/**
 * Memoizes a question about a script: the result doesn't depend on the script's place, and the protocols of a
 * team share many commands. Results must not be changed.
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
