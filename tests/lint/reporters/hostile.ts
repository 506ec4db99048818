import type { LintMessage } from '../../../src/lint/message.ts';
import { countFindings, type LintReport, PLAIN, type ReporterOptions } from '../../../src/lint/report.ts';
import type { LintRule } from '../../../src/lint/rule.ts';

export const HOSTILE_PATH = 'docs/a,b:c\u001b[31m "q" <&>%\n::error::x.md';
export const HOSTILE_REASON =
  'Line one\r\nline two ::error::no, %0A | `x` </failure> ]]> "quoted" \'single\' \u001b[2J\u202e \u0000 \ud800 [a](b) 😀';

export function message(over: Partial<LintMessage> = {}): LintMessage {
  return {
    reason: 'The step has no proof. Give it one.',
    ruleId: 'step-without-proof',
    source: 'kairos',
    place: { start: { line: 3, column: 1, offset: 20 }, end: { line: 3, column: 9, offset: 28 } },
    severity: 'warning',
    fatal: false,
    url: 'docs/rules/step-without-proof.md',
    fingerprint: '0123456789abcdef',
    ...over,
  };
}

/** A report with everything in it that a format could stumble over. */
export const HOSTILE: LintReport = {
  results: [
    { path: undefined, messages: [message({ severity: 'info', fatal: null })], suppressed: [] },
    { path: 'clean.md', messages: [], suppressed: [] },
    {
      path: HOSTILE_PATH,
      messages: [
        message({ reason: HOSTILE_REASON, severity: 'error', fatal: true, ruleId: 'hidden-character' }),
        message({ note: 'A note\u0007.', fix: { range: [20, 28], replacement: '## Do\n', safe: true } }),
        message({
          place: { start: { line: 9, column: 4, offset: 99 }, end: { line: 12, column: 1, offset: 120 } },
          fix: { range: [99, 120], replacement: '', safe: false },
        }),
      ],
      suppressed: [
        { message: message(), by: 'directive', reason: 'a drill' },
        { message: message({ ruleId: 'no-h1' }), by: 'baseline', reason: undefined },
      ],
    },
    { path: '/abs/ümlaut #1.md', messages: [message()], suppressed: [] },
  ],
  failures: [{ path: 'gone\u001b.md', reason: 'gone\u001b.md does not exist' }],
  prose: 2,
  ignored: 1,
};

export const EMPTY: LintReport = { results: [], failures: [], prose: 0, ignored: 0 };

/** Of a shape of their own, so that new rules do not change what is expected here. */
const SAMPLE_RULES = ['hidden-character', 'step-without-proof', 'no-h1'].map(
  (id): LintRule => ({
    id,
    family: 'safety',
    severity: 'warning',
    summary: 'A summary with <b>, `code` and | in it.',
    why: 'Why it matters.',
    check: () => undefined,
  }),
);

export function optionsFor(report: LintReport): ReporterOptions {
  return { report, counts: countFindings(report), rules: SAMPLE_RULES, version: '1.2.3', paint: PLAIN };
}
