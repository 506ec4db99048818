import { KairosError } from '../base/errors.ts';
import { isTimeLimit, withinTime } from '../base/json-schema.ts';

/** Runs patterns from documents in linear time, with RE2's syntax and semantics. */
export interface Patterns {
  /** Whether the pattern is found anywhere in the text. Throws INVALID_INPUT for an invalid RE2 pattern. */
  search(pattern: string, text: string): boolean;
  /** Whether the pattern matches the whole text. Throws INVALID_INPUT for an invalid RE2 pattern. */
  fullMatch(pattern: string, text: string): boolean;
  /** Why a text isn't an RE2 pattern, with the place in it; null when it is one. */
  problem(pattern: string): string | null;
}

let loaded: Promise<Patterns> | undefined;

/** Loads the engine on first use, because it is large, and keeps it. */
export function loadPatterns(): Promise<Patterns> {
  loaded ??= import('re2js').then(({ RE2JS, RE2JSException }) =>
    makePatterns((pattern) => withinTime(() => RE2JS.compile(pattern)), RE2JSException),
  );
  return loaded;
}

interface Compiled {
  test(text: string): boolean;
  testExact(text: string): boolean;
}
type Compile = (pattern: string) => Compiled;
/** The reason of an engine's syntax error, and the piece of the pattern that caused it. */
interface SyntaxProblem extends Error {
  error?: string;
  input?: string | null;
}

const CACHE_SIZE = 256;

function makePatterns(compile: Compile, syntaxError: new (...args: never[]) => Error): Patterns {
  const cache = new Map<string, Compiled | SyntaxProblem>();
  const tryCompile = (pattern: string): Compiled | SyntaxProblem => {
    try {
      return compile(pattern);
    } catch (error) {
      if (error instanceof syntaxError || isTimeLimit(error)) return error;
      throw error;
    }
  };
  const outcome = (pattern: string): Compiled | SyntaxProblem => {
    const known = cache.get(pattern);
    if (known !== undefined) return known;
    const result = tryCompile(pattern);
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(pattern, result);
    return result;
  };
  const compiled = (pattern: string): Compiled => {
    const result = outcome(pattern);
    if (result instanceof Error) {
      throw new KairosError(
        'INVALID_INPUT',
        `pattern ${JSON.stringify(pattern)}: ${describe(pattern, result, tryCompile)}`,
        {
          hint: 'Patterns follow RE2: no look-around, no back-references, no possessive quantifiers.',
        },
      );
    }
    return result;
  };
  return {
    search: (pattern, text) => compiled(pattern).test(text),
    fullMatch: (pattern, text) => compiled(pattern).testExact(text),
    problem: (pattern) => {
      const result = outcome(pattern);
      if (!(result instanceof Error)) return null;
      try {
        return withinTime(() => describe(pattern, result, tryCompile));
      } catch (error) {
        if (!isTimeLimit(error)) throw error;
        return result.error ?? result.message;
      }
    },
  };
}

type TryCompile = (pattern: string) => Compiled | SyntaxProblem;

/** For example `invalid or unsupported Perl syntax at character 5: (?=`. Characters count from 1, in UTF-16 units. */
function describe(pattern: string, problem: SyntaxProblem, tryCompile: TryCompile): string {
  const reason = problem.error ?? problem.message;
  const piece = problem.input ?? '';
  const at = position(pattern, reason, piece, tryCompile);
  const shown = piece === '' || piece === pattern ? '' : `: ${piece}`;
  return `${reason} at character ${at + 1}${shown}`;
}

/**
 * The engine names the faulty piece but not its place. Reading from the left, the fault is the first
 * occurrence of the piece at which the pattern up to there already fails in the same way.
 */
function position(pattern: string, reason: string, piece: string, tryCompile: TryCompile): number {
  if (reason.startsWith('trailing backslash')) return pattern.length - 1;
  if (reason === 'missing closing )') return pattern.length;
  const needle = reason === 'unexpected )' ? ')' : piece;
  if (needle === '') return 0;
  for (let at = pattern.indexOf(needle); at !== -1; at = pattern.indexOf(needle, at + 1)) {
    const result = tryCompile(pattern.slice(0, at + needle.length));
    if (result instanceof Error && (result.error ?? result.message) === reason) return at;
  }
  return Math.max(pattern.indexOf(needle), 0);
}
