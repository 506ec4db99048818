export interface WordList {
  words: { match: RegExp; instead: string }[];
  fixed: RegExp | null;
  data: ReadonlySet<string>;
}

export interface Finding {
  line: number;
  column: number;
  found: string;
  instead: string;
}

export function readWords(yaml?: string): WordList;
export function checkText(path: string, source: string, list: WordList): Finding[];
export function readExceptions(text: string): Map<string, number>;
export function compare(
  counts: ReadonlyMap<string, number>,
  exceptions: ReadonlyMap<string, number>,
): { file: string; count: number; listed: number }[];
export function updated(
  counts: ReadonlyMap<string, number>,
  exceptions: ReadonlyMap<string, number>,
): string | null;
