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

  constructor(code: ErrorCode, message: string, options: KairosErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.url = options.url;
    this.data = options.data;
  }
}

/** The part of a YAML library's error that is used. */
interface YamlProblem {
  message: string;
  linePos?: readonly { line: number; col: number }[] | undefined;
}

/** The reason and place of a YAML error in one line, without the library's repeated place and excerpt. */
export function yamlFault({ message, linePos }: YamlProblem): string {
  const reason = message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
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
