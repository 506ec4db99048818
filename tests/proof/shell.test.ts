import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateShell } from '../../src/proof/shell.ts';
import { loadTools } from '../../src/proof/tools.ts';
import { runs } from '../support/thorough.ts';
import { NO_FACTS, NO_TOOLS, SLOW } from './support.ts';

const tools = await loadTools({ patterns: true, schemas: false });

function judge(payload: unknown, shell: { expect_exit_code?: number; stdout_matches?: string } = {}) {
  const demand = { cmd: 'npm test', timeout_seconds: 60, expect_exit_code: 0, ...shell };
  return validateShell({ type: 'shell', required: true, shell: demand }, payload, NO_FACTS, tools);
}

describe('validateShell', () => {
  test('keeps what the command gave, time in whole milliseconds', () => {
    const payload = { exit_code: 0, stdout: 'ok\n', stderr: '', duration_seconds: 1.2345, pid: 7 };
    expect(judge(payload)).toEqual({
      ok: true,
      proof: { exit_code: 0, stdout: 'ok\n', stderr: '', duration_ms: 1235 },
    });
  });

  test('needs the exit code only', () => {
    expect(judge({ exit_code: 0 })).toEqual({ ok: true, proof: { exit_code: 0 } });
    expect(judge({ exit_code: 0, stdout: null, duration_seconds: null })).toEqual({
      ok: true,
      proof: { exit_code: 0 },
    });
  });

  test.each([
    ['nothing', undefined, 'solution.shell is missing: it must be an object with exit_code.'],
    ['text', 'exit 0', 'solution.shell is missing: it must be an object with exit_code.'],
    [
      'no exit code',
      { stdout: 'ok' },
      'solution.shell.exit_code must be the exit code of the command, a whole number.',
    ],
    [
      'an exit code as text',
      { exit_code: '0' },
      'solution.shell.exit_code must be the exit code of the command, a whole number.',
    ],
    ['bytes', { exit_code: 0, stdout: [1] }, 'solution.shell.stdout must be a string, or left out.'],
    ['an object', { exit_code: 0, stderr: {} }, 'solution.shell.stderr must be a string, or left out.'],
    [
      'a duration as text',
      { exit_code: 0, duration_seconds: '3s' },
      'solution.shell.duration_seconds must be a number of seconds, or left out.',
    ],
    [
      'a negative duration',
      { exit_code: 0, duration_seconds: -1 },
      'solution.shell.duration_seconds must be a number of seconds, or left out.',
    ],
  ])('MISSING_FIELD for %s', (_, payload, message) => {
    expect(judge(payload)).toEqual({ ok: false, code: 'MISSING_FIELD', message });
  });

  test('COMMAND_FAILED for another exit code than the expected one, 0 included', () => {
    expect(judge({ exit_code: 1 })).toEqual({
      ok: false,
      code: 'COMMAND_FAILED',
      message: 'The command ended with exit code 1; 0 is expected.',
    });
    expect(judge({ exit_code: 0 }, { expect_exit_code: 2 })).toMatchObject({ code: 'COMMAND_FAILED' });
    expect(judge({ exit_code: 2 }, { expect_exit_code: 2 })).toMatchObject({ ok: true });
  });

  test('COMMAND_TIMED_OUT by the flag or by the duration, for any exit code', () => {
    const late = { ok: false, code: 'COMMAND_TIMED_OUT', message: 'The command ran longer than 60 s.' };
    expect(judge({ exit_code: null, timed_out: true })).toEqual(late);
    expect(judge({ exit_code: 0, duration_seconds: 60.001 })).toEqual(late);
    expect(judge({ exit_code: 0, duration_seconds: 60, timed_out: false })).toMatchObject({ ok: true });
  });

  test('searches the pattern in stdout only', () => {
    const found = { stdout_matches: '(?m)^passed$' };
    expect(judge({ exit_code: 0, stdout: '12 tests\npassed\n' }, found)).toMatchObject({ ok: true });
    const message = 'The stdout_matches of the challenge is not found in the output of the command.';
    for (const payload of [
      { exit_code: 0, stdout: 'failed' },
      { exit_code: 0, stdout: '', stderr: 'passed' },
    ]) {
      expect(judge(payload, found)).toEqual({ ok: false, code: 'COMMAND_FAILED', message, wanted: found });
    }
  });

  test('absent stdout never matches, not even a pattern that matches nothing at all', () => {
    expect(judge({ exit_code: 0 }, { stdout_matches: '.*' })).toEqual({
      ok: false,
      code: 'COMMAND_FAILED',
      message: 'solution.shell.stdout is missing: the stdout_matches of the challenge is searched in it.',
      wanted: { stdout_matches: '.*' },
    });
  });

  test('a pattern outside RE2 passes nothing and reports that the step is at fault', () => {
    expect(judge({ exit_code: 0, stdout: 'a' }, { stdout_matches: '(?=a)' })).toMatchObject({
      ok: false,
      code: 'COMMAND_FAILED',
      message: expect.stringContaining('the step has to be updated'),
    });
  });

  test('a pattern that ruins backtracking engines is judged in passing', () => {
    const stdout = `${'a'.repeat(50_000)}!`;
    expect(judge({ exit_code: 0, stdout }, { stdout_matches: '^(a+)+$' })).toMatchObject({ ok: false });
  });

  test('accepts exactly the expected exit code', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.integer({ min: -5, max: 300 }), (expected, got) => {
        const demand = { cmd: 'x', timeout_seconds: 1, expect_exit_code: expected };
        const verdict = validateShell(
          { type: 'shell', required: true, shell: demand },
          { exit_code: got },
          NO_FACTS,
          NO_TOOLS,
        );
        expect(verdict.ok).toBe(expected === got);
      }),
      { numRuns: runs(200) },
    );
  });
});

test('rejects a command that a signal ended, for any expected exit code', () => {
  for (const exit_code of [128, 134, 137])
    expect(judge({ exit_code, signal: 'SIGABRT' }, { expect_exit_code: exit_code })).toMatchObject({
      ok: false,
      code: 'COMMAND_FAILED',
    });
});

test('rejects a command that could not be started', () => {
  expect(judge({ exit_code: 126, not_started: true }, { expect_exit_code: 126 })).toMatchObject({
    ok: false,
  });
});

test('reports that a pattern is too slow for the output, not that it is not found', () => {
  const stdout = SLOW.text(1_000_000);
  expect(judge({ exit_code: 0, stdout }, { stdout_matches: SLOW.pattern })).toEqual({
    ok: false,
    code: 'COMMAND_FAILED',
    message:
      'The stdout_matches of the challenge is too slow for this output, so the search was ended. Let the command print less, or update the step with a simpler pattern.',
    wanted: { stdout_matches: SLOW.pattern },
  });
});

test.each(['OK\n', 'OK\r\n', 'OK'])('stdout_matches is searched without the last line feed: %j', (stdout) => {
  expect(judge({ exit_code: 0, stdout }, { stdout_matches: '^OK$' })).toMatchObject({ ok: true });
});

test('stdout_matches is kept with the refusal, for people', () => {
  expect(judge({ exit_code: 0, stdout: 'OK\n\n' }, { stdout_matches: '^OK$' })).toMatchObject({
    ok: false,
    wanted: { stdout_matches: '^OK$' },
  });
});
