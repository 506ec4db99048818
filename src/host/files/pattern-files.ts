import { type Dirent, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isUnknown } from '../../shell/commands.ts';
import { realPathOf } from './paths.ts';

/** Of the entries of folders that patterns are compared with: of one pattern, of one list, and of all in a check. */
const [MAX_ENTRIES, MAX_LISTED, MAX_ALL_ENTRIES] = [3000, 20_000, 30_000];

/** The files of words, within the limits of one check. */
export interface PatternFiles {
  /** The paths that a word may be: a pattern is compared with real names. `isDeep`: one without a folder also in the folders below. */
  of(word: string, folder: string, isDeep?: boolean): string[];
  /** The files in a folder, and whether the list has all of them. */
  list(names: string, folder: string, isDeep: boolean): { paths: string[]; isWhole: boolean };
  isLate(): boolean;
  /** Whether patterns were left out, because the check would last too long. */
  isOver(): boolean;
}

export function patternFiles(isLate: () => boolean): PatternFiles {
  const found = new Map<string, string[]>();
  let all = MAX_ALL_ENTRIES;
  const isOver = () => all < 0 || isLate();
  const search = (pattern: string, folder: string, isDeep: boolean, entries = MAX_ENTRIES) => {
    const [base, ...parts] = pattern.startsWith('/')
      ? ['/', ...pattern.split('/').slice(1)]
      : [folder, ...pattern.split('/')];
    const isBare = isDeep && parts.length === 1;
    let budget = entries;
    const below = (place: string, rest: readonly string[]): string[] => {
      const [part, ...further] = rest;
      if (part === undefined) return [place];
      if (!isUnknown(part)) return below(join(place, part), further);
      if (budget < 0 || isOver()) return [];
      const fits = shellPattern(part);
      return entriesOf(place).flatMap((entry) => {
        budget -= 1;
        all -= 1;
        if (budget < 0 || all < 0) return [];
        const path = join(place, entry.name);
        const own =
          fits.test(entry.name) && (isBare || part.startsWith('.') || !entry.name.startsWith('.'))
            ? below(path, further)
            : [];
        const isSkipped =
          !isBare || !entry.isDirectory() || entry.name === 'node_modules' || entry.name === '.git';
        return isSkipped ? own : [...own, ...below(path, rest)];
      });
    };
    return { paths: below(base!, parts), isWhole: budget >= 0 && !isOver() };
  };
  return {
    isLate,
    isOver,
    list: (names, folder, isDeep) => search(names, folder, isDeep, MAX_LISTED),
    of(word, folder, isDeep = false) {
      // What can't be known before the last folder may be any folder.
      const known = word.replace(/^.*[$`][^/]*\//s, '');
      if (!isUnknown(known)) return known.includes('\0') ? [] : [resolve(folder, known)];
      if (/[$`]/.test(known)) return [];
      const key = `${isDeep} ${folder} ${known}`;
      const paths = found.get(key) ?? (isOver() ? [] : search(known, folder, isDeep).paths);
      if (!isOver()) found.set(key, paths);
      return paths;
    },
  };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A path, and what it is behind links. */
export function realPlaces(path: string): string[] {
  const folder = realPathOf(dirname(path));
  return [...new Set([path, join(folder, basename(path)), realPathOf(path)])];
}

/**
 * The places that an argument of a tool may name, as patterns: `~` is filled in and links are followed. A path with a variable may be in any
 * folder, so the folders above it count too.
 */
export function givenPlaces(argument: string, home: string | null): TextPattern[] {
  const path = argument.replace(/^~(?=\/)/, home ?? '~').replace(/%\w+%|\$env:\w+/gi, '$$X');
  if (!/\$\{?\w/.test(path)) return realPlaces(path).map((place) => ({ test: (other) => other === place }));
  const parts = path.replace(/^.*\/\.\.(?=\/)/s, '$$X').split('/');
  return parts.flatMap((part, at) =>
    /^(?:\$\{?\w+\}?)?$/.test(part) ? [] : [shellPattern(parts.slice(0, at + 1).join('/'))],
  );
}

/** Whether a text fits a pattern. */
export interface TextPattern {
  test(text: string): boolean;
}

/**
 * A pattern of the shell for names and paths, read widely: a list in braces is any text in its folder, as `*` is, a bracket any character,
 * and a variable any text. Matching needs at most the product of both lengths, where a regular expression could run without end.
 */
export function shellPattern(pattern: string): TextPattern {
  const tokens = pattern
    .split(/(\$\{?\w+\}?|\*+|\?|\[[^\]]+\]|\{[^/]*\})/)
    .flatMap((part, at): PatternToken[] => {
      if (part.startsWith('$') && at % 2 === 1) return [{ isRepeated: true, crossesFolders: true }];
      const isLiteral = at % 2 === 0 || (part.startsWith('{') && !/,|\.\.|[*?[]/.test(part));
      if (isLiteral) return [...part].map((only) => ({ only }));
      return [{ isRepeated: part !== '?' && !part.startsWith('[') }];
    });
  // The tokens that can come next, with those behind a token that may stand for nothing.
  const reached = (positions: Iterable<number>) => {
    const all = new Set<number>();
    for (let at of positions) {
      all.add(at);
      while (tokens[at]?.isRepeated && !all.has(at + 1)) all.add(++at);
    }
    return all;
  };
  return {
    test(text) {
      let positions = reached([0]);
      for (const character of text) {
        const next: number[] = [];
        for (const at of positions) {
          const token = tokens[at];
          if (token === undefined || !fitsCharacter(token, character)) continue;
          next.push(token.isRepeated ? at : at + 1);
        }
        if (next.length === 0) return false;
        positions = reached(next);
      }
      return positions.has(tokens.length);
    },
  };
}

interface PatternToken {
  /** The only character that fits; without it, any one that doesn't separate folders. */
  only?: string;
  isRepeated?: boolean;
  crossesFolders?: boolean;
}

function fitsCharacter({ only, crossesFolders = false }: PatternToken, character: string): boolean {
  return only === undefined ? crossesFolders || character !== '/' : only === character;
}
