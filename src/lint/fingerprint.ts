import { createHash } from 'node:crypto';
import type { LintMessage } from './message.ts';

/**
 * What a finding is known by when lines move: a hash over the rule and the line that it stands in, white space aside. Findings
 * of one document that are alike in this share it.
 */
export function fingerprintOf(ruleId: string, source: string, offset: number): string {
  const line = /^[^\r\n]*/.exec(source.slice(lineStart(source, offset)))![0];
  return createHash('sha256')
    .update(`kairos.finding.v1\n${ruleId}\n${line.replace(/\s+/g, ' ').trim()}`)
    .digest('hex')
    .slice(0, 16);
}

/** Tells findings apart that share a fingerprint: `<fingerprint>:1`, `:2`, in their order. */
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
