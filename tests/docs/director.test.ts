import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';

const read = (name: string) => readFileSync(new URL(`../../docs/mcp/${name}`, import.meta.url), 'utf8');
const home = makeHome();
afterAll(() => home.remove());

const SETTINGS = [
  ...read('director.md').matchAll(/^\| `(--[a-z-]+)`.*?\| `(KAIROS_[A-Z_]+)`.*?\| `([a-z_]+)`/gm),
].map(([, flag, variable, key]) => ({ flag: flag!, variable: variable!, key: key! }));
const VALUES: Record<string, { variable: string; file: string }> = {
  user_input_driver: { variable: 'sampling', file: 'agent' },
  enable_user_input_server_driver: { variable: 'true', file: 'false' },
  sampling_driver: { variable: 'agent', file: 'client' },
  user_input_timeout_seconds: { variable: '7', file: '8' },
  allow_auto_sampling: { variable: 'a-slug', file: '[other-slug]' },
};

describe('the settings in docs/mcp/director.md', () => {
  it('are all of them', async () => {
    expect(SETTINGS.map(({ key }) => key)).toEqual(Object.keys(VALUES));
    const { stdout } = await kairos(home, ['serve', '--help']);
    for (const { flag, variable } of SETTINGS) {
      expect(stdout).toContain(flag);
      expect(stdout).toContain(variable);
    }
  });

  it.each(SETTINGS)('$key: the environment goes before the file', async ({ variable, key }) => {
    const value = VALUES[key]!;
    const file = join(home.config, 'kairos.config.yaml');
    writeFileSync(file, `${key}: ${value.file}\n`, { mode: 0o600 });
    const shown = async (env: NodeJS.ProcessEnv) => {
      const { settings } = firstObject<{ settings: object[] }>(await kairosJson(home, ['config'], { env }));
      return settings.find((setting) => (setting as { key: string }).key === key);
    };
    expect(await shown({})).toMatchObject({ value: value.file.replace(/[[\]]/g, ''), source: file });
    expect(await shown({ [variable]: value.variable })).toMatchObject({
      value: value.variable,
      source: variable,
    });
  });
});

describe('docs/mcp/director-roll-out.md', () => {
  it('adds the switch to one client as the page describes', async () => {
    const [, command] = /^ *\$ kairos (install .*)$/m.exec(read('director-roll-out.md'))!;
    const [head, options] = command!.split(' -- ');
    const { stdout, code } = await kairos(home, [
      ...head!.split(' '),
      '--print',
      '--',
      ...options!.split(' '),
    ]);
    expect(code).toBe(0);
    const entry = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
      mcpServers: { kairos: { args: string[] } };
    };
    expect(entry.mcpServers.kairos.args.slice(-3)).toEqual([
      '--user-input-server-driver',
      '--log-level',
      'info',
    ]);
  });

  it('names every client that kairos can be installed for, and each source that it cites', () => {
    const page = read('director-roll-out.md');
    const rows = [...page.matchAll(/^\| ([A-Z][\w ]+) \| (?:yes|no|not stated) \|.*$/gm)];
    expect(rows.map(([, name]) => name)).toEqual([
      'Claude Code',
      'Claude Desktop',
      'Cursor',
      'VS Code',
      'Codex CLI',
      'Gemini CLI',
      'OpenCode',
      'Copilot CLI',
    ]);
    const sources = /^Sources: ([\s\S]*?)\n\n/m.exec(page)![1]!;
    const cited = rows.flatMap(([row]) =>
      [...row.matchAll(/\[([\d, ]+)\]/g)].flatMap(([, list]) => list!.split(', ')),
    );
    for (const number of cited) expect(sources).toMatch(new RegExp(`(^|\\s)${number} `));
  });
});
