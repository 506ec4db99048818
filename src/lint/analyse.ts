import type { ParseResult } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { documentFacts, ruleContext } from './context.ts';
import type { Directive } from './directives/directive.ts';
import { findComments } from './facts/comments.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isProtocol } from './is-protocol.ts';
import type { Level, LintMessage } from './message.ts';
import type { Finding, Rule, RuleContext } from './rule.ts';
import { ruleUrl } from './rule-url.ts';
import { RULES } from './rules/index.ts';

export interface AnalyseOptions {
  path?: string;
  rules: readonly Rule[];
  /** By rule id; a rule that is not named has its own severity. */
  severities: ReadonlyMap<string, Level>;
  inlineConfig: boolean;
  /** Whether messages get fingerprints. Default false. */
  fingerprints?: boolean;
  /** Whether a path relative to the document's folder exists; absent when the document has no place on disk. */
  exists?: (path: string) => boolean;
}

/** What one pass over a document gives, before directives are heard. */
export interface Analysis {
  path: string | undefined;
  /** Whether the document is a protocol, or tries to be one. */
  isProtocol: boolean;
  messages: LintMessage[];
  /** By rule id: what rules remember for the comparison of documents. */
  collected: Map<string, unknown>;
  levelOf(rule: Rule): Level;
  /** Of the finding of a rule at an offset; undefined where nobody asked for it. */
  fingerprint(ruleId: string, offset: number): string | undefined;
  /** Kept only where the text holds directives: thousands of documents may wait for their comparison. */
  directed: Directed | null;
}

export interface Directed {
  source: string;
  directives: readonly Directive[];
  /** What a rule is given that reports to this document. */
  contextFor(rule: Rule): RuleContext;
}

/** Parses a document once and lets every rule that is not off look at it, but for those that come last. */
export async function analyse(source: string, options: AnalyseOptions): Promise<Analysis> {
  const { path, rules, severities, inlineConfig, fingerprints = false, exists } = options;
  const parsed = await parseProtocol(source, path === undefined ? {} : { path });
  const levelOf = (rule: Rule): Level => severities.get(rule.id) ?? rule.severity;
  const facts = documentFacts(parsed, {
    rules: RULES,
    level: levelOf,
    inlineConfig,
    comments: isReadable(parsed) ? await findComments(source) : [],
    locateInYaml: hasYaml(parsed) ? (await import('./facts/yaml-places.ts')).locateInYaml : null,
    ...(exists === undefined ? {} : { exists }),
  });
  const analysis: Analysis = {
    path,
    isProtocol: isProtocol(parsed),
    messages: [],
    collected: new Map(),
    levelOf,
    fingerprint: fingerprints ? (ruleId, offset) => fingerprintOf(ruleId, source, offset) : () => undefined,
    directed: null,
  };
  const contextFor = (rule: Rule) => ruleContext(facts, (finding) => report(analysis, rule, finding));
  for (const rule of rules) {
    if (rule.last || levelOf(rule) === 'off') continue;
    const context = contextFor(rule);
    rule.check(context);
    const remembered = rule.across?.collect(context) ?? null;
    if (remembered !== null) analysis.collected.set(rule.id, remembered);
  }
  const { directives } = facts;
  if (directives.length > 0) analysis.directed = { source, directives, contextFor };
  return analysis;
}

/** Adds what a rule reports to a document's messages, unless the rule is off there. */
export function report(analysis: Analysis, rule: Rule, finding: Finding): void {
  const severity = analysis.levelOf(rule);
  if (severity === 'off') return;
  const fingerprint = analysis.fingerprint(rule.id, finding.place.start.offset);
  analysis.messages.push({
    ...finding,
    ruleId: rule.id,
    source: 'kairos',
    severity,
    fatal: { error: true, warning: false, info: null }[severity],
    url: ruleUrl(rule.id),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
}

/** Whether the text could be taken apart at all. */
function isReadable({ messages }: ParseResult): boolean {
  return !messages.some(({ code }) => code.startsWith('document-'));
}

function hasYaml({ document }: ParseResult): boolean {
  return document.chains.some(({ steps }) => steps.some(({ block }) => block?.format === 'yaml'));
}
