import { readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { writeFileAtomically } from '../../host/files/write-file.ts';
import {
  applyBaseline,
  type Baseline,
  fingerprintsWithin,
  formatBaseline,
  makeBaseline,
  moveFindings,
  parseBaseline,
} from '../../lint/baseline.ts';
import { configurationFinder } from '../../lint/config/configuration.ts';
import { ignoreRules } from '../../lint/files/ignore-rules.ts';
import { oddFile } from '../../lint/files/read-document.ts';
import { LEVELS, type Level, type LintResult } from '../../lint/message.ts';
import { countFindings, type FileFailure, type LintReport } from '../../lint/report.ts';
import { type LintRule, ruleUrl } from '../../lint/rule.ts';
import { findRule, LINT_RULES } from '../../lint/rules/index.ts';
import { type FixedDocument, lintDocuments } from '../../lint/run.ts';
import { type LintInput, writeChanges } from './documents.ts';

/** What selects the configuration. */
export interface LintConfigOptions {
  /** False: no configuration; absent: the one of each folder. */
  config?: string | false;
  /** `ID=severity`; of two about one rule the last one counts. */
  rule?: readonly string[];
}

export interface LintCallOptions extends LintConfigOptions {
  /** Whether directives in the text count. */
  inlineConfig: boolean;
  /** For reporters that need them. */
  fingerprints: boolean;
  /** `write`: fix the files; `propose`: only show what fixes would change; null: fix nothing. */
  fix: 'write' | 'propose' | null;
  unsafeFixes?: boolean;
  /** File of accepted findings. */
  baseline?: string;
  /** Write all findings into the baseline. */
  updateBaseline?: boolean;
}

/** What a call of the linter found and did. */
export interface LintCallResult {
  /** Every rule there is, for reporters that describe them. */
  rules: readonly LintRule[];
  report: LintReport;
  changes: FixedDocument[];
  /** Names of documents that were written. */
  fixed: string[];
  /** Findings of the baseline that are no longer there. */
  gone: number;
  /** Findings that the baseline now knows by their fixed lines. */
  carried: number;
  /** The baseline that was written, and how many findings into it; null when none was. */
  accepted: { baseline: string; findings: number } | null;
}

/** Lints documents, fixes what is asked for, and applies the baseline. Throws if the call can't start. */
export async function lint(input: LintInput, options: LintCallOptions, cwd: string): Promise<LintCallResult> {
  const { fix } = options;
  const { report, changes } = await lintDocuments(input.documents, {
    rules: LINT_RULES,
    configurations: configurationsFor(options, cwd),
    cwd,
    inlineConfig: options.inlineConfig,
    fingerprints: options.baseline !== undefined || options.fingerprints,
    fix:
      fix === null
        ? null
        : { mode: fix === 'propose' ? 'propose' : 'mend', unsafe: options.unsafeFixes ?? false },
  });
  report.ignored += input.ignored;
  report.failures.push(...input.failures);
  const written = fix === 'write' && input.stdin === null ? writeChanges(changes) : NOTHING_WRITTEN;
  report.failures.push(...written.failures);

  const baseline = options.baseline ?? null;
  let accepted: LintCallResult['accepted'] = null;
  if (baseline !== null && options.updateBaseline) {
    const { errors, warnings, infos } = countFindings(report);
    await updateBaseline(report.results, baseline, cwd);
    accepted = { baseline, findings: errors + warnings + infos };
  }
  // A baseline that has just been written knows the fixed lines, and a proposal has fixed none.
  const isAsBefore = accepted !== null || fix === 'propose';
  const outcome = isAsBefore ? undefined : { changes, written: written.mended };
  const { gone, carried, failure } =
    baseline === null ? NO_BASELINE : await acceptBaseline(report.results, baseline, cwd, outcome);
  if (failure !== null) report.failures.push(failure);
  return { rules: LINT_RULES, report, changes, fixed: written.mended, gone, carried, accepted };
}

const NO_BASELINE: Accepted = { gone: 0, carried: 0, failure: null };
const NOTHING_WRITTEN: { mended: string[]; failures: FileFailure[] } = { mended: [], failures: [] };

/** The configurations that count in a call. Throws USAGE for a rule or severity that doesn't exist. */
export function configurationsFor({ config, rule }: LintConfigOptions, cwd: string) {
  return configurationFinder({
    rules: LINT_RULES,
    overrides: ruleOverrides(rule),
    ...(config === undefined ? {} : { file: config === false ? null : resolve(cwd, config) }),
  });
}

/** Reads `--rule ID=severity` values; of two about one rule the last one counts. Throws USAGE. */
function ruleOverrides(values: readonly string[] = []): Map<string, Level> {
  return new Map(
    values.map((value) => {
      const [id = '', level = ''] = value.split('=');
      const rule = findRule(id);
      if (!LEVELS.includes(level as Level)) {
        throw new KairosError('USAGE', `--rule ${value}: the severity is one of ${LEVELS.join(', ')}`, {
          hint: `For example --rule ${rule.id}=warning.`,
        });
      }
      return [rule.id, level as Level];
    }),
  );
}

/** What a rule is about, with its examples. Throws USAGE for an unknown rule. */
export async function explainRule(id: string) {
  const { family, severity, summary, why, fixable = false as const } = findRule(id);
  const { examplesOfRule } = await import('../../lint/rules/examples/index.ts');
  return { id, family, severity, summary, why, fixable, url: ruleUrl(id), examples: examplesOfRule(id) };
}

/** What is configured for a file, every rule included. */
export async function configurationOf(name: string, options: LintConfigOptions, cwd: string) {
  const file = resolve(cwd, name);
  const configuration = await configurationsFor(options, cwd).forFolder(dirname(file));
  const isIgnored = (await ignoreRules([cwd]).isIgnored(file, false)) || configuration.ignores(file);
  return {
    configuration: configuration.file,
    ignored: isIgnored,
    lint: {
      rules: Object.fromEntries(
        LINT_RULES.map(({ id, severity }) => [id, configuration.severities.get(id) ?? severity]),
      ),
      ignore: configuration.ignorePatterns,
    },
  };
}

/** What happened to the texts before lint. */
interface FixOutcome {
  changes: readonly FixedDocument[];
  /** Names of those that were written to their files. */
  written: readonly string[];
}

interface Accepted {
  /** Findings of the baseline that are no longer there. */
  gone: number;
  /** Findings that the baseline now has by their fixed lines. */
  carried: number;
  /** Why the baseline could not be written. */
  failure: FileFailure | null;
}

/**
 * Removes the findings that the baseline accepts. A finding that it accepted in a fixed line stays accepted: it is written into the
 * baseline as in the file now. Throws when the baseline cannot be read.
 */
async function acceptBaseline(
  results: readonly LintResult[],
  file: string,
  cwd: string,
  { changes, written }: FixOutcome = { changes: [], written: [] },
): Promise<Accepted> {
  const path = resolve(cwd, file);
  const baseline = read(path, file);
  if (baseline === null) {
    throw new KairosError('FILE_UNREADABLE', `the baseline ${file} does not exist`, {
      hint: 'Make it with --update-baseline.',
    });
  }
  const keyOf = keyMaker(path, cwd);
  const fixedTexts = new Map(changes.map((change) => [change.document.name, change]));
  const { gone, moved } = applyBaseline(results, baseline, {
    keyOf,
    before: (name, { ruleId, place }) => {
      const fixed = fixedTexts.get(name);
      if (fixed === undefined) return [];
      return fingerprintsWithin(ruleId, fixed.before, fixed.origin(place.start.offset));
    },
  });
  const keys = new Set(written.map(keyOf));
  const carried = moved.filter(({ document }) => keys.has(document));
  if (carried.length === 0) return { gone, carried: 0, failure: null };
  try {
    await writeFileAtomically(path, formatBaseline(moveFindings(baseline, carried)), true);
  } catch (error) {
    if (!(error instanceof KairosError)) throw error;
    return { gone, carried: 0, failure: { path: file, reason: error.message } };
  }
  return { gone, carried: carried.length, failure: null };
}

/** Writes all findings into the baseline. Its findings of documents that were not linted stay. */
async function updateBaseline(results: readonly LintResult[], file: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file);
  const before = read(path, file) ?? { version: 1, documents: {} };
  await writeFileAtomically(path, formatBaseline(makeBaseline(results, before, keyMaker(path, cwd))), true);
}

function read(path: string, name: string): Baseline | null {
  let text: string;
  try {
    const odd = oddFile(path);
    if (odd !== null) throw new Error(`it is ${odd} and no file`);
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new KairosError('FILE_UNREADABLE', `the baseline ${name} cannot be read: ${message}`, {
      hint: 'Check the path and its permissions.',
      cause,
    });
  }
  return parseBaseline(text, name);
}

/** Paths count from the folder of the baseline, so that it can be committed. */
function keyMaker(baseline: string, cwd: string): (path: string | undefined) => string {
  return (path) =>
    path === undefined ? '<stdin>' : relative(dirname(baseline), resolve(cwd, path)).split(sep).join('/');
}
