import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOOK_CLIENTS } from '../../src/cli/commands/hold/clients.ts';
import { INSTALL_CLIENTS, type InstallClient } from '../../src/cli/commands/install/clients.ts';
import { HOOK_SETTINGS, installedHook } from '../../src/cli/commands/install/hold.ts';
import { asObject, contentOf } from '../../src/cli/commands/install/hooks-config.ts';
import { REMOTE_KEYS } from '../../src/host/mcp-client/client-files.ts';
import { type CliHome, KAIROS_BIN, kairos, makeHome } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
  // The usual folders need no options.
  for (const name of ['XDG_CONFIG_HOME', 'XDG_DATA_HOME']) delete home.env[name];
});
afterEach(() => home.remove());

type Json = Record<string, unknown>;
type Name = keyof typeof HOOK_SETTINGS;
const NAMES = Object.keys(HOOK_SETTINGS) as Name[];
const install = async (...args: string[]) => {
  // The server's note on variables of this shell has its own test.
  const env = { KAIROS_DATA_DIR: undefined, KAIROS_CONFIG_DIR: undefined };
  const { code, stdout, stderr } = await kairos(home, ['install', ...args], { env });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};
const places = () => ({ env: home.env, platform: process.platform });
const hookFile = (name: Name) => HOOK_SETTINGS[name].userFile(places());
const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

describe('kairos install --hold', () => {
  it('knows every client that kairos hook knows', () => {
    expect(NAMES).toEqual(Object.keys(HOOK_CLIENTS));
  });

  it.each(NAMES)('writes hooks of %s that start, once, and removes them again', async (name) => {
    const file = hookFile(name);
    expect(await install(name, '--hold')).toContain(`Written to ${file}`);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(KAIROS_BIN);
    expect(await install(name, '--hold')).toContain(`Unchanged: ${file}`);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(await install(name, '--uninstall', '--hold')).toContain(`Removed ${file}`);
    expect(readdirSync(dirname(file))).toEqual([]);
    expect(await install(name, '--uninstall', '--hold')).toContain('Nothing to remove');
  });

  it('writes a folder into the hooks only if XDG_CONFIG_HOME moves it', async () => {
    const unset = { KAIROS_CONFIG_DIR: undefined, KAIROS_DATA_DIR: undefined, XDG_DATA_HOME: undefined };
    const wordsWith = async (moved: string | undefined) => {
      const env = { ...unset, XDG_CONFIG_HOME: moved };
      expect(await kairos(home, ['install', 'claude-code', '--hold'], { env })).toMatchObject({ code: 0 });
      const { command } = installedHook('claude-code', readFileSync(hookFile('claude-code'), 'utf8'))!;
      return String(command).split(' ').slice(2);
    };
    expect(await wordsWith(undefined)).toEqual(['hook', 'claude-code']);
    const moved = join(home.home, 'moved');
    const isXdg = process.platform !== 'darwin' && process.platform !== 'win32';
    const expected = isXdg ? ['--config-dir', join(moved, 'kairos')] : [];
    expect(await wordsWith(moved)).toEqual(['hook', 'claude-code', ...expected]);
  });

  it.each(NAMES)('writes the folders of this shell into the hooks of %s', async (name) => {
    const file = hookFile(name);
    const { code } = await kairos(home, ['install', name, '--hold']);
    expect(code).toBe(0);
    const { command } = installedHook(name, readFileSync(file, 'utf8'))!;
    const words = typeof command === 'string' ? command.split(' ') : command;
    const at = words.indexOf('--config-dir');
    expect(words.slice(at, at + 4)).toEqual(['--config-dir', home.config, '--data-dir', home.data]);
  });

  it('names no folder of this user in a project, and prints that', async () => {
    const { stderr } = await kairos(home, ['install', 'claude-code', '--hold', '--project']);
    expect(stderr).toBe(
      `note: not written to the project's file: --config-dir ${home.config}, --data-dir ${home.data}. The client must set the variable itself, or it reads another hold list.\n`,
    );
    expect(readFileSync(join(home.work, '.claude', 'settings.json'), 'utf8')).not.toContain(home.config);
  });

  it('makes a hook that reads the list which this shell shows', async () => {
    await install('claude-code', '--hold');
    const plain = installedHook('claude-code', readFileSync(hookFile('claude-code'), 'utf8'))!;
    await kairos(home, ['install', 'claude-code', '--hold']);
    const pinned = installedHook('claude-code', readFileSync(hookFile('claude-code'), 'utf8'))!;
    put(
      join(home.config, 'hold.yaml'),
      'holds:\n  - { match: { command: git push }, protocol: ship, allow_when: demanded, else: deny }\n',
    );
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: 's',
      cwd: home.work,
      tool_name: 'Bash',
      tool_input: { command: 'git push' },
    };
    const answers = [];
    for (const { command } of [plain, pinned]) {
      const args = String(command).split(' ').slice(2);
      const env = { KAIROS_CONFIG_DIR: undefined, KAIROS_DATA_DIR: undefined };
      const { stdout } = await kairos(home, args, { env, stdin: JSON.stringify(event) });
      answers.push(JSON.parse(stdout).hookSpecificOutput?.permissionDecision);
    }
    expect(answers).toEqual([undefined, 'deny']);
  });

  const FILES = [
    '{}',
    '{\n}\n',
    '\ufeff{}',
    '{"hooks":{}}',
    '{"theme":"dark"}',
    '// mine\n{\n\t"theme": "dark", // keep\n}\n',
    '{\r\n  "hooks": {\r\n    "PreToolUse": [\r\n      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] }, // mine\r\n    ],\r\n  },\r\n}\r\n',
    '{ "hooks": { "PreToolUse": [{ "hooks": [] }], "BeforeTool": [], "stop": [{ "command": "x" }] }, "version": 1 }',
    '{\n  "a": 1,\n  "hooks": {\n    "Stop": [],\n    "other": {}\n  }\n}',
    '{\n  "a": 1,\n  "hooks": { // h\n    "Stop": [] }\n}\n',
    '{\n  "hooks": { "stop": [ // mine\n  ] /* a, b */, "Stop": [ /* c */ ] } // d\n}\n',
  ];
  const JSON_NAMES = NAMES.filter((name) => 'entries' in HOOK_SETTINGS[name]);

  it.each(JSON_NAMES.flatMap((name) => FILES.map((text) => [name, text] as const)))(
    'leaves the file of %s unchanged, byte for byte: %j',
    async (name, before) => {
      const file = hookFile(name);
      put(file, before);
      await install(name, '--hold');
      expect(readFileSync(file, 'utf8')).not.toBe(before);
      await install(name, '--uninstall', '--hold');
      expect(readFileSync(file, 'utf8')).toBe(before);
    },
  );

  it.each(['claude-code', 'codex', 'gemini'] as const)(
    'keeps what the user added to its entries for %s',
    async (name) => {
      const file = hookFile(name);
      put(file, '{"a":1}');
      await install(name, '--hold');
      const mine = { type: 'command', command: '/home/me/audit.sh' };
      const content = JSON.parse(readFileSync(file, 'utf8'));
      content.hooks.SessionStart[0].hooks.push(mine);
      content.hooks[name === 'gemini' ? 'AfterAgent' : 'Stop'][0].hooks.unshift(mine);
      writeFileSync(file, JSON.stringify(content, null, 2));
      expect(await install(name, '--hold')).toContain('Unchanged');
      // The hooks of another installation.
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(KAIROS_BIN, '/old/kairos.js'));
      await install(name, '--hold');
      const again = readFileSync(file, 'utf8');
      expect(again.split('/home/me/audit.sh').length).toBe(3);
      expect(again).not.toContain('/old/');
      await install(name, '--uninstall', '--hold');
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
        a: 1,
        hooks: {
          SessionStart: [{ hooks: [mine] }],
          [name === 'gemini' ? 'AfterAgent' : 'Stop']: [{ hooks: [mine] }],
        },
      });
    },
  );

  it.each(FILES)('is removed with the server, in any order: %j', async (before) => {
    const file = hookFile('gemini');
    expect(INSTALL_CLIENTS.gemini.userFile(places())).toBe(file);
    for (const undo of [[['--hold'], []], [[], []], [['--hold']]]) {
      put(file, before);
      await install('gemini');
      const served = readFileSync(file, 'utf8');
      await install('gemini', '--hold');
      for (const part of undo) await install('gemini', '--uninstall', ...part);
      expect(readFileSync(file, 'utf8')).toBe(undo.length === 1 ? served : before);
    }
  });

  it('has nothing to remove if hooks is null', async () => {
    const file = hookFile('claude-code');
    put(file, '{"hooks":null}');
    expect(await install('claude-code', '--uninstall', '--hold')).toContain('Nothing to remove');
    expect(readFileSync(file, 'utf8')).toBe('{"hooks":null}');
  });

  it('leaves an empty file empty', async () => {
    const file = hookFile('claude-code');
    put(file, '');
    await install('claude-code', '--hold');
    expect(readFileSync(file, 'utf8')).not.toBe('');
    await install('claude-code', '--uninstall', '--hold');
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('keeps what the user changed in the meantime', async () => {
    const file = hookFile('claude-code');
    put(file, '{\n  "theme": "dark"\n}\n');
    await install('claude-code', '--hold');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"dark"', '"light"'));
    await install('claude-code', '--uninstall', '--hold');
    expect(readFileSync(file, 'utf8')).toBe('{\n  "theme": "light"\n}\n');
  });

  it('replaces hooks of an older kairos', async () => {
    const file = hookFile('claude-code');
    const old = { hooks: [{ type: 'command', command: '/old/node /old/kairos.js hook claude-code' }] };
    put(file, JSON.stringify({ hooks: { PreToolUse: [old], Stop: [{ hooks: [] }, old] } }));
    await install('claude-code', '--hold');
    const { hooks } = JSON.parse(readFileSync(file, 'utf8'));
    expect(JSON.stringify(hooks)).not.toContain('/old/');
    expect(hooks.Stop).toHaveLength(2);
    expect(hooks.PreToolUse).toHaveLength(1);
  });

  it('names the program on the path in a project, and the store that was given', async () => {
    await install('claude-code', '--hold', '--project', '--store', 'my store.db');
    const { hooks } = JSON.parse(readFileSync(join(home.work, '.claude', 'settings.json'), 'utf8'));
    expect(hooks.Stop[0].hooks[0].command).toBe(
      `kairos hook claude-code --store '${join(home.work, 'my store.db')}'`,
    );
    expect(existsSync(hookFile('claude-code'))).toBe(false);
  });

  it('refuses a foreign plug-in file and a client without hooks', async () => {
    put(hookFile('opencode'), 'export const Mine = 1;\n');
    const foreign = await kairos(home, ['install', 'opencode', '--hold']);
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      expect.stringContaining('it is not a file of kairos'),
    ]);
    const none = await kairos(home, ['install', 'vscode', '--hold']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no hooks that kairos knows')]);
    expect(await kairos(home, ['install'])).toMatchObject({ code: 2 });
    expect(await kairos(home, ['install', 'emacs'])).toMatchObject({ code: 2 });
  });

  it('writes a command that a shell can start', async () => {
    await install('claude-code', '--hold');
    const { hooks } = JSON.parse(readFileSync(hookFile('claude-code'), 'utf8'));
    const { command } = hooks.PreToolUse[0].hooks[0];
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).split('\n');
    expect(words).toEqual([process.execPath, KAIROS_BIN, 'hook', 'claude-code', '']);
  });
});

describe('kairos install --gateway', () => {
  const SERVERS: [name: keyof typeof INSTALL_CLIENTS, text: string][] = [
    [
      'claude-code',
      '{\n  "mcpServers": {\n    "git": { "command": "npx", "args": ["-y", "server-git"], "env": { "TOKEN": "x" } } // mine\n  }\n}\n',
    ],
    ['codex', '# mine\n[mcp_servers.git]\ncommand = "npx"\nargs = ["-y", "server-git"]\n'],
    ['opencode', '{"mcp":{"git":{"type":"local","command":["npx","-y","server-git"]}}}'],
  ];

  it.each(SERVERS)(
    'puts the servers of %s behind the gateway, once, and back again',
    async (name, before) => {
      const file = INSTALL_CLIENTS[name].userFile(places());
      put(file, before);
      const run = (...args: string[]) => kairos(home, ['install', name, ...args]);
      expect((await run('--gateway')).stdout).toContain('Servers: git');
      const text = readFileSync(file, 'utf8');
      const words = [
        process.execPath,
        KAIROS_BIN,
        'gateway',
        '--name',
        'git',
        '--',
        'npx',
        '-y',
        'server-git',
      ];
      for (const word of words) expect(text).toContain(JSON.stringify(word));
      expect((await run('--gateway', 'git')).stdout).toContain('Unchanged');
      expect((await run('--uninstall', '--gateway')).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(before);
      await run('--gateway', 'git');
      await run('--uninstall');
      expect(readFileSync(file, 'utf8')).toBe(before);
    },
  );

  const REMOTE: [name: keyof typeof INSTALL_CLIENTS, text: string, headers: Json | null][] = [
    [
      'claude-code',
      '{\n  "mcpServers": {\n    "web": {\n      "url": "https://example.com/mcp", // mine\n      "headers": { "X-Key": "${KEY}" },\n      "type": "http",\n    }\n  }\n}\n',
      { 'X-Key': '${KEY}' },
    ],
    ['vscode', '{"servers":{"web":{"url":"https://example.com/mcp"}}}', null],
    ['gemini', '{"mcpServers":{"web":{"httpUrl":"https://example.com/mcp","trust":true}}}', null],
    ['opencode', '{"mcp":{"web":{"type":"remote","url":"https://example.com/mcp","enabled":false}}}', null],
    [
      'codex',
      '[mcp_servers.web] # mine\nurl = "https://example.com/mcp"\nbearer_token_env_var = "KEY"\n\n[mcp_servers.web.http_headers]\n"X-Key" = "k"\n\n[other]\na = 1\n',
      { 'X-Key': 'k', Authorization: 'Bearer ${KEY}' },
    ],
  ];

  it.each(REMOTE)(
    'reaches a server over HTTP for %s, and restores each byte',
    async (name, before, headers) => {
      const client: InstallClient = INSTALL_CLIENTS[name];
      const file = client.userFile(places());
      put(file, before);
      expect((await kairos(home, ['install', name, '--gateway'])).stdout).toContain('Servers: web');
      const text = readFileSync(file, 'utf8');
      const entry = asObject(asObject(contentOf(text, client)[client.key]).web);
      const words = [entry.command, entry.args ?? []].flat(2);
      expect(words).toEqual([
        ...[process.execPath, KAIROS_BIN, 'gateway', '--config-dir', home.config, '--data-dir', home.data],
        ...['--name', 'web', '--url', 'https://example.com/mcp'],
      ]);
      const { KAIROS_GATEWAY_HEADERS: given = 'null' } = asObject(entry[client.envKey ?? 'env']);
      expect(JSON.parse(String(given))).toEqual(headers);
      for (const key of REMOTE_KEYS) expect(entry).not.toHaveProperty(key);
      expect([entry.trust, entry.enabled, entry.env_vars]).toEqual([
        name === 'gemini' ? true : undefined,
        name === 'opencode' ? false : undefined,
        name === 'codex' ? ['KEY'] : undefined,
      ]);
      expect((await kairos(home, ['install', name, '--gateway', 'web'])).stdout).toContain('Unchanged');
      for (const backup of readdirSync(dirname(file)).filter((each) => each.endsWith('.bak')))
        rmSync(join(dirname(file), backup));
      await kairos(home, ['install', name, '--uninstall']);
      expect(readFileSync(file, 'utf8')).toBe(before);
    },
  );

  it('names servers that it leaves out, and refuses unknown ones', async () => {
    const servers = {
      sse: { type: 'sse', url: 'https://e.com' },
      signed: { url: 'https://e.com', oauth: {} },
    };
    const projects = { '/x': { mcpServers: { git: { command: 'git-server' } } }, '/y': {} };
    put(INSTALL_CLIENTS['claude-code'].userFile(places()), JSON.stringify({ mcpServers: servers, projects }));
    const done = await kairos(home, ['install', 'claude-code', '--gateway']);
    expect(done.stderr).toContain(
      'it cannot reach them, or they belong to one project: git (only in /x), sse, signed',
    );
    const unknown = await kairos(home, ['install', 'claude-code', '--gateway', 'nope']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('has no server "nope"')]);
  });
});

describe('kairos doctor', () => {
  const holding = async (env: NodeJS.ProcessEnv = {}) => {
    const { stdout } = await kairos(home, ['doctor', '--json'], {
      env: { KAIROS_MACHINE_DIR: join(home.root, 'machine'), ...env },
    });
    const { findings } = JSON.parse(stdout) as {
      findings: { name: string; health: string; detail: string }[];
    };
    return findings
      .filter(({ name }) => /^(?:hold list|hooks of .*)$/.test(name))
      .map(({ name, health, detail }) => [name, health, detail.replaceAll(home.work, '.')]);
  };
  /** A folder with a program named kairos. */
  const path = (script: string) => {
    const folder = join(home.root, 'programs');
    put(join(folder, 'kairos'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'kairos'), 0o700);
    return { PATH: `${folder}:${process.env.PATH}` };
  };

  it('names what is held, and a list that no client obeys', async () => {
    expect(await holding()).toEqual([['hold list', 'ok', 'nothing is held']]);
    put(join(home.config, 'hold.yaml'), 'holds:\n  - {match: {command: git push}, protocol: release}\n');
    chmodSync(join(home.config, 'hold.yaml'), 0o600);
    expect(await holding()).toEqual([
      ['hold list', 'warning', 'held: git push, but no client has hooks of kairos'],
    ]);
  });

  it.each(NAMES)('starts the hook of %s', async (name) => {
    await install(name, '--hold', '--project');
    const file = join('.', HOOK_SETTINGS[name].projectFile);
    const title = `hooks of ${INSTALL_CLIENTS[name].title}`;
    const [, good] = await holding(path('echo "{}"'));
    expect(good?.slice(0, 2)).toEqual([title, 'ok']);
    expect(good?.[2]).toContain(`./${file}: the hook starts`);
    const [, bad] = await holding(path('echo "cannot open" >&2; exit 1'));
    expect(bad).toEqual([title, 'warning', `./${file}: the hook does not start: cannot open`]);
  });

  it('names the servers behind the gateway, and a missing program', async () => {
    const file = INSTALL_CLIENTS.gemini.userFile(places());
    put(
      file,
      '{"mcpServers":{"web":{"httpUrl":"https://e.com"},"git":{"command":"npx","args":["server-git"]}}}',
    );
    await kairos(home, ['install', 'gemini', '--gateway']);
    const gateways = async () => {
      const { stdout } = await kairos(home, ['doctor', '--json']);
      const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] };
      return findings
        .filter(({ name }) => name!.startsWith('gateway of'))
        .map(({ health, detail }) => [health, detail]);
    };
    expect(await gateways()).toEqual([['ok', `${file}: web, git`]]);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(KAIROS_BIN, '/old/kairos.js'));
    expect(await gateways()).toEqual([['warning', `${file}: web, git: /old/kairos.js does not exist`]]);
  });

  it.each(NAMES)('names a folder that the hook or gateway of %s uses and doctor does not', async (name) => {
    const client = INSTALL_CLIENTS[name];
    const odd = join(home.root, "it's here");
    const elsewhere = { KAIROS_CONFIG_DIR: odd };
    const servers =
      client.format === 'json'
        ? `{"${client.key}":{"git":{"command":"x"}}}`
        : '[mcp_servers.git]\ncommand = "x"\n';
    put(
      client.userFile(places()),
      name === 'opencode' ? '{"mcp":{"git":{"type":"local","command":["x"]}}}' : servers,
    );
    const findings = async (env: NodeJS.ProcessEnv) => {
      const { stdout } = await kairos(home, ['doctor', '--json'], { env });
      const all = (JSON.parse(stdout) as { findings: Record<string, string>[] }).findings;
      return all
        .filter(
          (each) => each.name === `hooks of ${client.title}` || each.name === `gateway of ${client.title}`,
        )
        .map(({ health, detail, hint }) => ({
          health,
          detail: /: it uses .*/.exec(detail!)?.[0] ?? '',
          hint,
        }));
    };
    await kairos(home, ['install', name, '--hold'], { env: elsewhere });
    await kairos(home, ['install', name, '--gateway'], { env: elsewhere });
    expect(await findings(elsewhere)).toMatchObject([{ detail: '' }, { detail: '' }]);
    const detail = `: it uses ${odd} for its configuration, and this command ${home.config}`;
    expect(await findings({})).toMatchObject([
      { health: 'warning', detail, hint: expect.stringContaining(`install ${name} --hold again`) },
      {
        health: 'warning',
        detail,
        hint: expect.stringContaining(`install ${name} --uninstall --gateway, then`),
      },
    ]);
  });

  it('names hooks that are off or of another version', async () => {
    const file = join(home.work, '.claude', 'settings.json');
    await install('claude-code', '--hold', '--project');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('{', '{ "disableAllHooks": true,'));
    expect((await holding(path('echo "{}"')))[1]?.[2]).toBe(
      './.claude/settings.json: "disableAllHooks" turns hooks off',
    );
    writeFileSync(file, text);
    const local = join(home.work, '.claude', 'settings.local.json');
    put(local, '{"disableAllHooks":true}');
    expect((await holding(path('echo "{}"')))[1]?.[2]).toBe(
      './.claude/settings.local.json: "disableAllHooks" turns hooks off',
    );
  });

  it.each([
    ['"Stop"', '"SubagentStop"', 'Stop'],
    ['"matcher": "*"', '"matcher": "Read"', 'PreToolUse'],
    ['"timeout": 30', '"timeout": 30, "async": true', 'SessionStart'],
    ['"timeout": 30', '"timeout": 0', 'SessionStart'],
    [
      'hook claude-code',
      'hook claude-code --store x',
      'UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, Stop',
    ],
    ['"timeout": 30', '"timeout": 60', null],
  ])('names a hook that differs from what was written: %s, now %s', async (was, now, event) => {
    const file = join(home.work, '.claude', 'settings.json');
    await install('claude-code', '--hold', '--project');
    writeFileSync(file, readFileSync(file, 'utf8').replace(was, now));
    const [, found] = await holding(path('echo "{}"'));
    expect(found?.slice(1)).toEqual(
      event === null
        ? ['ok', './.claude/settings.json: the hook starts']
        : ['warning', `./.claude/settings.json: ${event}: not as this version of kairos writes it`],
    );
  });

  it('names a hook of another client that does not get every call', async () => {
    const changes = {
      copilot: ['"type": "command"', '"type": "prompt"', 'sessionStart'],
      cursor: ['Write|StrReplace|Delete', 'Write', 'preToolUse'],
      gemini: ['"timeout": 30000', '"timeout": -1', 'SessionStart'],
    } as const;
    for (const [name, [was, now, event]] of Object.entries(changes) as [Name, readonly string[]][]) {
      const file = join(home.work, HOOK_SETTINGS[name].projectFile);
      await install(name, '--hold', '--project');
      writeFileSync(file, readFileSync(file, 'utf8').replace(was!, now!));
      const found = (await holding(path('echo "{}"'))).at(-1);
      expect(found?.slice(1)).toEqual(['warning', expect.stringContaining(`: ${event}: not as`)]);
      await install(name, '--uninstall', '--hold', '--project');
    }
  });
});
