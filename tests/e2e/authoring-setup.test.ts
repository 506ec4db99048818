import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTALL_CLIENTS, type InstallClientName } from '../../src/cli/commands/install/clients.ts';
import { nodeFinding } from '../../src/operations/doctor/runtime.ts';
import { type CliHome, firstObject, KAIROS_BIN, kairos, kairosJson, makeHome } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

interface Diagnosis {
  healthy: boolean;
  findings: { name: string; health: string; detail: string; hint: string | null }[];
}
const diagnose = async (options = {}) => {
  const result = await kairosJson(home, ['doctor'], options);
  const { healthy, findings } = firstObject<Diagnosis>(result);
  return {
    code: result.code,
    healthy,
    of: (name: string) => findings.filter((finding) => finding.name === name),
  };
};
const mint = () => kairos(home, ['mint', '-'], { stdin: '# Ship\n\n## One\n\nDo.\n\n## Two\n\nDo more.\n' });

describe('kairos doctor', () => {
  it('finds nothing wrong with a fresh machine, and makes nothing', async () => {
    const { code, stdout } = await kairos(home, ['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {7}kairos /m);
    expect(stdout).toMatch(/^ok {7}store .*created when it is first needed$/m);
    expect(stdout).toMatch(/^ok {7}sqlite .*\d+\.\d+\.\d+ \((?:node:sqlite|@photostructure\/sqlite)\)/m);
    expect([readdirSync(home.data), readdirSync(home.config)]).toEqual([[], []]);
  });

  it('checks a store, and reports when other users can read it', async () => {
    await mint();
    const path = join(home.data, 'kairos.db');
    const before = await diagnose();
    expect(before).toMatchObject({ code: 0, healthy: true });
    expect(before.of('store')).toEqual([
      expect.objectContaining({
        health: 'ok',
        detail: expect.stringMatching(/intact, \d+ KiB, 1 protocol in 1 space$/),
      }),
    ]);
    chmodSync(path, 0o644);
    const after = await diagnose();
    expect(after.code).toBe(0);
    expect(after.of('store permissions')).toEqual([
      {
        name: 'store permissions',
        health: 'warning',
        detail: `other users have access to ${path} (mode 0644)`,
        hint: `To restrict access: chmod 600 ${path}`,
      },
    ]);
  });

  it('ends with 1 for an invalid store', async () => {
    writeFileSync(join(home.data, 'kairos.db'), 'no database at all, but long enough to be taken for one');
    const { code, healthy, of } = await diagnose();
    expect({ code, healthy }).toEqual({ code: 1, healthy: false });
    expect(of('store')).toEqual([expect.objectContaining({ health: 'broken' })]);
  });

  it('ends with 1 for pages that are damaged', async () => {
    await mint();
    const path = join(home.data, 'kairos.db');
    const bytes = readFileSync(path);
    bytes.fill(0xaa, 4096 * 3, 4096 * 6);
    writeFileSync(path, bytes);
    expect(await diagnose()).toMatchObject({ code: 1, healthy: false });
  });

  it('ends with 1 for a key or trust that others could have written', async () => {
    mkdirSync(join(home.data, 'keys'), { mode: 0o700 });
    writeFileSync(join(home.data, 'keys', 'sealing-key.pem'), 'no key', { mode: 0o600 });
    mkdirSync(join(home.data, 'trust'));
    chmodSync(join(home.data, 'trust'), 0o777);
    const { code, of } = await diagnose();
    expect(code).toBe(1);
    expect(of('sealing key')).toEqual([expect.objectContaining({ health: 'broken' })]);
    expect(of('trust')).toEqual([expect.objectContaining({ health: 'broken' })]);
  });

  it('ends with 1 for configurations that cannot be used', async () => {
    writeFileSync(join(home.config, 'kairos.config.yaml'), 'stor: x\n', { mode: 0o600 });
    writeFileSync(join(home.work, 'kairos.config.json'), '{"lnt": {}}');
    const { code, of } = await diagnose();
    expect(code).toBe(1);
    expect(of('user configuration')).toEqual([
      expect.objectContaining({ health: 'broken', detail: expect.stringContaining('"stor" is not known') }),
    ]);
    expect(of('project configuration')).toEqual([expect.objectContaining({ health: 'broken' })]);
  });

  it('lists what MCP clients know, and warns of an invalid file', async () => {
    const path = join(home.work, '.mcp.json');
    writeFileSync(
      path,
      JSON.stringify({ mcpServers: { github: { command: 'gh' }, procedures: { command: 'kairos' } } }),
    );
    const place = `Claude Code (${path})`;
    const found = (await diagnose()).of('mcp client').map(({ health, detail }) => [health, detail]);
    expect(found).toEqual([
      ['ok', `${place}: github`],
      ['ok', `${place}: procedures starts kairos`],
    ]);
    writeFileSync(path, '{');
    const { code, of } = await diagnose();
    expect({ code, health: of('mcp client').map(({ health }) => health) }).toEqual({
      code: 0,
      health: ['warning'],
    });
  });

  it.each(Object.keys(INSTALL_CLIENTS) as InstallClientName[])(
    'names what %s starts, and warns if that does not exist',
    async (client) => {
      await kairos(home, ['install', '--client', client]);
      const { title, userFile } = INSTALL_CLIENTS[client];
      const path = userFile({ env: home.env, platform: process.platform });
      const starts = () =>
        diagnose().then(({ of }) => of('mcp client').map(({ health, detail }) => [health, detail]));
      expect(await starts()).toEqual([
        ['ok', `${title} (${path}): kairos starts ${process.execPath} ${KAIROS_BIN} serve`],
      ]);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(KAIROS_BIN, '/gone/kairos.js'));
      expect(await starts()).toEqual([
        [
          'warning',
          `${title} (${path}): kairos starts ${process.execPath} /gone/kairos.js serve, but /gone/kairos.js does not exist`,
        ],
      ]);
    },
  );

  it('reports that a store is not available', async () => {
    const { code, of } = await diagnose({ env: { KAIROS_STORE: 'qdrant://127.0.0.1:1/none' } });
    expect({ code, health: of('store')[0]!.health }).toEqual({ code: 1, health: 'broken' });
  });

  it('compares versions of Node.js by their numbers', () => {
    expect(nodeFinding('20.9.0', '20.17').health).toBe('broken');
    expect(nodeFinding('20.17.0', '20.17').health).toBe('ok');
    expect(nodeFinding('22.1.0', '20.17').health).toBe('ok');
  });
});

describe('kairos config', () => {
  const sources = async (args: string[] = [], env = {}) => {
    const result = await kairosJson(home, ['config', ...args], { env });
    const { settings } = firstObject<{ settings: { key: string; value: string | null; source: string }[] }>(
      result,
    );
    return Object.fromEntries(settings.map(({ key, value, source }) => [key, [value, source]]));
  };
  const file = () => join(home.config, 'kairos.config.yaml');

  it('reports the source of every value, the strongest source first', async () => {
    expect(await sources()).toMatchObject({
      store: [join(home.data, 'kairos.db'), 'default'],
      space: ['default', 'default'],
      session: [null, 'default'],
      data: [home.data, 'KAIROS_DATA_DIR'],
      config: [home.config, 'KAIROS_CONFIG_DIR'],
      project: [null, 'default'],
    });
    writeFileSync(file(), 'space: mine\nstore: /tmp/mine.db\n', { mode: 0o600 });
    expect(await sources()).toMatchObject({ space: ['mine', file()], store: ['/tmp/mine.db', file()] });
    const env = { KAIROS_SPACE: 'theirs', QDRANT_URL: 'http://user:secret@host:6333' };
    expect(await sources([], env)).toMatchObject({
      space: ['theirs', 'KAIROS_SPACE'],
      store: ['qdrant:http://***@host:6333', 'QDRANT_URL'],
    });
    expect(await sources(['--space', 'ours', '--store', 'x.db'], env)).toMatchObject({
      space: ['ours', '--space'],
      store: [join(home.work, 'x.db'), '--store'],
    });
  });

  it('shows what the project configures about rules', async () => {
    const project = join(home.work, 'kairos.config.yaml');
    writeFileSync(project, 'lint: {rules: {step-empty: "off"}}\n');
    expect(await sources()).toMatchObject({
      project: [project, 'found from here upwards'],
      'lint.rules.step-empty': ['off', project],
    });
  });

  it('writes your own file, and keeps its other content', async () => {
    expect(await kairos(home, ['config', 'set', 'space', 'mine'])).toMatchObject({ code: 0 });
    expect(readFileSync(file(), 'utf8')).toBe('space: mine\n');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    writeFileSync(file(), '# my own\nspace: mine # always\nlint: {}\n', { mode: 0o600 });
    expect(await kairos(home, ['config', 'set', 'store', '/tmp/s.db'])).toMatchObject({ code: 0 });
    expect(readFileSync(file(), 'utf8')).toBe('# my own\nspace: mine # always\nlint: {}\nstore: /tmp/s.db\n');
    expect(await kairos(home, ['config', 'get', 'space'])).toMatchObject({ code: 0, stdout: 'mine\n' });
    expect(await kairos(home, ['config', 'unset', 'space'])).toMatchObject({ code: 0 });
    expect(await kairos(home, ['config', 'get', 'space'])).toMatchObject({ code: 0, stdout: 'default\n' });
    expect(await kairos(home, ['config', 'path'])).toMatchObject({ code: 0, stdout: `${file()}\n` });
  });

  it('writes a file in JSON as JSON', async () => {
    const path = join(home.config, 'kairos.config.json');
    writeFileSync(path, '{"store": "/tmp/s.db"}', { mode: 0o600 });
    expect(await kairos(home, ['config', 'set', 'space', 'mine'])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ store: '/tmp/s.db', space: 'mine' });
    expect(existsSync(file())).toBe(false);
  });

  it.each([
    ['a key that cannot be set', ['set', 'spase', 'x'], 'Did you mean space?'],
    ['a name that no space can have', ['set', 'space', 'a b'], 'cannot be the name of a space'],
    ['an empty value', ['set', 'store', ''], 'store is empty'],
    ['a key that there is not', ['get', 'nonsense'], 'there is no setting'],
  ])('ends with 2 for %s', async (_name, args, said) => {
    const result = await kairos(home, ['config', ...args]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(said);
    expect(existsSync(file())).toBe(false);
  });

  it('does not write into a file that it does not understand', async () => {
    writeFileSync(file(), 'stor: x\n', { mode: 0o600 });
    expect(await kairos(home, ['config', 'set', 'space', 'mine'])).toMatchObject({ code: 2 });
    expect(readFileSync(file(), 'utf8')).toBe('stor: x\n');
  });
});
