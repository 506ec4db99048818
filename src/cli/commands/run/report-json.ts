import type { Output } from '../../output.ts';
import type { Reporter } from './report.ts';

/** One event a line, for programs. Every event has `event`; further keys are only ever added. */
export function jsonReporter(output: Output): Reporter {
  const emit = (event: string, data: object) => output.object({ event, ...data });
  return {
    begun: (info) =>
      emit('begun', {
        run_id: info.runId,
        title: info.title,
        slug: info.slug,
        digest: info.digest,
        step_count: info.steps,
        resumed: info.resumed,
      }),
    note: (text) => emit('note', { text }),
    step: async ({ index, count, label, uri, content, type, required }) =>
      emit('step', { index, count, label, uri, content, type, required }),
    command: async ({ cmd, cwd, env, timeoutSeconds, danger }) =>
      emit('command', { cmd, cwd, env, timeout_seconds: timeoutSeconds, danger }),
    output: (stream, text) => emit('output', { stream, text }),
    commandEnded: ({ exitCode, signal, timedOut, aborted, durationMs, error }) =>
      emit('command_ended', {
        exit_code: exitCode,
        signal,
        ...(error === null ? {} : { error }),
        timed_out: timedOut,
        aborted,
        duration_ms: durationMs,
      }),
    tool: (info) => emit('tool', info),
    verdict: (fields, assurance) => emit('answer', { handed_in_as: assurance, ...fields }),
    rolledBack: (done) => emit('rolled_back', done),
    sealed: async ({ runId, outcome, message, head, entries, assurance, verified }) =>
      emit('sealed', { run_id: runId, outcome, message, head, entries, assurance, verified }),
    stopped: ({ code, reason, runId, resume }) =>
      emit('stopped', { exit_code: code, reason, run_id: runId, resume }),
  };
}
