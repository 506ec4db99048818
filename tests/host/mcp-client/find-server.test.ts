import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_FILES } from '../../../src/host/mcp-client/client-files.ts';
import { configFiles, findServer } from '../../../src/host/mcp-client/find-server.ts';

let base: string;
let home: string;
let project: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-servers-')));
  home = join(base, 'home');
  project = join(base, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const find = (name: string, cwd = project) => findServer(name, { cwd, env: { HOME: home } });
const definition = (name: string, command: string) => ({ name, command, args: [], env: {}, cwd: null });

describe('findServer', () => {
  it('reads each kind of project file', async () => {
    const plain = put(join(project, '.mcp.json'), {
      mcpServers: { a: { command: 'a', args: ['-x', '1'], env: { K: 'v', N: 1 } } },
    });
    const code = put(join(project, '.vscode', 'mcp.json'), {
      servers: { b: { type: 'stdio', command: 'b', cwd: 'sub' } },
    });
    const cursor = put(join(project, '.cursor', 'mcp.json'), { mcpServers: { c: { command: 'c' } } });
    expect(await find('a')).toEqual({
      definition: { name: 'a', command: 'a', args: ['-x', '1'], env: { K: 'v', N: '1' }, cwd: null },
      file: plain,
      scope: 'project',
      folder: project,
    });
    expect(await find('b')).toMatchObject({
      definition: { ...definition('b', 'b'), cwd: 'sub' },
      file: code,
    });
    expect(await find('c')).toMatchObject({
      definition: definition('c', 'c'),
      file: cursor,
      scope: 'project',
    });
  });

  it.runIf(process.platform === 'linux')('reads each kind of user file', async () => {
    const files = {
      cursor: put(join(home, '.cursor', 'mcp.json'), { mcpServers: { cursor: { command: 'x' } } }),
      claude: put(join(home, '.claude.json'), { mcpServers: { claude: { command: 'x' } }, projects: {} }),
      desktop: put(join(home, '.config', 'Claude', 'claude_desktop_config.json'), {
        mcpServers: { desktop: { command: 'x' } },
      }),
      code: put(join(home, '.config', 'Code', 'User', 'mcp.json'), {
        servers: { code: { command: 'x' } },
        inputs: [],
      }),
      codex: put(join(home, '.codex', 'config.toml'), '[mcp_servers.codex]\ncommand = "x"\n'),
      gemini: put(join(home, '.gemini', 'settings.json'), { mcpServers: { gemini: { command: 'x' } } }),
      qwen: put(join(home, '.qwen', 'settings.json'), { mcpServers: { qwen: { command: 'x' } } }),
      opencode: put(join(home, '.config', 'opencode', 'opencode.json'), {
        mcp: { opencode: { type: 'local', command: ['x'] } },
      }),
      copilot: put(join(home, '.copilot', 'mcp-config.json'), {
        mcpServers: { copilot: { type: 'local', command: 'x', tools: ['*'] } },
      }),
      cline: put(join(home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'), {
        mcpServers: { cline: { command: 'x', disabled: false } },
      }),
    };
    for (const [name, file] of Object.entries(files)) {
      expect(await find(name)).toEqual({
        definition: definition(name, 'x'),
        file,
        scope: 'user',
        folder: project,
      });
    }
  });

  it('reads what every client keeps for a project, in the form of each', async () => {
    const stdio = { command: 'x', args: ['-a'], env: { K: 'v' } };
    const files: Record<string, string> = {
      codex: put(
        join(project, '.codex', 'config.toml'),
        '[mcp_servers.codex]\ncommand = "x"\nargs = ["-a"]\nenv = { K = "v" }\n',
      ),
      gemini: put(join(project, '.gemini', 'settings.json'), { mcpServers: { gemini: stdio } }),
      qwen: put(join(project, '.qwen', 'settings.json'), { mcpServers: { qwen: stdio } }),
      copilot: put(join(project, '.github', 'mcp.json'), {
        mcpServers: { copilot: { type: 'local', ...stdio, tools: ['*'] } },
      }),
      opencode: put(join(project, 'opencode.json'), {
        mcp: { opencode: { type: 'local', command: ['x', '-a'], environment: { K: 'v' }, enabled: true } },
      }),
      commented: put(
        join(project, 'opencode.jsonc'),
        `// ours
        {"mcp": {"commented": {"type": "local", "command": ["x", "-a"], "environment": {"K": "v"}}}}`,
      ),
    };
    for (const [name, file] of Object.entries(files)) {
      expect(await find(name)).toEqual({
        definition: { name, ...stdio, cwd: null },
        file,
        scope: 'project',
        folder: project,
      });
    }
  });

  it('reads what Claude Code keeps for one project in the file of the user', async () => {
    const sub = join(project, 'sub');
    mkdirSync(sub);
    const file = put(join(home, '.claude.json'), {
      projects: {
        [project]: { mcpServers: { local: { command: 'x' } } },
        '/elsewhere': { mcpServers: { other: { command: 'x' } } },
      },
    });
    expect(await find('local', sub)).toMatchObject({ file, scope: 'user', folder: sub });
    await expect(find('other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    [{ mcp: { s: { type: 'remote', url: 'https://x.example' } } }, /is reached over HTTP/],
    [{ mcp: { s: { type: 'local', command: ['x'], enabled: false } } }, /is disabled/],
    [{ mcp: { s: { type: 'local', command: [] } } }, /has no command/],
    [{ mcp: { s: { type: 'local', command: ['x', 1] } } }, /args that are not a list of texts/],
  ])('refuses %j of opencode', async (content, message) => {
    put(join(project, 'opencode.json'), content);
    await expect(find('s')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    });
  });

  it('names the line of a broken TOML file', async () => {
    put(join(project, '.codex', 'config.toml'), 'a = 1\nb = = 2\n');
    await expect(find('s')).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringMatching(/in line 2$/),
    });
  });

  it.each([
    ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.claude.json'],
    ['codex', { CODEX_HOME: '/c' }, '/c/config.toml'],
    ['gemini', { GEMINI_CLI_HOME: '/c' }, '/c/.gemini/settings.json'],
    ['opencode', { XDG_CONFIG_HOME: '/c' }, '/c/opencode/opencode.json'],
    ['copilot', { COPILOT_HOME: '/c' }, '/c/mcp-config.json'],
    ['qwen', { QWEN_HOME: '/c' }, '/c/settings.json'],
    ['cline', { CLINE_DIR: '/c' }, '/c/data/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_DATA_DIR: '/d', CLINE_DIR: '/c' }, '/d/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_MCP_SETTINGS_PATH: '/c/x.json', CLINE_DIR: '/c' }, '/c/x.json'],
  ] as const)('finds the file of %s where %j moves it', async (client, env, path) => {
    const usual = CLIENT_FILES[client].userFile({ env: { HOME: home }, platform: 'linux' });
    const files = (await configFiles({ cwd: project, env: { HOME: home, ...env } })).map((file) => file.path);
    expect(files).toContain(path);
    expect(files).not.toContain(usual);
  });

  it('uses the nearest file, and reads no other', async () => {
    const inner = put(join(project, 'sub', '.mcp.json'), { mcpServers: { s: { command: 'inner' } } });
    put(join(project, '.mcp.json'), { mcpServers: { s: { command: 'outer' } } });
    put(join(project, '.cursor', 'mcp.json'), { mcpServers: { s: { command: 'cursor' } } });
    put(join(home, '.cursor', 'mcp.json'), { mcpServers: { s: { command: 'user' } } });
    put(join(home, '.claude.json'), '{ broken');
    expect(await find('s', join(project, 'sub'))).toEqual({
      definition: definition('s', 'inner'),
      file: inner,
      scope: 'project',
      folder: join(project, 'sub'),
    });
  });

  it('does not look above a repository, nor above the folder outside of one', async () => {
    put(join(base, '.mcp.json'), { mcpServers: { planted: { command: 'evil' } } });
    await expect(find('planted')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(find('planted', home)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('reads over comments, trailing commas and a byte order mark', async () => {
    put(
      join(project, '.mcp.json'),
      '\ufeff{\n // mine\n "mcpServers": { "s": { "command": "x", /* none */ "args": [], }, },\n}',
    );
    expect(await find('s')).toMatchObject({ definition: definition('s', 'x') });
  });

  it('lists the known servers for an unknown name', async () => {
    put(join(project, '.mcp.json'), { mcpServers: { b: { command: 'x' } } });
    put(join(home, '.cursor', 'mcp.json'), { mcpServers: { a: { url: 'http://x' }, b: {} } });
    await expect(find('toString')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'no MCP server is configured under the name "toString"',
      hint: 'Known servers: a, b.',
    });
  });

  it('reports where to configure a server when none is known', async () => {
    await expect(find('s')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringContaining(`Name it in one of: ${join(project, '.mcp.json')}, `),
    });
  });

  it.each([
    ['{ "mcpServers": { "s": ', 'ValueExpected in line 1'],
    ['{\n "mcpServers": {},\n x }', 'InvalidSymbol in line 3'],
    ['[]', 'it is not a JSON object'],
    ['', 'ValueExpected in line 1'],
    ['{"mcpServers": []}', '"mcpServers" is not an object'],
  ])('does not guess the content of a broken file: %s', async (text, reason) => {
    const path = put(join(project, '.mcp.json'), text);
    put(join(home, '.cursor', 'mcp.json'), { mcpServers: { s: { command: 'x' } } });
    await expect(find('s')).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: `${path} cannot be read for MCP servers: ${reason}`,
      hint: 'Correct it, or move it away.',
    });
  });

  it('does not read a folder, a huge file or one without end of levels', async () => {
    put(join(project, '.mcp.json'), `{"x": ${'['.repeat(5000)}${']'.repeat(5000)}}`);
    await expect(find('s')).rejects.toMatchObject({ message: expect.stringContaining('nested too deeply') });
    rmSync(join(project, '.mcp.json'));
    mkdirSync(join(project, '.mcp.json'));
    await expect(find('s')).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    rmSync(join(project, '.mcp.json'), { recursive: true });
    put(join(project, '.mcp.json'), ' '.repeat((8 << 20) + 1));
    await expect(find('s')).rejects.toMatchObject({ message: expect.stringContaining('larger than 8 MiB') });
  });

  it.each([
    [{ url: 'https://example.org/mcp' }, 'is reached over HTTP'],
    [{ type: 'http', url: 'https://example.org/mcp' }, 'is reached over HTTP'],
    [{ type: 'sse', command: 'x' }, 'is reached over HTTP'],
    [{ command: 'x', disabled: true }, 'is disabled'],
    [{ command: 'x', envFile: '.env' }, 'reads an envFile'],
    [{ args: [] }, 'has no command'],
    [{ command: 7 }, 'has no command'],
    [{ command: 'x', args: 'y' }, 'has args that are not a list of texts'],
    [{ command: 'x', args: [1] }, 'has args that are not a list of texts'],
    [{ command: 'x', env: ['A=b'] }, 'has an env that does not map names to texts'],
    [{ command: 'x', env: { A: null } }, 'has an env that does not map names to texts'],
    [{ command: 'x', cwd: 1 }, 'has a cwd that is not a text'],
    ['x', 'is not an object'],
    [null, 'is not an object'],
  ])('rejects %j', async (entry, reason) => {
    const path = put(join(project, '.mcp.json'), { mcpServers: { s: entry } });
    await expect(find('s')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: `the MCP server "s" of ${path} ${reason}`,
      hint: expect.any(String),
    });
  });
});
