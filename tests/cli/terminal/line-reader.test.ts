import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineReader, type LineRead } from '../../../src/cli/terminal/line-reader.ts';

const never = new AbortController().signal;

async function readAll(stream: Readable): Promise<string[]> {
  const reader = createLineReader(stream);
  const lines: string[] = [];
  for (;;) {
    const read = await reader.next({ signal: never });
    if (read.kind !== 'line') {
      expect(read).toEqual({ kind: 'eof' });
      return lines;
    }
    lines.push(read.line);
  }
}

it.each([
  ['lines', 'a\nb\n', ['a', 'b']],
  ['no final newline', 'a\nb', ['a', 'b']],
  ['CRLF', 'a\r\n\r\nb\r\n', ['a', '', 'b']],
  ['nothing', '', []],
  ['one empty line', '\n', ['']],
])('reads %s', async (_name, text, lines) => {
  expect(await readAll(Readable.from([Buffer.from(text)]))).toEqual(lines);
});

it('reads the same lines however the bytes are cut', async () => {
  const line = fc
    .string({ unit: fc.constantFrom('a', 'é', '語', '👍', '\r', ' ') })
    .map((text) => text.replace(/\r+$/, ''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.integer({ min: 1, max: 5 })),
      async (lines, end, cuts) => {
        let bytes = Buffer.from(lines.map((text) => text + end).join(''));
        const chunks: Buffer[] = [];
        for (let at = 0; bytes.length > 0; at += 1) {
          const size = cuts[at % Math.max(1, cuts.length)] ?? 1;
          chunks.push(bytes.subarray(0, size));
          bytes = bytes.subarray(size);
        }
        expect(await readAll(Readable.from(chunks))).toEqual(lines);
      },
    ),
    { numRuns: 100 },
  );
});

it('keeps what came before it was asked, and reads no further than needed in between', async () => {
  const stream = new PassThrough();
  const reader = createLineReader(stream);
  stream.write('one\ntwo\nthr');
  expect(await reader.next({ signal: never })).toEqual({ kind: 'line', line: 'one' });
  expect(stream.isPaused()).toBe(true);
  stream.write('ee\nfour');
  expect(await reader.next({ signal: never })).toEqual({ kind: 'line', line: 'two' });
  stream.end();
  expect(await reader.next({ signal: never })).toEqual({ kind: 'line', line: 'three' });
  expect(await reader.next({ signal: never })).toEqual({ kind: 'line', line: 'four' });
  expect(await reader.next({ signal: never })).toEqual({ kind: 'eof' });
  expect(await reader.next({ signal: never })).toEqual({ kind: 'eof' });
});

it('stops waiting when aborted, and returns the line that comes later', async () => {
  const stream = new PassThrough();
  const reader = createLineReader(stream);
  const controller = new AbortController();
  const waiting = reader.next({ signal: controller.signal });
  controller.abort();
  expect(await waiting).toEqual({ kind: 'aborted' });
  expect(await reader.next({ signal: controller.signal })).toEqual({ kind: 'aborted' });
  stream.write('late\n');
  expect(await reader.next({ signal: never })).toEqual({ kind: 'line', line: 'late' });
});

it('gives up on a silent stream, not on a slow one', async () => {
  const stream = new PassThrough();
  const reader = createLineReader(stream);
  expect(await reader.next({ signal: never, patienceMs: 20 })).toEqual({ kind: 'silent' });
  const slow: Promise<LineRead> = reader.next({ signal: never, patienceMs: 2000 });
  for (const byte of 'slow\n') {
    await new Promise((resolve) => setTimeout(resolve, 5));
    stream.write(byte);
  }
  expect(await slow).toEqual({ kind: 'line', line: 'slow' });
});

it('treats a broken or closed stream as an ended one', async () => {
  const broken = new PassThrough();
  const reader = createLineReader(broken);
  const waiting = reader.next({ signal: never });
  broken.destroy(new Error('EIO'));
  expect(await waiting).toEqual({ kind: 'eof' });
  expect(await createLineReader(broken).next({ signal: never })).toEqual({ kind: 'eof' });
});

it('rejects a line over the limit, with or without its end', async () => {
  for (const end of ['', '\n']) {
    const reader = createLineReader(Readable.from([Buffer.from('x'.repeat(1024 * 1024 + 1) + end)]));
    await expect(reader.next({ signal: never })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  }
});

it('lets go of the stream', () => {
  const stream = new PassThrough();
  const before = stream.eventNames().length;
  createLineReader(stream).close();
  expect(stream.eventNames()).toHaveLength(before);
});
