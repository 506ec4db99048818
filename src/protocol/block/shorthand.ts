import { suggest } from '../../base/errors.ts';
import type { Place, Problem } from '../model.ts';
import { INTERPRETERS } from '../terms.ts';
import type { Fence } from './fence.ts';
import type { Locator, Path } from './value.ts';

/** A step block in shorthand: a fence such as ```` ```sh proof timeout=10m ````, whose text is the command. */
interface Shorthand {
  raw: Record<string, unknown>;
  locator: Locator;
  problems: Problem[];
}

/** Names that people write for an interpreter. */
const ALIASES: Readonly<Record<string, string>> = { python: 'python3' };

/** Languages of scripts that no interpreter here runs under that name. */
const ALMOST: Readonly<Record<string, string>> = {
  shell: 'sh',
  console: 'sh',
  dash: 'sh',
  ash: 'sh',
  ksh: 'sh',
  fish: 'sh',
  py: 'python3',
  js: 'node',
  javascript: 'node',
  ts: 'node',
  typescript: 'node',
  rb: 'ruby',
  pl: 'perl',
  powershell: 'pwsh',
  ps1: 'pwsh',
};

const KEYS = ['timeout', 'exit', 'workdir', 'env'];

const MARK = /^proof(?=[ \t]|$)/i;

/** The canonical name of an interpreter; undefined for any other word. */
export function interpreterNamed(word: string): string | undefined {
  const name = ALIASES[word] ?? word;
  return (INTERPRETERS as readonly string[]).includes(name) ? name : undefined;
}

/** The tag to write instead, when a fence is marked as a proof under a language that isn't an interpreter's name. */
export function almostShorthand(language: string, meta: string): string | undefined {
  return MARK.test(meta) ? ALMOST[language.toLowerCase()] : undefined;
}

/** Whether a fence's info string makes it a step block in shorthand. */
export function isShorthand(language: string | null, meta: string): boolean {
  return language !== null && MARK.test(meta) && interpreterNamed(language.toLowerCase()) !== undefined;
}

/** Reads a fence that `isShorthand`. `place` makes places from offsets in the source. */
export function readShorthand(fence: Fence, place: (start: number, end: number) => Place): Shorthand {
  const shell: Record<string, unknown> = { cmd: fence.text };
  const interpreter = interpreterNamed(fence.language.toLowerCase())!;
  if (interpreter !== 'sh') shell.interpreter = interpreter;
  const problems: Problem[] = [];
  const places = new Map<string, Place>();
  for (const { word, start } of wordsOf(fence.meta)) {
    const at = place(fence.metaStart + start, fence.metaStart + start + word.length);
    const [, key, value] = /^([^=]*)=(.*)$/.exec(word) ?? [];
    if (key === undefined || !KEYS.includes(key)) {
      const name = key ?? word;
      const args = { key: name, path: 'shorthand', suggestion: suggest(name, KEYS), known: KEYS.join(', ') };
      problems.push({ code: 'block-unknown-key', severity: 'error', place: at, args });
      continue;
    }
    const field = FIELDS[key]!;
    const read = field.read(value!);
    if (read === undefined || field.name in shell) {
      const issue = field.name in shell ? 'shorthand-twice' : `shorthand-${key}`;
      const args = { issue, path: key, found: value };
      problems.push({ code: 'block-invalid', severity: 'error', place: at, args });
    } else {
      shell[field.name] = read;
      places.set(field.name, at);
    }
  }
  const find = (path: Path): Place =>
    places.get(String(path[2])) ?? (path.length > 2 ? fence.valuePlace : fence.place);
  return { raw: { proof_of_work: { type: 'shell', shell } }, locator: { value: find, key: find }, problems };
}

/** The words behind `proof`, with where they begin. */
function wordsOf(meta: string): { word: string; start: number }[] {
  return [...meta.matchAll(/[^ \t]+/g)].slice(1).map(({ 0: word, index }) => ({ word, start: index }));
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const FIELDS: Readonly<Record<string, { name: string; read(text: string): unknown }>> = {
  timeout: {
    name: 'timeout_seconds',
    read(text) {
      const [, amount, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
      return amount === undefined ? undefined : Number(amount) * (SECONDS[unit!] ?? 1);
    },
  },
  exit: { name: 'expect_exit_code', read: (text) => (/^\d{1,3}$/.test(text) ? Number(text) : undefined) },
  workdir: { name: 'workdir', read: (text) => (text === '' ? undefined : text) },
  env: {
    name: 'env',
    read: (text) => (/^[A-Za-z_]\w*(?:,[A-Za-z_]\w*)*$/.test(text) ? text.split(',') : undefined),
  },
};

/** A duration in the largest unit that is exact. */
export function durationText(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds % SECONDS[each]! === 0) ?? 's';
  return `${seconds / SECONDS[unit]!}${unit}`;
}
