import type { ParseResult } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { documentFacts, ruleContext } from './context.ts';
import type { Level, LintMessage } from './message.ts';
import type { Finding, Rule } from './rule.ts';
import { ruleUrl } from './rule-url.ts';

/** The severities that hold for a document; a rule that is not named has its own. */
export type Severities = ReadonlyMap<string, Level>;

export interface AnalyseOptions {
  path?: string;
  rules: readonly Rule[];
  severities: Severities;
  /** Whether a path relative to the document's folder exists; absent when the document has no place on disk. */
  exists?: (path: string) => boolean;
}

/** What one pass over a document gives. */
export interface Analysis {
  path: string | undefined;
  parsed: ParseResult;
  /** In the order of the rules. */
  messages: LintMessage[];
  /** By rule id: what rules remember for the comparison of documents. */
  collected: Map<string, unknown>;
}

/** Parses a document once and lets every rule that is not off look at it. */
export async function analyse(source: string, options: AnalyseOptions): Promise<Analysis> {
  const { path, rules, severities, exists } = options;
  const parsed = await parseProtocol(source, path === undefined ? {} : { path });
  const hasYaml = parsed.document.chains.some(({ steps }) =>
    steps.some(({ block }) => block?.format === 'yaml'),
  );
  const locateInYaml = hasYaml ? (await import('./facts/yaml-places.ts')).locateInYaml : null;
  const facts = documentFacts(parsed, { locateInYaml, ...(exists === undefined ? {} : { exists }) });
  const analysis: Analysis = { path, parsed, messages: [], collected: new Map() };
  for (const rule of rules) {
    const level = severities.get(rule.id) ?? rule.severity;
    if (level === 'off') continue;
    const context = ruleContext(facts, (finding) => analysis.messages.push(toMessage(rule, level, finding)));
    rule.check(context);
    const remembered = rule.across?.collect(context) ?? null;
    if (remembered !== null) analysis.collected.set(rule.id, remembered);
  }
  return analysis;
}

/** Turns what a rule reports into a message. */
export function toMessage(rule: Rule, severity: LintMessage['severity'], finding: Finding): LintMessage {
  return {
    ...finding,
    ruleId: rule.id,
    source: 'kairos',
    severity,
    fatal: severity === 'error' ? true : severity === 'warning' ? false : null,
    url: ruleUrl(rule.id),
  };
}
