import { withinTime } from '../base/json-schema.ts';
import type { LocateValue } from '../formats/json/places.ts';
import type { ParseResult, ProblemCode } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { fingerprintOf } from './baseline.ts';
import { type RuleContextOptions, ruleContext } from './context.ts';
import type { Directive } from './directives/directive.ts';
import { findComments, findLinks } from './facts/links.ts';
import type { Level, LintMessage } from './message.ts';
import {
  type AcrossDocuments,
  type LintRule,
  type RuleContext,
  type RuleFinding,
  type RuleSubject,
  ruleUrl,
} from './rule.ts';
import { LINT_RULES } from './rules/index.ts';

export interface AnalyseOptions {
  path?: string;
  rules: readonly LintRule[];
  /** By rule id; a rule that is not named has its own severity. */
  severities: ReadonlyMap<string, Level>;
  inlineConfig: boolean;
  /** Whether messages get fingerprints. Default false. */
  fingerprints?: boolean;
  /** Whether a path relative to the document's folder exists; absent when the document has no place on disk. */
  exists?: (path: string) => boolean;
  /** Of the same text, where it was parsed before. */
  parsed?: ParseResult;
  /** For running the rules, in milliseconds. Default: no limit. */
  limitMs?: number;
}

/**
 * The result of linting one document, before directives apply. Lint keeps thousands of these to compare documents, so
 * each keeps its text or tree only if it must.
 */
export interface Analysis {
  path: string | undefined;
  /** Whether the document is a protocol, or tries to be one. */
  isProtocol: boolean;
  messages: LintMessage[];
  /** By rule id: the facts that rules need to compare documents. */
  collected: Map<string, unknown> | null;
  severities: ReadonlyMap<string, Level>;
  /** The text, where findings get fingerprints. */
  fingerprinted: string | null;
  directed: Directed | null;
}

/** What is kept of a document with directives. */
export interface Directed {
  source: string;
  directives: readonly Directive[];
  /** Lets a rule look at the document; it reports to the analysis. */
  check(rule: LintRule): void;
}

/** Parses a document once and runs every enabled rule on it, except those of the last phase. */
export async function analyse(source: string, options: AnalyseOptions): Promise<Analysis> {
  const { path, exists, limitMs } = options;
  const parsed = options.parsed ?? (await parseProtocol(source, path === undefined ? {} : { path }));
  const comments = isReadable(parsed) ? await findComments(source) : [];
  const links = exists === undefined ? [] : await findLinks(source);
  const facts: Facts = { parsed, comments, links };
  const look = () => check(source, facts, options);
  const lookInTime = limitMs === undefined ? look : () => withinTime(look, limitMs);
  try {
    return lookInTime();
  } catch (error) {
    if (error !== YAML_IS_NEEDED) throw error;
    // For rules on YAML blocks, the places of its values are found first.
    yaml = (await import('../formats/yaml.ts')).locateInYaml;
    return lookInTime();
  }
}

/** What has to be waited for is found before any rule looks. */
interface Facts extends Pick<RuleContextOptions, 'comments' | 'links'> {
  parsed: ParseResult;
}

/** Loaded when a rule asks first. */
let yaml: LocateValue = () => {
  throw YAML_IS_NEEDED;
};
const YAML_IS_NEEDED = new Error('the places of YAML values are not loaded');

function check(source: string, { parsed, comments, links }: Facts, options: AnalyseOptions): Analysis {
  const { path, rules, severities, inlineConfig, fingerprints = false, exists } = options;
  const analysis: Analysis = {
    path,
    isProtocol: isProtocol(parsed),
    messages: [],
    collected: null,
    severities,
    fingerprinted: fingerprints ? source : null,
    directed: null,
  };
  let turn: LintRule | undefined;
  const context = ruleContext(parsed, {
    rules: LINT_RULES,
    level: (rule) => levelOf(rule, severities),
    report: (finding) => report(analysis, turn!, finding),
    inlineConfig,
    comments,
    links,
    locateInYaml: (text, place) => yaml(text, place),
    ...(exists === undefined ? {} : { exists }),
  });
  const look = (rule: LintRule) => {
    turn = rule;
    rule.check(context);
  };
  const holds = subjectsOf(context);
  for (const { rule, about, across } of rulesThatLook(rules, severities)) {
    if (about === null || holds[about]) look(rule);
    const facts = across?.collect(context) ?? null;
    if (facts === null) continue;
    analysis.collected ??= new Map();
    analysis.collected.set(rule.id, facts);
  }
  const { directives } = context;
  if (directives.length > 0) analysis.directed = { source, directives, check: look };
  return analysis;
}

/** Which rules need not be asked. */
function subjectsOf({ problems, steps }: RuleContext): Record<RuleSubject, boolean> {
  return {
    problems: problems.length > 0,
    proposals: steps.some(({ step }) => step.block?.value.proposal !== undefined),
  };
}

/** What is asked of a rule for every document, in objects that are all alike. */
interface Looking {
  rule: LintRule;
  about: RuleSubject | null;
  across: AcrossDocuments | null;
}

/** Rules that are not off and do not come last. The same for thousands of documents, so that it is found out once. */
function rulesThatLook(
  rules: readonly LintRule[],
  severities: ReadonlyMap<string, Level>,
): readonly Looking[] {
  if (looking.rules !== rules || looking.severities !== severities) {
    const those = rules
      .filter((rule) => !rule.last && levelOf(rule, severities) !== 'off')
      .map((rule) => ({ rule, about: rule.about ?? null, across: rule.across ?? null }));
    looking = { rules, severities, those };
  }
  return looking.those;
}

let looking: { rules: unknown; severities: unknown; those: readonly Looking[] } = {
  rules: null,
  severities: null,
  those: [],
};

/** Adds what a rule reports to a document's messages, unless the rule is off there. */
export function report(analysis: Analysis, rule: LintRule, finding: RuleFinding): void {
  const { severities, fingerprinted, messages } = analysis;
  const severity = levelOf(rule, severities);
  if (severity === 'off') return;
  messages.push({
    ...finding,
    ruleId: rule.id,
    source: 'kairos',
    severity,
    fatal: FATAL[severity],
    url: ruleUrl(rule.id),
    ...(fingerprinted === null
      ? {}
      : { fingerprint: fingerprintOf(rule.id, fingerprinted, finding.place.start.offset) }),
  });
}

/** The severity of a rule: the configured one, else its own. */
export function levelOf(rule: LintRule, severities: ReadonlyMap<string, Level>): Level {
  return severities.get(rule.id) ?? rule.severity;
}

const FATAL = { error: true, warning: false, info: null } as const;

/** Whether the text could be parsed at all. */
function isReadable({ messages }: ParseResult): boolean {
  return !messages.some(({ code }) => code.startsWith('document-'));
}

/**
 * Whether a document is a protocol or tries to be one: it has a step block or a proof line, something that looks like one but
 * can't be used, or an H2 "Natural Language Triggers" or "Completion Rule". Frontmatter alone makes no protocol, because
 * `slug`, `version`, `title` and `tags` are keys of many tools. Any other document is prose.
 */
export function isProtocol({ document, messages }: ParseResult): boolean {
  const { chains, source } = document;
  const isMarked = chains.some(
    ({ steps, triggers, completionRule }) =>
      triggers !== null || completionRule !== null || steps.some(({ block }) => block !== null),
  );
  return isMarked || messages.some(({ code }) => tries(code, source));
}

/** Whether a text that couldn't be parsed mentions what only protocols have. */
export function mentionsProof(source: string): boolean {
  return (
    /\b(?:proof_of_work|challenge|proposal)\b["']?\s{0,20}:|PROOF OF WORK/i.test(source) ||
    METADATA.test(source)
  );
}

const METADATA = /^ {0,3}##[ \t]+(?:natural language triggers|completion rule)[ \t]*#*[ \t]*$/im;

function tries(code: ProblemCode, source: string): boolean {
  if (code === 'no-h1') return METADATA.test(source);
  if (code.startsWith('document-') || HIDES_THE_REST.has(code)) return mentionsProof(source);
  return code.startsWith('block-') || code.startsWith('legacy-');
}

/** Problems that keep the rest of a document from being read as its author meant it. */
const HIDES_THE_REST: ReadonlySet<ProblemCode> = new Set([
  'frontmatter-unreadable',
  'frontmatter-unterminated',
]);
