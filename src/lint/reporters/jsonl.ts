import { escapeJson } from '../../base/escape.ts';
import type { Reporter } from './reporter.ts';

/** One object a line: a message with its path, or what could not be read. */
export const jsonl: Reporter = ({ report }) =>
  [
    ...report.results.flatMap(({ path, messages }) =>
      messages.map((message) => ({ path: path ?? null, ...message })),
    ),
    ...report.failures.map(({ path, reason }) => ({ path, severity: 'error', reason, fatal: true })),
  ]
    .map((line) => `${escapeJson(JSON.stringify(line))}\n`)
    .join('');
