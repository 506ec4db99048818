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
  /** Whether no whole text can ever match the pattern. False for an invalid one. */
  matchesNothing(pattern: string): boolean;
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
/** The part of a compiled pattern that decides what it can match. */
interface Program {
  re2Input?: { prog?: { inst: Instruction[]; start: number } };
}
interface Instruction {
  op: number;
  out: number;
  /** The other way of a fork, or the conditions of an empty match. */
  arg: number;
  runes: ArrayLike<number>;
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
        { hint: 'Patterns follow RE2: no look-around, no back-references, no possessive quantifiers.' },
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
    matchesNothing: (pattern) => {
      const result = outcome(pattern);
      return !(result instanceof Error) && !canMatch(result as Program);
    },
  };
}

/** Operations of RE2's programs. */
const OP = { fork: [1, 2], empty: 4, fail: 5, match: 6, runes: 8, one: 9, any: 10, anyButLine: 11 } as const;
/** What is at one side of a place in a text, as the bits of a set. */
const SIDE = { end: 1, line: 2, word: 4, other: 8 } as const;
const ALL_SIDES = 15;
/** Conditions of an empty match, by their bits: which pairs of sides fulfil them. */
const CONDITIONS: readonly [bit: number, holds: (before: number, after: number) => boolean][] = [
  [1, (before) => before === SIDE.end || before === SIDE.line],
  [2, (_before, after) => after === SIDE.end || after === SIDE.line],
  [4, (before) => before === SIDE.end],
  [8, (_before, after) => after === SIDE.end],
  [16, (before, after) => (before === SIDE.word) !== (after === SIDE.word)],
  [32, (before, after) => (before === SIDE.word) === (after === SIDE.word)],
];

/**
 * Whether any text leads the program from its start to its end: every instruction is visited with what is before it and
 * with what can still be after it.
 */
function canMatch({ re2Input }: Program): boolean {
  const program = re2Input?.prog;
  if (program === undefined) return true;
  const seen = new Set<string>();
  const open: [at: number, before: number, after: number][] = [[program.start, SIDE.end, ALL_SIDES]];
  const visit = (at: number, before: number, after: number) => {
    const key = `${at} ${before} ${after}`;
    if (after === 0 || seen.has(key)) return;
    seen.add(key);
    open.push([at, before, after]);
  };
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const [at, before, after] = state;
    const step = program.inst[at]!;
    const { op, out, arg } = step;
    if (op === OP.match) {
      if ((after & SIDE.end) !== 0) return true;
    } else if (op >= OP.runes && op <= OP.anyButLine) {
      for (const side of [SIDE.line, SIDE.word, SIDE.other])
        if ((after & side & sidesOf(step)) !== 0) visit(out, side, ALL_SIDES);
    } else if (op === OP.empty) {
      const fulfils = (side: number) =>
        CONDITIONS.every(([bit, holds]) => (arg & bit) === 0 || holds(before, side));
      visit(
        out,
        before,
        [1, 2, 4, 8].filter((side) => (after & side) !== 0 && fulfils(side)).reduce((a, b) => a | b, 0),
      );
    } else if (op !== OP.fail) {
      visit(out, before, after);
      if (op === OP.fork[0] || op === OP.fork[1]) visit(arg, before, after);
    }
  }
  return false;
}

/** The sides that a character of this instruction can be. */
function sidesOf({ op, arg, runes }: Instruction): number {
  // One rune in any letter case: outside of ASCII, and for K and S, other cases may be on another side.
  const folds = runes.length === 1 && (arg & 1) === 1;
  if (op === OP.any || (folds && !/[a-jl-rt-z]/i.test(String.fromCodePoint(runes[0]!)))) return ALL_SIDES;
  if (op === OP.anyButLine) return SIDE.word | SIDE.other;
  const ranges = runes.length === 1 ? [[runes[0]!, runes[0]!]] : pairs(runes);
  let sides = 0;
  for (const [from, to] of ranges as [number, number][]) {
    const holds = (low: number, high: number) => from <= high && low <= to;
    if (holds(10, 10)) sides |= SIDE.line;
    if (WORD.some(([low, high]) => holds(low, high))) sides |= SIDE.word;
    if (OTHER.some(([low, high]) => holds(low, high))) sides |= SIDE.other;
  }
  return sides;
}

const pairs = (runes: ArrayLike<number>) =>
  Array.from({ length: runes.length >> 1 }, (_, at) => [runes[at * 2]!, runes[at * 2 + 1]!]);
/** Ranges of code points: the characters of a word for RE2, and all others but the end of a line. */
const WORD: readonly [number, number][] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const OTHER: readonly [number, number][] = [
  [0, 9],
  [11, 47],
  [58, 64],
  [91, 94],
  [96, 96],
  [123, 0x10ffff],
];

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
