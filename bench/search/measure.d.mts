export interface ClassFigures {
  queries: number;
  misses: { query: string; title: string | null; place: number }[];
  recall1?: number;
  recall5?: number;
  mrr?: number;
  falseMatches?: number;
  clear: { given: number; wrong: number };
}
export function measure(
  queries: Record<string, { query: string; title: string | null }[]>,
  search: (query: string) => Promise<{ title: string; clear?: boolean }[]>,
): Promise<Record<string, ClassFigures>>;
