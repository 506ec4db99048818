import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readLedgerLines } from '../../src/host/files/read-source.ts';
import { fakeIo } from '../support/cli-io.ts';

const cwd = mkdtempSync(join(tmpdir(), 'kairos-ledger-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function read(bytes: Buffer | string): Promise<string[]> {
  writeFileSync(join(cwd, 'run.jsonl'), bytes);
  return readLedgerLines('run.jsonl', fakeIo({ cwd }).io);
}

describe('readLedgerLines', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\n\nb\r\n', ['a', '', 'b\r']],
    ['\ufeffa\u2028b\n', ['\ufeffa\u2028b']],
  ])('breaks at line feeds only: %j', async (text, lines) => {
    expect(await read(text)).toEqual(lines);
  });

  it('never reads bytes that are not UTF-8 as a valid text', async () => {
    const [replaced, transcoded] = ['{"a":"\ufffd"}', '{"a":"é"}'];
    const tampered = Buffer.from(transcoded as string, 'latin1');
    const [line, next] = await read(Buffer.concat([tampered, Buffer.from('\n{}\n')]));
    expect(next).toBe('{}');
    expect([replaced, transcoded]).not.toContain(line);
    expect(() => JSON.parse(line as string)).toThrow();
  });
});
