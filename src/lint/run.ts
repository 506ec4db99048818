import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KairosError } from '../base/errors.ts';
import type { ParseResult } from '../protocol/model.ts';
import { type AnalyseOptions, type Analysis, analyse, mentionsProof } from './analyse.ts';
import type { Configuration, ConfigurationFinder } from './config/configuration.ts';
import { allIgnored } from './files/ignore-rules.ts';
import { fixText, type Origin } from './fix.ts';
import { compareDocuments, settle } from './lint-source.ts';
import { compareText } from './message.ts';
import type { LintReport } from './report.ts';
import type { LintRule } from './rule.ts';

/** A document of a call. */
export interface InputDocument {
  /** What it is called in messages; undefined for standard input without a name. */
  name: string | undefined;
  /** Absolute path, which decides about its configuration; null when it has no place on disk. */
  file: string | null;
  /** Linted even if it looks like prose. */
  isNamed: boolean;
  /** Throws FILE_UNREADABLE. */
  read(): string;
  /** Of the same text, where it was parsed before. */
  parsed?: ParseResult;
}

export interface LintRunOptions {
  rules: readonly LintRule[];
  configurations: ConfigurationFinder;
  cwd: string;
  inlineConfig: boolean;
  fingerprints: boolean;
  /**
   * `mend`: the report is about the fixed texts; `propose`: about the original texts; null: nothing is fixed.
   */
  fix: { mode: 'mend' | 'propose'; unsafe: boolean } | null;
}

/** A text that fixes would change. Nothing has been written. */
export interface FixedText {
  document: InputDocument;
  before: string;
  after: string;
  gaveUp: 'bound' | 'errors' | null;
}

/** The result of `--fix` on a document. */
export interface FixedDocument extends FixedText {
  origin: Origin;
}

export interface LintOutcome {
  report: LintReport;
  changes: FixedDocument[];
}

/** Lints documents one after the other, then compares them. Reports unreadable ones and lints the others. */
export async function lintDocuments(
  documents: readonly InputDocument[],
  options: LintRunOptions,
): Promise<LintOutcome> {
  const report: LintReport = { results: [], failures: [], prose: 0, ignored: 0 };
  const changes: FixedDocument[] = [];
  const analyses: Analysis[] = [];
  for (const document of documents) {
    const folder = document.file === null ? options.cwd : dirname(document.file);
    const configuration = await options.configurations.forFolder(folder);
    if (document.file !== null && configuration.ignores(document.file)) {
      report.ignored += 1;
      continue;
    }
    const source = readInto(report, document);
    if (source === null) continue;
    const settings = settingsFor(document, configuration, options);
    const { parsed } = document;
    const analysis = await analyse(source, parsed === undefined ? settings : { ...settings, parsed });
    if (!document.isNamed && !analysis.isProtocol) {
      report.prose += 1;
      continue;
    }
    const change = await mend(document, source, analysis, settings, options);
    if (change !== null) changes.push(change);
    const isMended = change !== null && options.fix?.mode === 'mend';
    analyses.push(isMended ? await analyse(change.after, settings) : analysis);
  }
  requireSome(documents, report.ignored);
  compareDocuments(analyses, options.rules);
  report.results = analyses
    .map((analysis) => settle(analysis, options.rules))
    .sort((a, b) => compareText(a.path ?? '', b.path ?? ''));
  return { report, changes };
}

/** Throws USAGE when configurations leave out everything that was found. A file that was named is left out in silence. */
export function requireSome(documents: readonly InputDocument[], ignored: number): void {
  if (documents.length === 0 || ignored < documents.length) return;
  if (!documents.some(({ isNamed }) => isNamed)) throw allIgnored('every markdown file there', ignored);
}

function settingsFor(
  { name, file }: InputDocument,
  { severities }: Configuration,
  { rules, inlineConfig, fingerprints }: LintRunOptions,
): AnalyseOptions {
  return {
    rules,
    severities,
    inlineConfig,
    fingerprints,
    ...(name === undefined ? {} : { path: name }),
    ...(file === null ? {} : { exists: (path: string) => existsSync(resolve(dirname(file), path)) }),
  };
}

/** Null without a text; the report has the reason. */
function readInto(report: LintReport, document: InputDocument): string | null {
  try {
    return document.read();
  } catch (error) {
    if (!(error instanceof KairosError) || error.code !== 'FILE_UNREADABLE') throw error;
    const { text } = (error.data ?? {}) as { text?: string };
    if (!document.isNamed && text !== undefined && !mentionsProof(text)) report.prose += 1;
    else report.failures.push({ path: document.name ?? '<stdin>', reason: error.message });
    return null;
  }
}

async function mend(
  document: InputDocument,
  before: string,
  analysis: Analysis,
  settings: AnalyseOptions,
  { fix, rules }: LintRunOptions,
): Promise<FixedDocument | null> {
  const isPossible =
    analysis.directed !== null || analysis.messages.some((message) => message.fix !== undefined);
  if (fix === null || !isPossible) return null;
  const lint = async (text: string) => settle(await analyse(text, settings), rules).messages;
  const { text, gaveUp, origin } = await fixText(before, lint, { unsafe: fix.unsafe });
  return text === before && gaveUp === null ? null : { document, before, after: text, gaveUp, origin };
}
