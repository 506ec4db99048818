import type { ParseResult } from '../protocol/model.ts';
import { type Analysis, analyse, levelOf, report } from './analyse.ts';
import { applyDirectives } from './directives/apply.ts';
import { compareMessages, compareText, type Level, type LintResult } from './message.ts';
import type { DocumentFacts, LintRule } from './rule.ts';
import { LINT_RULES } from './rules/index.ts';

interface LintSettings {
  /** Severities by rule id; a rule that is not named has its own. */
  severities?: ReadonlyMap<string, Level>;
  /** Whether directives in the text count. Default true. */
  inlineConfig?: boolean;
  /**
   * Whether safety rules apply regardless of severities and directives, as when a document is minted. Default
   * false.
   */
  enforceSafety?: boolean;
  /** Default: all. */
  rules?: readonly LintRule[];
}

interface LintSourceOptions {
  path?: string;
  settings?: LintSettings;
  /** Whether a path relative to the document's folder exists; absent when the document has no place on disk. */
  exists?: (path: string) => boolean;
  /** Of the same text, where it was parsed before. */
  parsed?: ParseResult;
  /** For running the rules, in milliseconds, where others wait for it. Throws TimeLimitExceeded. Default: no limit. */
  limitMs?: number;
}

/**
 * Checks one document. Pure except for lazy loading of code: the same text and settings give the same
 * messages.
 */
export async function lintSource(source: string, options: LintSourceOptions = {}): Promise<LintResult> {
  const { path, settings = {}, exists, parsed, limitMs } = options;
  const rules = settings.rules ?? LINT_RULES;
  const enforced = new Set(
    settings.enforceSafety ? rules.filter(({ alwaysOn }) => alwaysOn).map(({ id }) => id) : [],
  );
  const severities = new Map([...(settings.severities ?? [])].filter(([id]) => !enforced.has(id)));
  const analysis = await analyse(source, {
    rules,
    severities,
    inlineConfig: settings.inlineConfig ?? true,
    ...(path === undefined ? {} : { path }),
    ...(exists === undefined ? {} : { exists }),
    ...(parsed === undefined ? {} : { parsed }),
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  compareDocuments([analysis], rules);
  return settle(analysis, rules, enforced);
}

/**
 * The last phase: directives suppress what they disable, rules about directives run, messages get their
 * order. Messages of `enforced` rules are never suppressed.
 */
export function settle(
  analysis: Analysis,
  rules: readonly LintRule[],
  enforced: ReadonlySet<string> = NONE,
): LintResult {
  const { path, directed } = analysis;
  const result: LintResult = { path, messages: analysis.messages, suppressed: [] };
  if (directed !== null) {
    const { source, directives, check } = directed;
    const relaxed = applyDirectives(source, analysis.messages, directives, enforced);
    analysis.messages = relaxed.messages;
    for (const rule of rules) {
      if (rule.last && levelOf(rule, analysis.severities) !== 'off') check(rule);
    }
    result.messages = analysis.messages;
    result.suppressed = relaxed.suppressed.map((suppressed) => ({ ...suppressed, by: 'directive' }));
  }
  result.messages.sort(compareMessages);
  return result;
}

const NONE: ReadonlySet<string> = new Set();

/** The second phase: rules compare the facts of all documents, and add messages to each. */
export function compareDocuments(documents: readonly Analysis[], rules: readonly LintRule[]): void {
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
