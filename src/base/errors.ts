/** Codes of errors that end an operation. Run errors (`walk-codes.ts`) are ordinary results instead. */
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
