/** A value inside the text of a step block; ranges are half-open offsets of that text. */
export interface BlockValue {
  key: [start: number, end: number] | null;
  value: [start: number, end: number];
  /** Of a string: the range in which units of the decoded text are written; the whole value where that is not simple. */
  inside(from: number, to: number): [start: number, end: number];
}

export type LocateValue = (text: string, path: readonly (string | number)[]) => BlockValue | null;
