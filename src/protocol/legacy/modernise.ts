import { isObject } from '../../base/json.ts';
import { interpreterNamed } from '../block/fence.ts';
import type { Path } from '../block/value.ts';
import type { ProblemCode } from '../model.ts';
import { COMMAND_FLAG, PROOF_TYPES } from '../terms.ts';

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

/**
 * The interpreter under its canonical name, `sh` left out; `flags` and `args` of older blocks left out if they have no effect. Others
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
  // Written in a block, the flag that gives the command has no effect; others would change its meaning.
  const given = COMMAND_FLAG[String(name ?? 'sh')];
  for (const [key, written] of Object.entries({ flags, args })) {
    if (written === undefined) continue;
    const isEmpty = Array.isArray(written) && written.every((word) => key === 'flags' && word === given);
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
