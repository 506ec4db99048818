export interface AnswerOptions {
  key?: string;
  statement?: string;
  signature?: string;
  /** Of a denial. */
  reason?: string;
}

export interface RequestOptions {
  out?: string;
}

export interface SignOptions {
  key: string;
  deny?: boolean;
  /** Of a denial. */
  reason?: string;
  out?: string;
}
