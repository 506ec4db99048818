import { isAbsolute } from 'node:path';

/** Alternatives that the braces of one path may make. */
const MAX_ALTERNATIVES = 64;

/**
 * The paths that an output's path matches, each as segments; null for an invalid one: empty, with NUL or
 * `..`, or with more than 64 alternatives, or absolute only within its braces. `*` and `?` match within a
 * segment, `**` any number of folders, `{a,b}` either.
 */
export function parsePath(path: string): string[][] | null {
  const alternatives = alternativesOf(path);
  if (path.includes('\0') || alternatives === null) return null;
  if (alternatives.some((one) => isAbsolute(one) !== isAbsolute(path))) return null;
  const parsed = alternatives.map((one) => one.split('/').filter((part) => part !== '' && part !== '.'));
  const sound = parsed.every((parts) => parts.length > 0 && !parts.some(goesUp));
  return sound ? parsed : null;
}

/** Whether a segment matches more than itself. */
export function isWild(segment: string): boolean {
  return /[*?]/.test(segment);
}

/**
 * Whether a name matches a segment. As in a shell, only a dot matches a leading dot. Linear in name times
 * segment: on a mismatch, only the last star is extended by one character.
 */
export function matchesSegment(segment: string, name: string): boolean {
  if (name.startsWith('.') && !segment.startsWith('.')) return false;
  const pattern = Array.from(segment);
  const text = Array.from(name);
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let char = 0; char < text.length; ) {
    if (pattern[at] === '*') {
      star = at;
      resume = char;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[char])) {
      at += 1;
      char += 1;
    } else if (star === -1) {
      return false;
    } else {
      at = star + 1;
      resume += 1;
      char = resume;
    }
  }
  return pattern.slice(at).every((left) => left === '*');
}

/** The outermost braces with a comma in them, expanded until none is left. */
function alternativesOf(path: string): string[] | null {
  const done: string[] = [];
  const open = [path];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const braces = findBraces(next);
    if (braces === null) done.push(next);
    else open.unshift(...braces.parts.map((part) => `${braces.before}${part}${braces.after}`));
    if (done.length + open.length > MAX_ALTERNATIVES) return null;
  }
  return [...new Set(done)];
}

function findBraces(path: string): { before: string; parts: string[]; after: string } | null {
  for (let start = path.indexOf('{'); start !== -1; start = path.indexOf('{', start + 1)) {
    const commas: number[] = [];
    let depth = 0;
    for (let at = start; at < path.length; at += 1) {
      if (path[at] === '{') depth += 1;
      else if (path[at] === ',' && depth === 1) commas.push(at);
      else if (path[at] === '}') {
        depth -= 1;
        if (depth > 0) continue;
        if (commas.length === 0) break;
        const cuts = [start, ...commas, at];
        const parts = cuts.slice(1).map((cut, index) => path.slice(cuts[index]! + 1, cut));
        return { before: path.slice(0, start), parts, after: path.slice(at + 1) };
      }
    }
  }
  return null;
}

/** On Windows a backslash parts folders too; elsewhere a name with `..` behind one is refused all the same. */
function goesUp(segment: string): boolean {
  return segment.split('\\').includes('..');
}
