import type { Analysis, Severities } from './analyse.ts';
import { toMessage } from './analyse.ts';
import type { DocumentFacts, Rule } from './rule.ts';

/** A document of a call, with the severities that hold for it. */
export interface Analysed {
  analysis: Analysis;
  severities: Severities;
}

/** The second phase: rules compare what they remember of all documents, and add to the messages of each. */
export function compareDocuments(documents: readonly Analysed[], rules: readonly Rule[]): void {
  const sorted = documents.toSorted(({ analysis: a }, { analysis: b }) =>
    comparePaths(a.path ?? '', b.path ?? ''),
  );
  const byPath = new Map(sorted.map((document) => [document.analysis.path, document]));
  for (const rule of rules) {
    if (rule.across === undefined) continue;
    const facts = sorted.flatMap(({ analysis: { path, collected } }): DocumentFacts<unknown>[] =>
      collected.has(rule.id) ? [{ path, facts: collected.get(rule.id) }] : [],
    );
    rule.across.check(facts, (path, finding) => {
      const document = byPath.get(path);
      const level = document?.severities.get(rule.id) ?? rule.severity;
      if (level !== 'off') document?.analysis.messages.push(toMessage(rule, level, finding));
    });
  }
}

/** By UTF-16 units, the same in every locale. */
function comparePaths(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
