import { describe, expect, it } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { reportError } from '../../src/cli/errors.ts';
import { fakeOutput } from '../support/cli-io.ts';

async function report(
  error: unknown,
  options: { json?: boolean; debug?: boolean; env?: NodeJS.ProcessEnv } = {},
) {
  const { output, stdout, stderr } = fakeOutput({ json: options.json, env: options.env });
  const code = await reportError(error, output, options.debug === true);
  return { code, stdout: stdout(), stderr: stderr() };
}

describe('reportError', () => {
  it('reports what is wrong and what helps', async () => {
    const error = new KairosError('NOT_FOUND', 'no such thing', {
      hint: 'Look again.',
      url: 'https://example.org/x',
    });
    expect(await report(error)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: no such thing\nhint: Look again.\nsee: https://example.org/x\n',
    });
  });

  it('prints one object for programs, all four keys always', async () => {
    const { code, stdout, stderr } = await report(new KairosError('STORE_UNAVAILABLE', 'locked'), {
      json: true,
    });
    expect({ code, stdout, object: JSON.parse(stderr) }).toEqual({
      code: 1,
      stdout: '',
      object: { error: { code: 'STORE_UNAVAILABLE', message: 'locked', hint: null, url: null } },
    });
  });

  it.each(['USAGE', 'INVALID_INPUT', 'FILE_UNREADABLE', 'FILE_UNWRITABLE'] as const)(
    'ends with 2 on %s',
    async (code) => {
      expect((await report(new KairosError(code, 'x'))).code).toBe(2);
    },
  );

  it.each(['DUPLICATE_CHAIN', 'PROTOCOL_INVALID', 'READ_ONLY', 'RUN_NOT_FOUND', 'INTERNAL'] as const)(
    'ends with 1 on %s',
    async (code) => {
      expect((await report(new KairosError(code, 'x'))).code).toBe(1);
    },
  );

  it('escapes what the error quotes', async () => {
    const { stderr } = await report(new KairosError('NOT_FOUND', 'no \x1b[2J\u202efile', { hint: '\x07' }));
    expect(stderr).toBe('error: no \\x1b[2J\\u{202e}file\nhint: \\x07\n');
  });

  it('redacts secrets of the environment', async () => {
    const error = new KairosError('NOT_FOUND', 'no run q7Lr2-Zt9fXk4', { hint: 'Look for q7Lr2-Zt9fXk4.' });
    const { stderr } = await report(error, { env: { DEPLOY_TOKEN: 'q7Lr2-Zt9fXk4' }, debug: true });
    expect(stderr).toContain(
      'error: no run [redacted:DEPLOY_TOKEN]\nhint: Look for [redacted:DEPLOY_TOKEN].\n',
    );
    expect(stderr).not.toContain('q7Lr2');
  });

  it('is short about the unexpected, and shows where it came from on request', async () => {
    const error = new TypeError('x is not a function', { cause: new Error('the root') });
    expect(await report(error)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: something went wrong that should not: x is not a function\n' +
        'hint: Run it again with --debug to see where, and report it.\n',
    });
    const { stderr } = await report(error, { debug: true });
    expect(stderr).toMatch(/TypeError: x is not a function\n\s+at .*errors\.test\.ts/);
    expect(stderr).toContain('caused by: Error: the root');
  });

  it('copes with what is not even an error', async () => {
    expect((await report('plain text')).stderr).toContain('something went wrong that should not: plain text');
  });
});
