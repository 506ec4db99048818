import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSolutionOption } from '../../src/cli/commands/walk/handler.ts';
import { fakeIo } from '../support/cli-io.ts';

const cwd = mkdtempSync(join(tmpdir(), 'kairos-solution-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const read = (text: string | undefined, stdin?: string) =>
  readSolutionOption(text, fakeIo({ cwd, stdin }).io);
const failure = (text: string) =>
  read(text).then(
    () => 'read',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );

describe('readSolutionOption', () => {
  it('reads JSON, a file or standard input', async () => {
    writeFileSync(join(cwd, 's.json'), '\ufeff{"type":"shell"}');
    expect(await read('{"type":"comment"}')).toEqual({ type: 'comment' });
    expect(await read('@s.json')).toEqual({ type: 'shell' });
    expect(await read('-', '{"type":"mcp"}')).toEqual({ type: 'mcp' });
    expect(await read(undefined)).toBeUndefined();
  });

  it('reads more than the limit of a document, if it is text', async () => {
    const text = JSON.stringify({ shell: { stdout: 'é'.repeat(2 ** 20) } });
    expect(await read('-', text)).toEqual(JSON.parse(text));
    writeFileSync(join(cwd, 'large.json'), Buffer.from(text, 'latin1'));
    expect(await failure('@large.json')).toBe('FILE_UNREADABLE: large.json is not valid UTF-8');
  });

  it('reports where the JSON is broken', async () => {
    expect(await failure('{"a":')).toMatch(/^INVALID_INPUT: the solution in --solution is not valid JSON: /);
    expect(await failure('@none.json')).toBe('FILE_UNREADABLE: none.json does not exist');
  });

  it.each(['{"user_input":{"confirmation":"<ANSWER>"}}', '{"comment":{"text":" <ACCOUNT> "}}'])(
    'refuses a blank that was not filled in: %s',
    async (text) => {
      expect(await failure(text)).toMatch(/^INVALID_INPUT: .* is a blank that must be filled in$/);
    },
  );
});
