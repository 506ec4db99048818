import { compareDocuments } from './across.ts';
import { analyse } from './analyse.ts';
import type { Level, LintResult } from './message.ts';
import type { Rule } from './rule.ts';
import { RULES } from './rules/index.ts';
import { settle } from './settle.ts';

export interface LintSettings {
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
  rules?: readonly Rule[];
}

export interface LintSourceOptions {
  path?: string;
  settings?: LintSettings;
  /** Whether a path relative to the document's folder exists; absent when the document has no place on disk. */
  exists?: (path: string) => boolean;
}

/**
 * Checks one document. Pure except for lazy loading of code: the same text and settings give the same
 * messages.
 */
export async function lintSource(source: string, options: LintSourceOptions = {}): Promise<LintResult> {
  const { path, settings = {}, exists } = options;
  const rules = settings.rules ?? RULES;
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
  });
  compareDocuments([analysis], rules);
  return settle(analysis, rules, enforced);
}
