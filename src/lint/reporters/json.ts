import { escapeJson } from '../../base/escape.ts';
import type { Reporter } from './reporter.ts';

/** One object, in one line: everything that is known. */
export const json: Reporter = ({ report, counts, version }) => {
  const { results, failures, prose, ignored } = report;
  return `${escapeJson(
    JSON.stringify({
      version: 1,
      tool: { name: 'kairos', version },
      results: results.map(({ path, messages, suppressed }) => ({
        path: path ?? null,
        messages,
        suppressed,
      })),
      failures,
      summary: { documents: results.length, prose, ignored, ...counts },
    }),
  )}\n`;
};
