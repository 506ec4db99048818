import { formatDuration } from '../../../base/duration.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import type { CliIo } from '../../io.ts';
import type { Output } from '../../output.ts';
import { heading, keyValues } from '../../terminal/layout.ts';
import { renderMarkdown } from '../../terminal/markdown.ts';
import { canAnimate, type SilenceWatch, watchSilence } from '../../terminal/progress.ts';
import { personMessage, violationLines } from '../../views/demand.ts';
import { statusWord } from '../../views/run.ts';
import type { RunReporter } from './report.ts';

/** Returns a reporter for people. A command's errors go to standard error, the rest to standard output. */
export function humanReporter(
  output: Output,
  io: Pick<CliIo, 'stdout' | 'stderr' | 'env' | 'now'>,
  plain: boolean,
): RunReporter {
  const { color } = output;
  /** The stream whose last line has no line break yet. */
  let openLine: 'stdout' | 'stderr' | null = null;
  let silence: SilenceWatch | null = null;
  return {
    begun: ({ runId, title, steps, resumed, done }) => {
      output.print(heading(title, { color }));
      output.print(
        color.dim(`${resumed ? 'Resumed run' : 'Run'} ${runId}, ${steps} ${steps === 1 ? 'step' : 'steps'}`),
      );
      for (const { step, label, assurance } of done) {
        const how = assurance === null ? 'passed without its optional proof' : `proven (${assurance})`;
        output.print(color.dim(`  ${step}/${steps}  ${escapeForTerminal(label)}: ${how}`));
      }
    },
    note: (text) => output.note(color.yellow(text)),
    step: async ({ index, count, label, content, required, type }) => {
      output.print('');
      output.print(heading(label, { place: `${index}/${count}`, color }));
      if (content !== '') output.print(await renderMarkdown(content, { width: output.width, color, plain }));
      if (type !== null && !required) output.print(color.dim('(optional)'));
    },
    command: async ({ cmd, interpreter, cwd, env, timeoutSeconds, danger }) => {
      output.print('');
      output.print(color.yellow(indent(escapeForTerminal(cmd, { keepNewlines: true }))));
      output.print(
        await keyValues(
          [
            ...(interpreter === undefined ? [] : [['interpreter', interpreter] as const]),
            ['in', cwd],
            ['timeout', formatDuration(timeoutSeconds * 1000)],
            ...(env.length > 0 ? [['environment', env.join(', ')] as const] : []),
            ...(danger === null ? [] : [['careful', danger] as const]),
          ],
          { color, indent: 4 },
        ),
      );
    },
    output: (stream, chunk) => {
      const text = escapeForTerminal(chunk, { keepNewlines: true, keepTabs: true });
      silence?.heard(text);
      io[stream].write(text);
      if (text !== '') openLine = text.endsWith('\n') ? null : stream;
    },
    running: (limitSeconds) => {
      const { stderr: stream, now, env } = io;
      const watch = watchSilence({
        ...{ stream, now, limitMs: limitSeconds * 1000 },
        animate: canAnimate(stream, env),
      });
      silence = watch;
      return () => {
        watch.stop();
        silence = null;
      };
    },
    commandEnded: ({ exitCode, signal, timedOut, aborted, durationMs, error }) => {
      if (openLine !== null) io[openLine].write('\n');
      openLine = null;
      if (error !== null) return output.print(color.red(escapeForTerminal(`could not be started: ${error}`)));
      const how = timedOut
        ? 'timed out'
        : aborted
          ? 'stopped'
          : signal !== null
            ? `ended by ${signal}`
            : `exit code ${exitCode}`;
      const line = `${how} after ${formatDuration(durationMs)}`;
      output.print(exitCode === 0 && !timedOut && !aborted ? color.green(line) : color.red(line));
    },
    tool: ({ server, tool, source }) =>
      output.print(color.dim(escapeForTerminal(`Calling ${tool} on the MCP server ${server} (${source})`))),
    verdict: (fields, assurance) => {
      const { error_code, cause_code, message, retry_count, proof_hash, violations = [] } = fields;
      // A claim without a proof hash was only recorded, not proven.
      if (error_code == null && assurance !== null && proof_hash == null) {
        return output.print(
          color.yellow(escapeForTerminal(message == null ? 'not given' : personMessage(fields))),
        );
      }
      if (error_code == null) {
        return output.print(assurance === null ? color.dim('skipped') : color.green(`proven (${assurance})`));
      }
      const code = cause_code ?? error_code;
      const count = retry_count ? `, failure ${retry_count}` : '';
      output.print(color.red(`not accepted: ${escapeForTerminal(personMessage(fields))} (${code}${count})`));
      // The sentence names the outputs that differ.
      if (code === 'OUTPUT_MISMATCH') return;
      for (const line of violationLines(violations)) output.print(color.red(escapeForTerminal(`  ${line}`)));
    },
    rolledBack: ({ step, succeeded, verify, late, assurance, restored: { target, by } }) => {
      const seen = verify === null ? '' : verify.succeeded ? ', verified' : ', and the verification failed';
      const line = succeeded
        ? `step ${step} rolled back (${assurance})${seen}`
        : `step ${step} not rolled back${seen}`;
      output.print(succeeded ? color.green(line) : color.red(line));
      const what =
        target === null ? '' : `${target.resource_type} ${target.resource_id} in ${target.domain}, `;
      if (succeeded) output.print(escapeForTerminal(`restored: ${what}by ${by}`));
      if (late === true) output.note(color.yellow('Later than the deadline of the rollback.'));
    },
    sealed: async ({ runId, outcome, message, entries, assurance, verified, verify }) => {
      output.print('');
      output.print(color[outcome === 'success' ? 'green' : 'red'](escapeForTerminal(message)));
      const counts = Object.entries(assurance)
        .filter(([, count]) => count > 0)
        .map(([kind, count]) => `${count} ${kind}`);
      output.print(
        await keyValues(
          [
            ['run', runId],
            ['ledger', `${entries} entries, ${statusWord(verified)}`],
            ['proofs', counts.join(', ') || 'none'],
            ['verify', verify],
          ],
          { color },
        ),
      );
    },
    stopped: ({ reason, resume, close }) => {
      output.note(escapeForTerminal(reason));
      output.note(`Resume with: ${escapeForTerminal(resume)}`);
      if (close !== null) output.note(`The run stays open. Close it with: ${escapeForTerminal(close)}`);
    },
  };
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
