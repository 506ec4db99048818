import { sha256Hex } from '../base/canonical.ts';
import type { LintMessage } from './message.ts';

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
