export interface AnswerOptions {
  key?: string;
  statement?: string;
  signature?: string;
}
