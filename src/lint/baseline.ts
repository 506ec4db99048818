import { sha256Hex } from '../base/canonical.ts';
import { KairosError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { compareText, type LintMessage, type LintResult } from './message.ts';

/** Accepted findings, so that only new ones count. */
export interface Baseline {
  version: 1;
  /** By document (its path relative to the baseline, with slashes), rule and fingerprint: how many there are. */
  documents: Record<string, Record<string, Record<string, number>>>;
}

/** Reads a baseline. Throws INVALID_INPUT for an invalid one. */
export function parseBaseline(text: string, name: string): Baseline {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(name, (cause as Error).message);
  }
  if (!isObject(value) || !isObject(value.documents)) throw invalid(name, 'it has no documents');
  if (value.version !== 1) throw invalid(name, 'its version is not 1');
  const isWhole = Object.values(value.documents).every(
    (rules) =>
      isObject(rules) && Object.values(rules).every((counts) => isObject(counts) && isCounts(counts)),
  );
  if (!isWhole) throw invalid(name, 'a count in it is missing or no number');
  return value as unknown as Baseline;
}

/** A finding that the baseline knows by its line before that line was fixed. */
interface Moved {
  document: string;
  ruleId: string;
  from: string;
  to: string;
}

interface Accepting {
  keyOf: (path: string | undefined) => string;
  /** Fingerprints that a finding had before its text was fixed; empty for unfixed text. */
  before?: (path: string | undefined, message: LintMessage) => readonly string[];
}

/**
 * Moves messages that the baseline knows to the suppressed ones. Returns how many of its findings no longer
 * occur.
 */
export function applyBaseline(
  results: readonly LintResult[],
  baseline: Baseline,
  { keyOf, before = () => [] }: Accepting,
): { gone: number; moved: Moved[] } {
  let gone = 0;
  const moved: Moved[] = [];
  for (const result of results) {
    const document = keyOf(result.path);
    const left = structuredClone(baseline.documents[document] ?? {});
    const kept: LintMessage[] = [];
    for (const message of result.messages) {
      const { ruleId, fingerprint = '' } = message;
      const counts = left[ruleId] ?? {};
      const known = [...before(result.path, message), fingerprint].find((name) => (counts[name] ?? 0) > 0);
      if (known === undefined) {
        kept.push(message);
        continue;
      }
      counts[known] = counts[known]! - 1;
      if (known !== fingerprint) moved.push({ document, ruleId, from: known, to: fingerprint });
      result.suppressed.push({ message, by: 'baseline', reason: undefined });
    }
    result.messages = kept;
    for (const counts of Object.values(left)) for (const count of Object.values(counts)) gone += count;
  }
  return { gone, moved };
}

/** A baseline with the current lines of its findings. */
export function moveFindings(baseline: Baseline, moved: readonly Moved[]): Baseline {
  const { version, documents } = structuredClone(baseline);
  for (const { document, ruleId, from, to } of moved) {
    const counts = documents[document]![ruleId]!;
    counts[to] = (counts[to] ?? 0) + 1;
    counts[from] = counts[from]! - 1;
    if (counts[from] === 0) delete counts[from];
  }
  return { version, documents };
}

/** A baseline of all messages. Documents that were not checked keep their entries of `before`. */
export function makeBaseline(
  results: readonly LintResult[],
  before: Baseline,
  keyOf: (path: string | undefined) => string,
): Baseline {
  const documents = { ...before.documents };
  for (const { path, messages } of results) {
    const rules: Record<string, Record<string, number>> = {};
    for (const { ruleId, fingerprint = '' } of messages) {
      const counts = rules[ruleId] ?? {};
      rules[ruleId] = counts;
      counts[fingerprint] = (counts[fingerprint] ?? 0) + 1;
    }
    if (messages.length > 0) documents[keyOf(path)] = rules;
    else delete documents[keyOf(path)];
  }
  return { version: 1, documents };
}

/** The file's text: keys sorted, so that two people's updates can be merged. */
export function formatBaseline({ version, documents }: Baseline): string {
  return `${JSON.stringify({ version, documents: sorted(documents) }, null, 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function isCounts(counts: Record<string, unknown>): boolean {
  return Object.values(counts).every((count) => Number.isSafeInteger(count) && (count as number) > 0);
}

function invalid(name: string, reason: string): KairosError {
  return new KairosError('INVALID_INPUT', `the baseline ${name} cannot be used: ${reason}`, {
    hint: 'Fix it, or delete it and create it again with --update-baseline.',
  });
}

/**
 * Identifies a finding when lines move: a hash over the rule and its line, without white space. Equal
 * findings of one document share it.
 */
export function fingerprintOf(ruleId: string, source: string, offset: number): string {
  const line = /^[^\r\n]*/.exec(source.slice(lineStart(source, offset)))![0];
  return sha256Hex(`kairos.finding.v1\n${ruleId}\n${line.replace(/\s+/g, ' ').trim()}`).slice(0, 16);
}

/** The same for each line of a stretch of the text. */
export function fingerprintsWithin(
  ruleId: string,
  source: string,
  [start, end]: readonly [number, number],
): string[] {
  const further = [...source.slice(start, end).matchAll(/\r\n?|\n/g)];
  const lines = [start, ...further.map(({ index, 0: ending }) => start + index + ending.length)];
  return lines
    .filter((offset, at) => at === 0 || offset < end)
    .map((offset) => fingerprintOf(ruleId, source, offset));
}

/** Distinguishes findings with the same fingerprint: `<fingerprint>:1`, `:2`, in their order. */
export function numberedFingerprints(messages: readonly LintMessage[]): string[] {
  const seen = new Map<string, number>();
  return messages.map(({ fingerprint = '' }) => {
    const count = (seen.get(fingerprint) ?? 0) + 1;
    seen.set(fingerprint, count);
    return `${fingerprint}:${count}`;
  });
}

function lineStart(source: string, offset: number): number {
  const before = source.slice(0, offset);
  return Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
}
