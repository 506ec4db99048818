import { escapeForTerminal } from '../../base/escape.ts';
import type { Reporter } from './reporter.ts';

/** One line a finding, as editors and grep like it: `path:line:column: severity: reason [rule]`. */
export const compact: Reporter = ({ report }) => {
  const lines = report.results.flatMap(({ path, messages }) =>
    messages.map(({ place: { start }, severity, reason, ruleId }) =>
      escapeForTerminal(
        `${path ?? '<stdin>'}:${start.line}:${start.column}: ${severity}: ${reason} [${ruleId}]`,
      ),
    ),
  );
  for (const { reason } of report.failures) lines.push(escapeForTerminal(`error: ${reason}`));
  return lines.map((line) => `${line}\n`).join('');
};
