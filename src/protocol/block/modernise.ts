import { isObject } from '../../base/json.ts';
import { suggest } from '../../base/suggest.ts';
import type { Place, Problem, ProblemCode } from '../model.ts';
import { INTERPRETERS, PROOF_TYPES } from '../terms.ts';
import type { Fence } from './fence.ts';
import type { Locator, Path } from './value.ts';

type LegacyCode = Extract<ProblemCode, `legacy-${string}`>;

/** A step block in today's spelling, not yet validated. */
export interface Modern {
  value: Record<string, unknown>;
  /** Older spellings that were found; `path` leads to them in the block as written. */
  legacy: { code: LegacyCode; path: Path; args: Record<string, string> }[];
  /** The place of a modern block's value in the block as written. */
  original(path: Path): Path;
}

const FLAT_KEYS = ['cmd', 'timeout_seconds'] as const;

/**
 * Translates older spellings: the key `challenge`, a flat `cmd`, and a missing `type` next to exactly one
 * type object.
 */
export function modernise(block: Record<string, unknown>): Modern {
  const legacy: Modern['legacy'] = [];
  let value = block;
  const isRenamed = 'challenge' in block && !('proof_of_work' in block);
  if (isRenamed) {
    const { challenge, ...rest } = block;
    value = { proof_of_work: challenge, ...rest };
    legacy.push({ code: 'legacy-challenge-key', path: ['challenge'], args: {} });
  }
  const proofKey = isRenamed ? 'challenge' : 'proof_of_work';
  const isFlat = isObject(value.proof_of_work) && isFlatShell(value.proof_of_work);
  if (isObject(value.proof_of_work)) {
    const proof = isFlat ? nestShell(value.proof_of_work) : withType(value.proof_of_work);
    if (isFlat) {
      const flat = FLAT_KEYS.find((key) => key in (value.proof_of_work as object))!;
      legacy.push({ code: 'legacy-flat-shell', path: [proofKey, flat], args: { key: flat } });
    } else if (proof !== value.proof_of_work) {
      legacy.push({ code: 'legacy-missing-type', path: [proofKey], args: { type: String(proof.type) } });
    }
    value = { ...value, proof_of_work: proof };
  }
  value = withInterpreter(value, proofKey, legacy);
  const original = (path: Path): Path => {
    if (path[0] !== 'proof_of_work') return path;
    const [, ...rest] = path;
    const inFlat = isFlat && rest[0] === 'shell';
    return [proofKey, ...(inFlat ? rest.slice(1) : rest)];
  };
  return { value, legacy, original };
}

/** Flags that hand the command over, as every command here is run: they say nothing. */
const HANDS_OVER = /^(?:-c|-e|-Command)$/;

/**
 * The interpreter under its canonical name, `sh` left out; `flags` and `args` of older blocks left out where they say nothing. Others
 * stay and are refused as unknown keys, because the command would not mean the same without them.
 */
function withInterpreter(
  value: Record<string, unknown>,
  proofKey: string,
  legacy: Modern['legacy'],
): Record<string, unknown> {
  const proof = value.proof_of_work;
  if (!isObject(proof) || !isObject(proof.shell)) return value;
  const { interpreter, flags, args, ...rest } = proof.shell;
  if (interpreter === undefined && flags === undefined && args === undefined) return value;
  const shell: Record<string, unknown> = { ...rest };
  const name = typeof interpreter === 'string' ? (interpreterNamed(interpreter) ?? interpreter) : interpreter;
  if (name !== undefined && name !== 'sh') shell.interpreter = name;
  for (const [key, written] of Object.entries({ flags, args })) {
    if (written === undefined) continue;
    const isEmpty =
      Array.isArray(written) && written.every((word) => key === 'flags' && HANDS_OVER.test(String(word)));
    if (isEmpty)
      legacy.push({ code: 'legacy-interpreter-flags', path: [proofKey, 'shell', key], args: { key } });
    else shell[key] = written;
  }
  return { ...value, proof_of_work: { ...proof, shell } };
}

/** `{cmd, timeout_seconds}` right in the proof, without an object for a type. */
function isFlatShell(proof: Record<string, unknown>): boolean {
  if (proof.type !== undefined && proof.type !== 'shell') return false;
  return 'cmd' in proof && !PROOF_TYPES.some((type) => type in proof);
}

function nestShell({
  cmd,
  timeout_seconds,
  type: _,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  return {
    type: 'shell',
    shell: timeout_seconds === undefined ? { cmd } : { cmd, timeout_seconds },
    ...rest,
  };
}

function withType(proof: Record<string, unknown>): Record<string, unknown> {
  if ('type' in proof) return proof;
  const [type, ...others] = PROOF_TYPES.filter((name) => name in proof);
  return type !== undefined && others.length === 0 ? { type, ...proof } : proof;
}

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
function interpreterNamed(word: string): string | undefined {
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

/** A duration in the largest unit that says it exactly. */
export function durationText(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds % SECONDS[each]! === 0) ?? 's';
  return `${seconds / SECONDS[unit]!}${unit}`;
}
