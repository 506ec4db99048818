import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadTokens } from '../../../src/mcp/http/access.ts';

const folder = mkdtempSync(join(tmpdir(), 'kairos-tokens-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function file(text: string, mode = 0o600): string {
  count += 1;
  const path = join(folder, String(count));
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
const ADA = 'a-token-long-enough-1';
const BOB = 'b.token~long+enough/2==';

describe('bearer tokens', () => {
  it('name their user', async () => {
    const tokens = (await loadTokens(file(`# ours\r\nada: ${ADA}\r\n\n${BOB}\n`), undefined))!;
    expect(tokens.identify(`Bearer ${ADA}`)).toBe('ada');
    expect(tokens.identify(`bearer  ${BOB} `)).toBe('bearer');
    for (const header of [
      undefined,
      '',
      'Bearer',
      `Basic ${ADA}`,
      ADA,
      `Bearer ${ADA}x`,
      `Bearer x${ADA}`,
      `Bearer ${ADA} ${BOB}`,
    ]) {
      expect(tokens.identify(header)).toBeNull();
    }
  });

  it('come from the environment without a file, and are absent without either', async () => {
    expect((await loadTokens(undefined, ADA))!.identify(`Bearer ${ADA}`)).toBe('bearer');
    expect((await loadTokens(file(ADA), BOB))!.identify(`Bearer ${BOB}`)).toBeNull();
    expect(await loadTokens(undefined, undefined)).toBeNull();
    expect(await loadTokens(undefined, '')).toBeNull();
  });

  it('are refused when they can be guessed, misread, or read by others', async () => {
    const link = join(folder, 'link');
    symlinkSync(file(ADA), link);
    for (const [path, reason] of [
      [file('short'), /shorter than 16/],
      [file('spaces are no part of it'), /shorter than 16 characters or has characters/],
      [file(`a name:${ADA}`), /names a caller/],
      [file('# nothing\n\n'), /contains no token/],
      [file(ADA, 0o640), /others have access/],
      [link, /symbolic link/],
      [join(folder, 'absent'), /does not exist/],
    ] as const) {
      await expect(loadTokens(path, undefined)).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(reason),
      });
    }
  });
});
