import type { Finding } from './findings.ts';

/**
 * What lint says of a document that is minted, advice left out. Directives in the text count, but not for the safety
 * rules: who mints has to hear of those whatever the author wrote.
 */
export async function lintFindings(source: string): Promise<Finding[]> {
  const { lintSource } = await import('../lint/lint-source.ts');
  const { messages } = await lintSource(source, { settings: { enforceSafety: true } });
  return messages
    .filter(({ severity }) => severity !== 'info')
    .map(({ ruleId, severity, reason, place }) => ({
      ruleId,
      severity,
      reason,
      line: place.start.line,
      column: place.start.column,
    }));
}
