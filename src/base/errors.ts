/** Codes of errors that end an operation. Run errors (`WALK_ERROR_CODES`) are ordinary results instead. */
export type ErrorCode =
  | 'NOT_FOUND'
  | 'DUPLICATE_CHAIN'
  | 'IMPORT_CONFLICT'
  | 'SIMILAR_MEMORY_FOUND'
  | 'PROTOCOL_INVALID'
  | 'INVALID_SLUG'
  | 'INVALID_INPUT'
  | 'STORE_UNAVAILABLE'
  | 'STORE_DAMAGED'
  | 'READ_ONLY'
  | 'RUN_NOT_FOUND'
  | 'RUN_PRUNED'
  | 'UNTRUSTED'
  | 'HANDOVER_REFUSED'
  | 'USAGE'
  | 'FILE_UNREADABLE'
  | 'FILE_UNWRITABLE'
  | 'KEY_UNUSABLE'
  | 'POLICY_UNUSABLE'
  | 'EMBEDDING_FAILED'
  | 'INTERNAL';

export interface KairosErrorOptions {
  /** What to do about it, in one sentence. */
  hint?: string;
  /** Documentation page that explains it. */
  url?: string;
  cause?: unknown;
  /** Machine-readable details, for example the lint findings of a rejected document. */
  data?: unknown;
}

/** The only error class. Programs match on `code`; `message` and `hint` are for people. */
export class KairosError extends Error {
  override readonly name = 'KairosError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly url: string | undefined;
  readonly data: unknown;
  /** The call named something that can't be used, and nothing was begun: the command line ends with 2. */
  isUsage = false;

  /** By name, since the pieces of the bundle have copies of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'KairosError';
  }

  constructor(code: ErrorCode, message: string, options: KairosErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.url = options.url;
    this.data = options.data;
  }
}

const UNREADABLE: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by you',
  EPERM: 'may not be read by you',
  EISDIR: 'is a directory',
  ELOOP: 'is a circle of links',
  ENAMETOOLONG: 'is too long for the name of a file',
  ENXIO: 'is not a file',
};

/** The FILE_UNREADABLE for a file or folder, with the reason that the file system gave. */
export function unreadableFile(
  name: string,
  error: unknown,
  hint = 'Check the path and its permissions.',
): KairosError {
  const { code, message } = error as Error & { code?: string };
  const reason = UNREADABLE[code ?? ''] ?? `cannot be read: ${message}`;
  return new KairosError('FILE_UNREADABLE', `${name} ${reason}`, { hint, cause: error });
}

/** The part of a YAML library's error that is used. */
interface YamlProblem {
  message: string;
  code?: string;
  linePos?: readonly { line: number; col: number }[] | undefined;
}

/** The reason and place of a YAML error in one line, without the library's repeated place and excerpt. */
export function yamlFault({ message, code, linePos }: YamlProblem): string {
  const first = message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
  // The library gives advice to programmers here.
  const own = code === 'MULTIPLE_DOCS' ? 'a second document begins here (---), and a file has one' : first;
  const reason = first === 'Maximum call stack size exceeded' ? 'it is nested too deeply' : own;
  const [start] = linePos ?? [];
  return start === undefined ? reason : `line ${start.line}, column ${start.col}: ${reason}`;
}

/** Codes of run errors, which are ordinary results (SPEC 2). */
export const RUN_ERROR_CODES = [
  'MISSING_PROOF',
  'MISSING_FIELD',
  'NONCE_MISMATCH',
  'PROOF_HASH_MISMATCH',
  'TYPE_MISMATCH',
  'COMMAND_FAILED',
  'COMMAND_TIMED_OUT',
  'OUTPUT_MISMATCH',
  'CAPTURE_FAILED',
  'MCP_TOOL_MISMATCH',
  'MCP_ARGUMENTS_MISMATCH',
  'MCP_RESULT_MISMATCH',
  'TOOL_FAILED',
  'USER_DECLINED',
  'ELICITATION_FAILED',
  'SAMPLING_FAILED',
  'SAMPLING_INVALID_OUTPUT',
  'COMMENT_TOO_SHORT',
  'COMMENT_TRIVIAL',
  'ASSURANCE_TOO_LOW',
  'CLAIM_CONTRADICTED',
  'EFFECT_EXCEEDED',
  'PROPOSAL_REQUIRED',
  'PROPOSAL_DENIED',
  'PROPOSAL_ON_HOLD',
  'INPUT_REQUIRED',
  'NOT_FIRST_STEP',
  'OUT_OF_ORDER',
  'RUN_NOT_FOUND',
  'AMBIGUOUS_RUN',
  'RUN_CLOSED',
  'CONFLICT',
  'MAX_RETRIES_EXCEEDED',
] as const;
export type RunErrorCode = (typeof RUN_ERROR_CODES)[number];

/**
 * The known word nearest to the given one, or undefined when none is near. Near means at most one slip in
 * three letters (letters added, left out, replaced, neighbours swapped), ignoring case, or that one word is a
 * prefix of the other.
 */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    const isPart = wanted.length > 2 && (other.startsWith(wanted) || wanted.startsWith(other));
    const distance = isPart ? Math.min(limit, slips(wanted, other)) : slips(wanted, other);
    if (distance > limit || distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** The hint for an unknown word: the one that was meant, else all of them after a title. */
export function meantOrAll(word: string, title: string, known: readonly string[]): string {
  const meant = suggest(word, known);
  return meant === undefined ? `${title}: ${known.join(', ')}.` : `Did you mean ${meant}?`;
}

/** Restricted Damerau-Levenshtein distance, in UTF-16 units. */
export function slips(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
