import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { createOutput } from '../../src/cli/output.ts';
import { fakeIo, fakeOutput } from '../support/cli-io.ts';

describe('createOutput', () => {
  it('prints lines, objects and notes each to their stream', async () => {
    const { output, stdout, stderr } = fakeOutput();
    output.print('a line');
    output.write('piece ');
    output.object({ key: 'välue\u200b' });
    output.note('a note');
    output.writeNote('more');
    await output.flush();
    expect(stdout()).toBe('a line\npiece {"key":"välue\\u200b"}\n');
    expect(stderr()).toBe('a note\nmore');
  });

  it('prints documents unchanged to a pipe and escaped to a terminal', () => {
    const piped = fakeOutput();
    piped.output.document('a\u202eb\n');
    expect(piped.stdout()).toBe('a\u202eb\n');

    const shown = fakeOutput({ tty: true });
    shown.output.document('a\u202eb\n');
    shown.output.document('{"a":"\u202e"}\n', { json: true });
    expect(shown.stdout()).toBe('a\\u{202e}b\n{"a":"\\u202e"}\n');
  });

  it('colours a terminal, and not under NO_COLOR', () => {
    const level = (env: NodeJS.ProcessEnv) =>
      createOutput(fakeIo({ tty: true, env }).io, { json: false, color: 'auto' }).color.level;
    expect([level({ TERM: 'xterm' }), level({ TERM: 'xterm', NO_COLOR: '1' })]).toEqual([1, 0]);
  });

  it('ends the output when the reader has closed the pipe', async () => {
    const { io } = fakeIo();
    const output = createOutput({ ...io, stdout: failing('EPIPE') }, { json: false, color: 'never' });
    output.print('one');
    await new Promise((resolve) => setImmediate(resolve));
    output.print('two');
    await expect(output.flush()).resolves.toBeUndefined();
  });

  it("reports when standard output can't be written", async () => {
    const { io } = fakeIo();
    const output = createOutput({ ...io, stdout: failing('ENOSPC') }, { json: false, color: 'never' });
    output.print('one');
    const error = await output.flush().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KairosError);
    expect(error).toMatchObject({ code: 'FILE_UNWRITABLE' });
  });
});

function failing(code: string): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(`write ${code}`), { code }));
    },
  });
}
