import { sha256Hex } from '../base/canonical.ts';
import { isObject, own } from '../base/json.ts';
import { cleanText, type EntryData } from '../ledger/entry.ts';
import type { ProofOfWork } from '../protocol/schema.ts';
import { type ProofFacts, type ProofTools, rejectProof, type Verdict } from './verdict.ts';

type ShellDemand = Extract<ProofOfWork, { type: 'shell' }>;

/**
 * The result of a command. In this order: the time-out (flagged, or a duration over `timeout_seconds`), whether it was started and
 * ended by itself, the exit code, the pattern in stdout (without its last line feed). Kept: `exit_code`, `stdout`, `stderr`, `duration_ms`.
 */
export function validateShell(
  { shell: demand }: ShellDemand,
  payload: unknown,
  _facts: ProofFacts,
  { patterns }: ProofTools,
): Verdict {
  if (!isObject(payload)) {
    return rejectProof('MISSING_FIELD', 'solution.shell is missing: it must be an object with exit_code.');
  }
  const duration = own(payload, 'duration_seconds') ?? null;
  if (duration !== null && !isDuration(duration)) {
    return rejectProof(
      'MISSING_FIELD',
      'solution.shell.duration_seconds must be a number of seconds, or left out.',
    );
  }
  if (own(payload, 'timed_out') === true || (duration !== null && duration > demand.timeout_seconds)) {
    return rejectProof('COMMAND_TIMED_OUT', `The command ran longer than ${demand.timeout_seconds} s.`);
  }
  const exitCode = own(payload, 'exit_code');
  if (typeof exitCode !== 'number' || !Number.isSafeInteger(exitCode)) {
    return rejectProof(
      'MISSING_FIELD',
      'solution.shell.exit_code must be the exit code of the command, a whole number.',
    );
  }
  for (const name of ['stdout', 'stderr'] as const) {
    const output = own(payload, name) ?? null;
    if (output !== null && typeof output !== 'string') {
      return rejectProof('MISSING_FIELD', `solution.shell.${name} must be a string, or left out.`);
    }
  }
  if (own(payload, 'not_started') === true)
    return rejectProof('COMMAND_FAILED', 'The command could not be started.');
  if (typeof own(payload, 'signal') === 'string')
    return rejectProof('COMMAND_FAILED', 'A signal ended the command, so its exit code proves nothing.');
  if (exitCode !== demand.expect_exit_code) {
    return rejectProof(
      'COMMAND_FAILED',
      `The command ended with exit code ${exitCode}; ${demand.expect_exit_code} is expected.`,
    );
  }
  const missing =
    demand.stdout_matches === undefined ? null : unmatched(demand.stdout_matches, payload, patterns);
  if (missing !== null)
    return {
      ...rejectProof('COMMAND_FAILED', missing),
      wanted: { stdout_matches: cleanText(demand.stdout_matches ?? '') },
    };
  return {
    ok: true,
    proof: {
      exit_code: exitCode,
      ...keptOutput('stdout', payload),
      ...keptOutput('stderr', payload),
      ...(duration === null ? {} : { duration_ms: Math.round(duration * 1000) }),
    },
  };
}

/** The result of a command, with secrets redacted in its outputs. A digest is of the kept text: it doesn't help to guess a secret. */
export function redactedShell(payload: unknown, redact: (text: string) => string): unknown {
  if (!isObject(payload)) return payload;
  const names = (['stdout', 'stderr'] as const).filter((name) => typeof own(payload, name) === 'string');
  const old = names.flatMap((name) => (isCut(name, payload) ? [] : [`${name}_bytes`, `${name}_sha256`]));
  return Object.fromEntries(
    Object.entries(payload)
      .filter(([key]) => !old.includes(key))
      .map(([key, value]) => [key, names.includes(key as 'stdout') ? redact(String(value)) : value]),
  );
}

/** What is kept of a command whose proof is refused: everything that can be read of it. */
export function keptOfShell(payload: unknown): EntryData {
  if (!isObject(payload)) return {};
  const exitCode = own(payload, 'exit_code');
  return {
    ...(Number.isSafeInteger(exitCode) ? { exit_code: exitCode as number } : {}),
    ...keptOutput('stdout', payload),
    ...keptOutput('stderr', payload),
  };
}

function unmatched(
  pattern: string,
  payload: Record<string, unknown>,
  patterns: ProofTools['patterns'],
): string | null {
  if (!patterns.usable(pattern)) {
    return 'The stdout_matches of this step is not a pattern of RE2, so nothing matches it: the step has to be updated.';
  }
  const stdout = own(payload, 'stdout');
  if (typeof stdout !== 'string') {
    return 'solution.shell.stdout is missing: the stdout_matches of the challenge is searched in it.';
  }
  if (isCut('stdout', payload)) return CUT;
  const isFound = patterns.search(pattern, stdout.replace(/\r?\n$/, ''));
  if (isFound === undefined)
    return 'The stdout_matches of the challenge is too slow for this output, so the search was ended. Let the command print less, or update the step with a simpler pattern.';
  return isFound ? null : 'The stdout_matches of the challenge is not found in the output of the command.';
}

/** The remedy is the author's. */
const CUT =
  'The output of the command is cut, so stdout_matches cannot be searched in it: it was longer than 8 MiB, or it was cut before it came. Let the command print less, such as only the lines that matter.';

/** Long enough for any command, short enough that its milliseconds are an exact integer. */
const MAX_SECONDS = 1e12;
function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_SECONDS;
}

/** How many bytes of an output are kept at either end (SPEC 5). */
export const KEPT_BYTES = 64 * 1024;

/** Room for the line between head and tail of an output that came cut already. */
const MARGIN = 128;

/**
 * The kept part of a command's output: all of it up to twice 64 KiB of UTF-8, else its head and tail with a
 * line between them, the full length (`stdout_bytes`) and the digest (`stdout_sha256`). An output that was
 * already cut includes both, which are kept.
 */
export function keptOutput(name: 'stdout' | 'stderr', payload: Record<string, unknown>): EntryData {
  const given = own(payload, name);
  if (typeof given !== 'string') return {};
  const text = cleanText(given);
  const bytes = Buffer.from(text);
  const known = measured(name, payload);
  if (bytes.length <= 2 * KEPT_BYTES + (known === null ? 0 : MARGIN)) return { [name]: text, ...known };
  const head = bytes.subarray(0, boundary(bytes, KEPT_BYTES)).toString();
  const tail = bytes.subarray(boundary(bytes, bytes.length - KEPT_BYTES)).toString();
  const dropped = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return {
    [name]: `${head}\n[... ${dropped} bytes left out ...]\n${tail}`,
    ...(known ?? { [`${name}_bytes`]: bytes.length, [`${name}_sha256`]: sha256Hex(bytes) }),
  };
}

/** Whether an output lacks its middle: it is shorter than its recorded length. */
export function isCut(name: 'stdout' | 'stderr', payload: Record<string, unknown>): boolean {
  const [text, known] = [own(payload, name), measured(name, payload)];
  if (typeof text !== 'string' || known === null) return false;
  const [bytes, full] = [Buffer.byteLength(text), Number(known[`${name}_bytes`])];
  return full > bytes && bytes <= 2 * KEPT_BYTES + MARGIN && (full > 2 * KEPT_BYTES || GAP.test(text));
}

const GAP = /\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/;

function measured(name: string, payload: Record<string, unknown>): EntryData | null {
  const length = own(payload, `${name}_bytes`);
  const digest = own(payload, `${name}_sha256`);
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return null;
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) return null;
  return { [`${name}_bytes`]: length, [`${name}_sha256`]: digest };
}

/** The nearest offset at or before `at` that does not split a character of UTF-8. */
function boundary(bytes: Buffer, at: number): number {
  let offset = at;
  while (offset > 0 && ((bytes[offset] ?? 0) & 0xc0) === 0x80) offset -= 1;
  return offset;
}
