import { type Dirent, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isUnknown } from '../../shell/commands.ts';
import { shellPattern } from '../../shell/same-command.ts';
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
export function givenPlaces(argument: string, home: string | null): RegExp[] {
  const path = argument.replace(/^~(?=\/)/, home ?? '~').replace(/%\w+%|\$env:\w+/gi, '$$X');
  if (!/\$\{?\w/.test(path)) return realPlaces(path).map((place) => RegExp(`^${literal(place)}$`));
  const parts = path.replace(/^.*\/\.\.(?=\/)/s, '$$X').split('/');
  return parts.flatMap((part, at) =>
    /^(?:\$\{?\w+\}?)?$/.test(part) ? [] : [pathPattern(parts.slice(0, at + 1).join('/'))],
  );
}

/** A path with variables and patterns as an expression: a variable is any text. */
export function pathPattern(path: string): RegExp {
  const parts = path.split(/(\$\{?\w+\}?|\*+|\?|\[[^\]]*\]|\{[^}]*\})/);
  const any = (part: string) => (part.startsWith('$') ? '.*' : part === '?' ? '[^/]' : '[^/]*');
  return RegExp(`^${parts.map((part, at) => (at % 2 === 1 ? any(part) : literal(part))).join('')}$`);
}

export const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
