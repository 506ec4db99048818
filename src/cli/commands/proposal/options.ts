export interface AnswerOptions {
  key?: string;
  statement?: string;
  signature?: string;
  /** Of a denial. */
  reason?: string;
}
