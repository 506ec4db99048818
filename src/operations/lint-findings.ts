import type { Finding } from './findings.ts';

/**
 * The lint findings of a document to mint, without advice. Inline directives apply, except to the safety
 * rules, which are always reported.
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
