import type { Finding } from './findings.ts';

/**
 * What lint says of a document that is minted, advice left out. Directives in the text count, but not for the safety
 * rules: who mints has to hear of those whatever the author wrote.
 */
export async function lintFindings(source: string): Promise<Finding[]> {
  const [{ lintSource }, { RULES }] = await Promise.all([
    import('../lint/lint-source.ts'),
    import('../lint/rules/index.ts'),
  ]);
  const always = new Set(RULES.filter(({ alwaysOn }) => alwaysOn).map(({ id }) => id));
  const { messages, suppressed } = await lintSource(source);
  const excused = suppressed.map(({ message }) => message).filter(({ ruleId }) => always.has(ruleId));
  return [...messages, ...excused]
    .filter(({ severity }) => severity !== 'info')
    .map(({ ruleId, severity, reason, place }) => ({
      ruleId,
      severity,
      reason,
      line: place.start.line,
      column: place.start.column,
    }));
}
