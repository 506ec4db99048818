import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTALL_CLIENTS, type InstallClient } from '../../src/cli/commands/install/clients.ts';
import { installDefinition } from '../../src/cli/commands/install/command.ts';
import { type CliHome, KAIROS_BIN, kairos, makeHome, SPAWNS } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const NAMES = Object.keys(INSTALL_CLIENTS) as (keyof typeof INSTALL_CLIENTS)[];
const userFile = (client: InstallClient) => client.userFile({ env: home.env, platform: 'linux' });
const usualStore = () => join(home.env.XDG_DATA_HOME!, 'kairos', 'kairos.db');
const install = async (...args: string[]) => {
  // Folders of kairos that only this shell knows are told of; there is a test for that.
  const env = { KAIROS_DATA_DIR: undefined, KAIROS_CONFIG_DIR: undefined };
  const result = await kairos(home, ['--json', 'install', ...args], { env });
  const objects = result.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { ...result, objects };
};

describe('kairos install', () => {
  it('knows every client that its help names', () => {
    const option = installDefinition((command) => command).options.find(({ long }) => long === '--client');
    expect(option?.argChoices).toEqual(NAMES);
  });

  it.each(NAMES)('writes what %s starts: once, and removes it again', async (name) => {
    const client: InstallClient = INSTALL_CLIENTS[name];
    const file = userFile(client);
    mkdirSync(dirname(file), { recursive: true });
    const before = client.format === 'json' ? '{\n  // mine\n  "x": 1\n}\n' : '# mine\nx = 1\n';
    writeFileSync(file, before, { mode: 0o640 });

    const done = await install('--client', name, '--', '--read-only');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const { backup, ...outcome } = done.objects[0] as { backup: string };
    const told = { store: usualStore(), left_out: [] };
    expect(outcome).toEqual({ client: name, file, change: 'changed', ...told });
    expect(readFileSync(backup, 'utf8')).toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('mine');
    for (const part of [process.execPath, KAIROS_BIN, 'serve', '--read-only'])
      expect(text).toContain(JSON.stringify(part));
    if (client.format === 'json') {
      const start = { command: process.execPath, args: [KAIROS_BIN, 'serve', '--read-only'] };
      expect(parse(text)).toEqual({ x: 1, [client.key]: { kairos: client.entry(start) } });
    }

    expect((await install('--client', name, '--', '--read-only')).objects).toEqual([
      { client: name, file, change: 'none', backup: null, ...told },
    ]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(await install('--client', name, '--uninstall')).toMatchObject({ code: 0 });
    const after = readFileSync(file, 'utf8');
    expect(after).toContain('mine');
    expect(after).not.toContain('kairos');
  });

  it('creates the file of a project, for all its users, and follows a link', async () => {
    const project = await install('--client', 'claude-code', '--project', '--space', 'team');
    expect(project.objects).toEqual([
      {
        client: 'claude-code',
        file: join(home.work, '.mcp.json'),
        change: 'created',
        backup: null,
        store: null,
        left_out: [],
      },
    ]);
    expect(JSON.parse(readFileSync(join(home.work, '.mcp.json'), 'utf8'))).toEqual({
      mcpServers: { kairos: { type: 'stdio', command: 'kairos', args: ['serve', '--space', 'team'] } },
    });
    const real = join(home.work, 'dotfile.json');
    writeFileSync(real, '{}');
    symlinkSync(real, join(home.home, '.claude.json'));
    expect(await install('--client', 'claude-code')).toMatchObject({ code: 0 });
    expect(lstatSync(join(home.home, '.claude.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('mcpServers');
  });

  it('keeps what the user wrote into the entry, reports when nothing changes, and overwrites nothing that it kept', async () => {
    const file = userFile(INSTALL_CLIENTS.cursor);
    mkdirSync(dirname(file), { recursive: true });
    const before = `{
  "mcpServers": {
    "kairos": {
      "command": "old", // keep me
      "env": { "KAIROS_STORE": "/my/store.db" },
      "autoApprove": ["kairos_search"]
    }
  }
}
`;
    writeFileSync(file, before);
    expect(await kairos(home, ['install', '--client', 'cursor'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Written to'),
    });
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('// keep me');
    expect(parse(text).mcpServers.kairos).toEqual({
      command: process.execPath,
      args: [KAIROS_BIN, 'serve'],
      env: { KAIROS_STORE: '/my/store.db' },
      autoApprove: ['kairos_search'],
    });
    expect(await kairos(home, ['install', '--client', 'cursor'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Unchanged: ${file}\n`),
    });
    expect(readFileSync(file, 'utf8')).toBe(text);

    for (const name of ['a', 'b']) await install('--client', 'cursor', '--name', name);
    const kept = readdirSync(dirname(file)).filter((name) => name.endsWith('.bak'));
    expect(kept).toHaveLength(2);
    expect(kept.map((name) => readFileSync(join(dirname(file), name), 'utf8'))).toContain(before);
  });

  it('prints and writes nothing', async () => {
    const printed = await kairos(home, ['install', '--client', 'vscode', '--print']);
    expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining('mcp.json') });
    expect(JSON.parse(printed.stdout)).toMatchObject({ servers: { kairos: { type: 'stdio' } } });
    expect(existsSync(userFile(INSTALL_CLIENTS.vscode))).toBe(false);
  });

  it('leaves a file alone that it cannot read, and refuses what has no meaning', async () => {
    writeFileSync(join(home.home, '.claude.json'), '{"mcpServers": ');
    const broken = await kairos(home, ['install', '--client', 'claude-code']);
    expect(broken).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('was not changed') });
    expect(readFileSync(join(home.home, '.claude.json'), 'utf8')).toBe('{"mcpServers": ');
    expect(readdirSync(home.home).filter((name) => name.includes('.bak'))).toEqual([]);
    expect(await kairos(home, ['install', '--client', 'cline', '--project'])).toMatchObject({ code: 2 });
    expect(await kairos(home, ['install', '--client', 'emacs'])).toMatchObject({ code: 2 });
    expect(await kairos(home, ['install', '--client', 'codex', '--name', 'a.b'])).toMatchObject({ code: 2 });
  });

  it.each([
    [['--', '--nope'], "unknown option '--nope'"],
    [['--', 'foo'], 'too many arguments'],
    [['--', '--help'], 'start nothing'],
    [['--', '--http', '80'], '--http has no meaning for a server that the client itself starts'],
    [['--', '--token-file', 'x'], '--token-file has no meaning without --http'],
    [['--', '--contain'], '--contain has no meaning without --execute'],
    [['--', '--session-idle', '0'], '--session-idle'],
    [['--', '--workdir', ''], 'the value of --workdir is empty'],
    [['--', '--workdir', '.'], '--workdir "." is relative'],
    [['--', '--root', '/', '--root', 'a'], '--root "a" is relative'],
    [['--', '--store', 'a.db'], '--store "a.db" is relative'],
    [['--', '--policy', 'a.yaml'], '--policy "a.yaml" is relative'],
    [['--', '--max-sessions', '5'], '--max-sessions has no meaning without --http'],
    [['--space', 'Bad Space'], '"Bad Space" cannot be the name of a space'],
    [['--', '--space', 'Bad Space'], '"Bad Space" cannot be the name of a space'],
  ])('writes no start that would be refused: %j', async (args, reason) => {
    expect(await kairos(home, ['install', '--client', 'cursor', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(reason),
    });
    expect(existsSync(userFile(INSTALL_CLIENTS.cursor))).toBe(false);
  });

  it('reports which store the server opens, and which variables are not passed', async () => {
    const file = userFile(INSTALL_CLIENTS.cursor);
    const run = (...args: string[]) =>
      kairos(home, ['install', '--client', 'cursor', ...args], { env: { KAIROS_STORE: '/shell.db' } });
    const first = await run();
    expect(first.stdout).toContain(`Store of the server: ${usualStore()}\n`);
    expect(first.stderr).toContain(
      'not written to the file: KAIROS_STORE, KAIROS_DATA_DIR, KAIROS_CONFIG_DIR.',
    );
    expect(readFileSync(file, 'utf8')).not.toContain('/shell.db');
    expect(await run('--store', '/mine.db')).toMatchObject({
      stdout: expect.stringContaining('Store of the server: /mine.db\n'),
      stderr: expect.not.stringContaining('KAIROS_STORE'),
    });
    writeFileSync(file, '{"mcpServers": {"kairos": {"env": {"KAIROS_STORE": "/entry.db"}}}}');
    expect(await run()).toMatchObject({
      stdout: expect.stringContaining('Store of the server: /entry.db\n'),
      stderr: expect.not.stringContaining('KAIROS_STORE'),
    });
    expect((await run('--project', '.')).stdout).toContain(
      'Store of the server: the default of the user who starts it\n',
    );
  });

  it('prints what comes next while the store has no protocols', async () => {
    const store = join(home.root, 'next.db');
    const install = () => kairos(home, ['install', 'cursor', '--store', store]);
    const next = `This store has no protocols yet. Add one: kairos mint FILE --store ${store}. `;
    const first = await install();
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(next) });
    expect(first.stdout).toContain(
      `Remove the server again: kairos install cursor --uninstall --store ${store}\n`,
    );
    expect(existsSync(store)).toBe(false);
    writeFileSync(join(home.work, 'one.md'), '# Water the plants\n\n## Water them\n\nAll of them.\n');
    await kairos(home, ['mint', 'one.md', '--store', store], { prepares: true });
    await kairos(home, ['install', 'cursor', '--uninstall']);
    expect((await install()).stdout).not.toContain('no protocols yet');
  });

  it('writes into the file that opencode reads', async () => {
    const usual = userFile(INSTALL_CLIENTS.opencode);
    const other = `${usual}c`;
    mkdirSync(dirname(usual), { recursive: true });
    writeFileSync(other, '{ /* mine */ }');
    expect((await install('--client', 'opencode')).objects[0]).toMatchObject({ file: other });
    expect(existsSync(usual)).toBe(false);
    writeFileSync(usual, '{}');
    expect((await install('--client', 'opencode', '--uninstall')).objects[0]).toMatchObject({
      file: other,
      change: 'changed',
    });
    expect((await install('--client', 'opencode')).objects[0]).toMatchObject({ file: usual });
  });

  it.each([
    [['--print', '--uninstall'], "'--print' cannot be used with option '--uninstall'"],
    [['--project', 'nope'], 'there is no project folder'],
    [['--project', 'nope', '--print'], 'there is no project folder'],
  ])('refuses what cannot be meant: %j', async (args, reason) => {
    expect(await kairos(home, ['install', '--client', 'cursor', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(reason),
    });
    expect(existsSync(join(home.work, 'nope'))).toBe(false);
  });

  it('writes where the store is for every working directory', async () => {
    const at = async (...args: string[]) => {
      await install('--client', 'claude-code', '--project', ...args);
      return JSON.parse(readFileSync(join(home.work, '.mcp.json'), 'utf8')).mcpServers.kairos.args;
    };
    expect(await at('--store', 'my.db')).toEqual(['serve', '--store', join(home.work, 'my.db')]);
    expect(await at('--store', 'sqlite:my.db')).toContain(`sqlite:${join(home.work, 'my.db')}`);
    expect(await at('--store', 'qdrant:http://127.0.0.1:6333')).toContain('qdrant:http://127.0.0.1:6333');
  });

  it.runIf(SPAWNS)('writes a start that really starts', async () => {
    await install('--client', 'cursor');
    const { mcpServers } = JSON.parse(readFileSync(userFile(INSTALL_CLIENTS.cursor), 'utf8'));
    const client = new Client({ name: 'tests', version: '1' });
    await client.connect(
      new StdioClientTransport({
        ...mcpServers.kairos,
        env: home.env as Record<string, string>,
        stderr: 'ignore',
      }),
    );
    expect(client.getServerVersion()).toMatchObject({ name: 'kairos' });
    await client.close();
  });
});
