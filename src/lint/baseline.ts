import { KairosError } from '../base/errors.ts';
import { compareText, type LintMessage, type LintResult } from './message.ts';

/** Findings that somebody has accepted, so that only new ones count. */
export interface Baseline {
  version: 1;
  /** By document (its path relative to the baseline, with slashes), rule and fingerprint: how many there are. */
  documents: Record<string, Record<string, Record<string, number>>>;
}

/** Reads a baseline. Throws INVALID_INPUT when the text is none. */
export function parseBaseline(text: string, name: string): Baseline {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(name, (cause as Error).message);
  }
  if (!isRecord(value) || !isRecord(value.documents)) throw invalid(name, 'it has no documents');
  if (value.version !== 1) throw invalid(name, 'its version is not 1');
  const isWhole = Object.values(value.documents).every(
    (rules) =>
      isRecord(rules) && Object.values(rules).every((counts) => isRecord(counts) && isCounts(counts)),
  );
  if (!isWhole) throw invalid(name, 'a count in it is missing or no number');
  return value as unknown as Baseline;
}

/** Moves messages that the baseline knows to what is suppressed. Answers how many of its findings are no longer there. */
export function applyBaseline(
  results: readonly LintResult[],
  baseline: Baseline,
  keyOf: (path: string | undefined) => string,
): { gone: number } {
  let gone = 0;
  for (const result of results) {
    const left = structuredClone(baseline.documents[keyOf(result.path)] ?? {});
    const kept: LintMessage[] = [];
    for (const message of result.messages) {
      const counts = left[message.ruleId];
      const fingerprint = message.fingerprint ?? '';
      const count = counts?.[fingerprint] ?? 0;
      if (counts === undefined || count === 0) {
        kept.push(message);
        continue;
      }
      counts[fingerprint] = count - 1;
      result.suppressed.push({ message, by: 'baseline', reason: undefined });
    }
    result.messages = kept;
    for (const counts of Object.values(left)) for (const count of Object.values(counts)) gone += count;
  }
  return { gone };
}

/** A baseline of all messages. Documents that were not looked at keep what `before` says of them. */
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
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCounts(counts: Record<string, unknown>): boolean {
  return Object.values(counts).every((count) => Number.isSafeInteger(count) && (count as number) > 0);
}

function invalid(name: string, reason: string): KairosError {
  return new KairosError('INVALID_INPUT', `the baseline ${name} cannot be used: ${reason}`, {
    hint: 'Mend it, or delete it and write it anew with --update-baseline.',
  });
}
