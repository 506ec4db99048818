import { type Analysis, report } from './analyse.ts';
import { compareText } from './message.ts';
import type { DocumentFacts, Rule } from './rule.ts';

/** The second phase: rules compare the facts of all documents, and add messages to each. */
export function compareDocuments(documents: readonly Analysis[], rules: readonly Rule[]): void {
  const sorted = documents.toSorted((a, b) => compareText(a.path ?? '', b.path ?? ''));
  const byPath = new Map(sorted.map((document) => [document.path, document]));
  for (const rule of rules) {
    if (rule.across === undefined) continue;
    const facts = sorted.flatMap(({ path, collected }): DocumentFacts<unknown>[] =>
      collected?.has(rule.id) ? [{ path, facts: collected.get(rule.id) }] : [],
    );
    rule.across.check(facts, (path, finding) => {
      const document = byPath.get(path);
      if (document === undefined)
        throw new Error(`${rule.id} reports on ${path}, which is not a document of this call`);
      report(document, rule, finding);
    });
  }
}
