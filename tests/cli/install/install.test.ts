import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTALL_CLIENTS, type ServerEntry } from '../../../src/cli/commands/install/clients.ts';
import { changeConfig, entryEnv, serverChange } from '../../../src/cli/commands/install/install.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-install-'));
  file = join(folder, 'mcp.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 0, 15, 12);
const change = (name: string, start: ServerEntry | null) =>
  changeConfig(serverChange({ client: INSTALL_CLIENTS.cursor, file, name, start }), NOW);
const put = (name: string) => change(name, { command: 'kairos', args: ['serve'] });
const remove = (name: string) => change(name, null);

describe('the original file', () => {
  const copies = () => readdirSync(folder).filter((name) => name.endsWith('.bak'));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');

  it('is kept, and of later installations only the file before the last one, also within one second', async () => {
    const texts = ['{"a": 1}'];
    writeFileSync(file, texts[0]!);
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(await put(name)).toMatchObject({ change: 'changed', backup: expect.stringMatching(/\.bak$/) });
      texts.push(readFileSync(file, 'utf8'));
    }
    expect(copies().map(read).toSorted()).toEqual([texts[0]!, texts[3]!].toSorted());
    expect(await put('d')).toEqual({ change: 'none', backup: null, text: readFileSync(file, 'utf8') });
    expect(copies()).toHaveLength(2);
  });

  it('is restored with the last removal, and the next installation keeps what is there then', async () => {
    for (const original of ['{"a": 1}', '{"a":\t2}']) {
      writeFileSync(file, original);
      await put('a');
      await put('b');
      await remove('b');
      expect(copies().map(read)).toEqual([original]);
      await remove('a');
      expect([read('mcp.json'), copies()]).toEqual([original, []]);
    }
  });
});

describe('a file that is not to be written', () => {
  it.each([0o444, 0o400])('is left alone when it is read-only: %o', async (mode) => {
    writeFileSync(file, '{}');
    chmodSync(file, mode);
    await expect(put('kairos')).rejects.toThrow(`it is read-only (mode ${mode.toString(8)})`);
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(readdirSync(folder)).toEqual(['mcp.json']);
  });

  it('is left alone when it is a pipe, without waiting for a writer', async () => {
    execFileSync('mkfifo', [file]);
    await expect(put('kairos')).rejects.toThrow('it is not a regular file');
  });

  it('is not changed when it is a broken link', async () => {
    symlinkSync('dotfiles/mcp.json', file);
    await expect(put('kairos')).rejects.toThrow("it is a link to dotfiles/mcp.json, which doesn't exist");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('is not changed when it is not a text file', async () => {
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(put('kairos')).rejects.toThrow('it is not UTF-8');
  });
});

describe('the variables of an entry', () => {
  it.each([
    ['json', '\ufeff{"mcpServers": {"kairos": {"env": {"KAIROS_STORE": "/my.db"}, },},}'],
    ['toml', '[mcp_servers.kairos]\nenv = { KAIROS_STORE = "/my.db" }\n'],
  ])('are reported: %s', async (format, text) => {
    writeFileSync(file, text);
    const client = format === 'json' ? INSTALL_CLIENTS.cursor : INSTALL_CLIENTS.codex;
    const start = { command: 'kairos', args: [] };
    const { change: made, text: after } = await changeConfig(
      serverChange({ client, file, name: 'kairos', start }),
      NOW,
    );
    expect([made, entryEnv(after, client, 'kairos')]).toEqual(['changed', { KAIROS_STORE: '/my.db' }]);
  });
});
