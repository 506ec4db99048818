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

/** The places that arguments of a tool may name, in their JSON, as patterns: any place once the time is up. */
export function placesIn(json: string, home: string | null, isLate: () => boolean): TextPattern[] {
  const given = new Set(
    [...json.matchAll(/"((?:[/~]|\$\{?\w|%\w)[^"\\]{1,1000})"/g)].map(([, argument]) => argument!),
  );
  return [...given].flatMap((argument) => (isLate() ? [ANY_TEXT] : givenPlaces(argument, home)));
}

/** `~` is filled in and links are followed. A path with a variable may be in any folder, so the folders above it count too. */
function givenPlaces(argument: string, home: string | null): TextPattern[] {
  const path = argument.replace(/^~(?=\/)/, home ?? '~').replace(/%\w+%|\$env:\w+/gi, '$$X');
  if (!/\$\{?\w/.test(path)) return realPlaces(path).map((place) => ({ test: (other) => other === place }));
  const tokens: PatternToken[] = [];
  const ends = new Set<number>();
  for (const [at, part] of path
    .replace(/^.*\/\.\.(?=\/)/s, '$$X')
    .split('/')
    .entries()) {
    tokens.push(...(at === 0 ? [] : [{ only: '/' }]), ...tokensOf(part));
    if (!/^(?:\$\{?\w+\}?)?$/.test(part)) ends.add(tokens.length);
  }
  return [patternOf(tokens, ends)];
}

/** Whether a text fits a pattern. */
export interface TextPattern {
  test(text: string): boolean;
}

export const ANY_TEXT: TextPattern = { test: () => true };

/**
 * A pattern of the shell for names and paths, read widely: a list in braces is any text in its folder, as `*` is, a bracket any character,
 * and a variable any text. Matching needs at most the product of both lengths, where a regular expression could run without end.
 */
export function shellPattern(pattern: string): TextPattern {
  const tokens = tokensOf(pattern);
  return patternOf(tokens, new Set([tokens.length]));
}

function tokensOf(pattern: string): PatternToken[] {
  return pattern.split(/(\$\{?\w+\}?|\*+|\?|\[[^\]]+\]|\{[^/]*\})/).flatMap((part, at): PatternToken[] => {
    if (part.startsWith('$') && at % 2 === 1) return [{ isRepeated: true, crossesFolders: true }];
    const isLiteral = at % 2 === 0 || (part.startsWith('{') && !/,|\.\.|[*?[]/.test(part));
    if (isLiteral) return [...part].map((only) => ({ only }));
    return [{ isRepeated: part !== '?' && !part.startsWith('[') }];
  });
}

/** A pattern that a text fits if it comes to one of the ends, which are numbers of tokens. */
function patternOf(tokens: readonly PatternToken[], ends: ReadonlySet<number>): TextPattern {
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
      return [...positions].some((at) => ends.has(at));
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

/** Programs that change the files in a folder. */
export const CHANGERS =
  '(?:rm|rmdir|unlink|shred|mv|cp|ln|install|rsync|find|chmod|chown|truncate|tee|dd|tar|unzip|patch|rename|sed|perl|clean|(?<!-)u?mount)';

const CHANGE = RegExp(`\\b${CHANGERS}\\b|>`);

interface ScriptPlace {
  here: string;
  home: string | null;
  isLate: () => boolean;
}

/** Whether a script without quotes may change one of these files. */
export function changesPath(script: string, paths: readonly string[], place: ScriptPlace): boolean {
  const changed = changedPaths(script, place);
  return paths.some((path) => changed.some((each) => isChanged(path, each)));
}

/** What a program that changes files gets. `above`: it also changes what is in the folders below. */
interface ChangedPath {
  path: TextPattern;
  above: boolean;
  /** Patterns for the names that `find` looks for; empty: all. */
  names: TextPattern[];
}

/** The paths that a script without quotes may change, relative to each folder that it works in: any path once the time is up. */
function changedPaths(script: string, { here, home, isLate }: ScriptPlace): ChangedPath[] {
  if (!CHANGE.test(script)) return [];
  const below = (folder: string, word: string) => {
    const path = word.replace(/^(?:~|\$\{?HOME\}?)(?=\/|$)/, home ?? '/').replace(/^(?=\$)/, '/');
    return resolve(folder, path);
  };
  const moves = [...script.matchAll(/(?:\b(?:cd|pushd)|\s-C)\s+([^\s;&|)]+)/g)];
  const folders = [here];
  for (const [at, [, folder]] of moves.entries())
    folders.push(...folders.slice(0, at < MAX_MOVES ? undefined : 1).map((from) => below(from, folder!)));
  const isApplied = /\bxargs\b|\s-(?:delete|exec|ok|fprint)|\$\(|`/.test(script);
  const parts = script.matchAll(RegExp(`(?:\\b(${CHANGERS})(?=\\s|$)|>)([^;&|\\n>]*)`, 'g'));
  return [...parts].flatMap(([, program = '>', rest = '']) => {
    if (isLate()) return [ANY_CHANGE];
    if (program === 'find' && !isApplied) return [];
    const text = /\bxargs\b/.test(script) && program !== 'find' ? script : rest;
    const words = text.split(/[\s()`|;&]+/).filter((word) => word !== '');
    const isNamed = (at: number) =>
      program === 'find' && /^-i?(?:name|path|wholename)$/.test(words[at - 1] ?? '');
    const names = words.includes('!') || words.includes('-not') ? [] : words.filter((_, at) => isNamed(at));
    const given = words.filter((word, at) => !word.startsWith('-') && !isNamed(at));
    const paths = program === '>' ? given.slice(0, 1) : program === 'clean' ? [...given, '.'] : given;
    return paths.flatMap((word, at) => {
      if (isLate()) return [ANY_CHANGE];
      const isTarget = /^(?:mv|cp|install)$/.test(program) && at === paths.length - 1;
      const above = !isTarget && (REMOVERS.test(program) || rest.includes('--delete'));
      // Of a folder that only a variable names, the last name must be literal.
      if (/\$/.test(word.replace(/^\$\{?HOME\b/, '')) && /[$*?[{][^/]*$/.test(word.replace(/^.*\//s, '')))
        return [];
      return folders
        .flatMap((folder) => realPlaces(below(folder, word)))
        .map((path) => ({ path: shellPattern(path), above, names: names.map(shellPattern) }));
    });
  });
}

const ANY_CHANGE: ChangedPath = { path: ANY_TEXT, above: true, names: [] };

/** Changes of the folder in a script that are followed: each doubles the places. */
const MAX_MOVES = 6;

const REMOVERS = /^(?:rm|rmdir|shred|find|mv|chmod|chown|clean|mount)$/;

/** Whether a change concerns a file: its own path, its folder, or a folder above that. */
function isChanged(file: string, { path, above, names }: ChangedPath): boolean {
  const parts = file.split('/');
  return parts.some((_, at) => {
    if (!above && at < parts.length - 2) return false;
    if (!path.test(parts.slice(0, at + 1).join('/') || '/')) return false;
    return names.length === 0 || names.some((name) => parts.slice(at).some((part) => name.test(part)));
  });
}
