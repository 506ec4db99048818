import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOOK_CLIENTS } from '../../src/cli/commands/hold/clients.ts';
import { HOOK_CLIENT_NAMES } from '../../src/cli/commands/hold/command.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';

let home: CliHome;
/** A store with the protocol. */
let minted: CliHome;
beforeAll(async () => {
  minted = makeHome();
  writeFileSync(join(minted.work, 'release.md'), RELEASE);
  await kairos(minted, ['mint', 'release.md'], { prepares: true });
});
afterAll(() => minted.remove());
beforeEach(() => {
  home = makeHome();
  writeFileSync(
    join(home.config, 'hold.yaml'),
    'holds:\n  - {match: {command: git push}, protocol: release}\n',
    { mode: 0o600 },
  );
  cpSync(minted.work, home.work, { recursive: true });
  cpSync(minted.data, home.data, { recursive: true });
});
afterEach(() => home.remove());

const RELEASE = `---
slug: release
---
# Release the package

## Natural Language Triggers
- "ship the release"

## Check the tree

\`\`\`sh proof
test -d .
\`\`\`

## Push the tag

\`\`\`sh proof
git push
\`\`\`
`;

type Json = Record<string, unknown>;

/** One event of Claude Code's session `s1`; the answer of the hook. */
async function hook(event: string, data: Json = {}, client = 'claude-code'): Promise<Json> {
  const input = { session_id: 's1', cwd: home.work, hook_event_name: event, ...data };
  const env = { KAIROS_MACHINE_DIR: join(home.root, 'machine') };
  const { code, stdout } = await kairos(home, ['hook', client], { stdin: JSON.stringify(input), env });
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
const attempt = async (command: string) => {
  const { hookSpecificOutput = {} } = await hook('PreToolUse', bash(command));
  const { permissionDecision = 'none', permissionDecisionReason = '' } = hookSpecificOutput as Json;
  return { decision: permissionDecision, reason: String(permissionDecisionReason) };
};
const ran = (command: string, response: Json = { stdout: '', stderr: '', interrupted: false }) =>
  hook('PostToolUse', { ...bash(command), tool_response: response });

/** Begins the protocol as the agent does, seen by the hook. */
async function begin(): Promise<{ uri: string; runId: string }> {
  const { stdout } = await kairos(home, ['begin', 'release', '--json'], { prepares: true });
  const answer = JSON.parse(stdout);
  await hook('PostToolUse', {
    tool_name: 'mcp__kairos__kairos_begin',
    tool_input: { key: 'release' },
    tool_response: [{ type: 'text', text: stdout }],
  });
  return { uri: answer.current_step.uri, runId: answer.run_id };
}

const next = async (uri: string, runId: string, solution?: Json): Promise<Json> => {
  const given = solution === undefined ? [] : ['--solution', JSON.stringify(solution)];
  const { stdout } = await kairos(home, ['next', uri, '--run', runId, '--json', ...given]);
  return JSON.parse(stdout);
};

describe('kairos hook', () => {
  it('knows every client that its help names', () => {
    expect(Object.keys(HOOK_CLIENTS)).toEqual([...HOOK_CLIENT_NAMES]);
  });

  it('denies a held command with the literal way to begin, and nothing else', async () => {
    expect((await attempt('git status')).decision).toBe('none');
    const { decision, reason } = await attempt('cd . && git push');
    expect(decision).toBe('deny');
    expect(reason).toMatch(
      /^git push is held by protocol release\. No run of it .* To do it: call kairos_begin with (kairos:\/\/mem\/[0-9a-f-]{36}); in a shell: kairos begin \1 --json\.$/,
    );
  });

  it('names where the user removes a hold of a protocol that is not stored', async () => {
    const file = join(home.config, 'hold.yaml');
    writeFileSync(file, 'holds:\n  - match: {command: git push}\n    protocol: relaese\n');
    expect((await attempt('git push')).reason).toBe(
      `git push is held by protocol relaese. No protocol relaese is stored here, so the call stays held. Ask the user, who can mint it or remove the hold (${file}).`,
    );
  });

  it('lets the command through in its step and uses the report of the client as the proof', async () => {
    const { uri, runId } = await begin();
    expect((await attempt('git push')).decision).toBe('deny');
    const seen = await ran('test -d .');
    const nextCall = `call kairos_next with ${uri} and no solution; run_id ${runId}`;
    const refused = await attempt('git push');
    for (const text of [seen, refused, await hook('Stop')]) expect(JSON.stringify(text)).toContain(nextCall);
    const second = await next(uri, runId);
    const pushed = (second.current_step as Json).uri as string;
    expect((await attempt('git push')).decision).toBe('none');
    expect((await attempt('git push --force')).decision).toBe('deny');
    await ran('git push');
    const last = await next(pushed, runId);
    expect(last).toMatchObject({ protocol_status: 'completed' });
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    const proofs = stdout
      .split('\n')
      .filter((line) => line.includes('"proof.accepted"'))
      .map((line) => JSON.parse(line).data);
    expect(proofs).toMatchObject([
      { assurance: 'client', via: 'hook', shell: { exit_code: 0 } },
      { assurance: 'client', via: 'hook', shell: { exit_code: 0 } },
    ]);
  });

  it('refuses a claim that disagrees with the client', async () => {
    const { uri, runId } = await begin();
    await hook('PostToolUseFailure', { ...bash('test -d .'), error: 'Exit code 3\nno' });
    const { challenge } = JSON.parse(
      (await kairos(home, ['next', uri, '--run', runId, '--json'])).stdout,
    ) as { challenge: Json };
    // The failure is judged first, and still contradicts what comes after it.
    const claim = (from: Json) => ({
      type: 'shell',
      nonce: from.nonce,
      proof_hash: from.proof_hash,
      shell: { exit_code: 0 },
    });
    const refused = await next(uri, runId, claim(challenge));
    expect(refused).toMatchObject({ error_code: 'CLAIM_CONTRADICTED', retry_count: 2 });
    await ran('test -d .');
    expect(await next(uri, runId, claim(refused.challenge as Json))).toMatchObject({
      protocol_status: 'continue',
    });
  });

  it('ignores calls that did not end, or ran elsewhere', async () => {
    const { uri, runId } = await begin();
    expect(await ran('test -d .', { stdout: '', backgroundTaskId: 'b1' })).toEqual({});
    expect(await ran('test -d .', { stdout: '', interrupted: true })).toEqual({});
    mkdirSync(join(home.work, 'sub'));
    const elsewhere = { ...bash('test -d .'), cwd: realpathSync(join(home.work, 'sub')), tool_response: {} };
    expect(await hook('PostToolUse', elsewhere)).toEqual({});
    expect(await next(uri, runId)).toMatchObject({ error_code: 'MISSING_PROOF' });
  });

  it('sends an agent on at a stop, three times without progress, then notes that it left', async () => {
    const { runId } = await begin();
    const answers = [];
    for (let stop = 0; stop < 5; stop += 1) answers.push((await hook('Stop')).decision ?? 'none');
    expect(answers).toEqual(['block', 'block', 'block', 'none', 'none']);
    const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
    expect(stdout.match(/"run\.left"/g)).toHaveLength(1);
    expect(await hook('SubagentStop')).toEqual({});
    expect(await hook('Stop', { session_id: 's2' })).toEqual({});
  });

  it('adds the protocol that stands clear for a request, and the open run of the folder', async () => {
    expect(JSON.stringify(await hook('UserPromptSubmit', { prompt: 'please ship the release' }))).toContain(
      'The protocol release matches this request and must be followed: call kairos_begin with',
    );
    expect(await hook('UserPromptSubmit', { prompt: 'what is the weather' })).toEqual({});
    expect(await hook('SessionStart')).toEqual({});
    const { runId } = await begin();
    expect(JSON.stringify(await hook('SessionStart', { session_id: 's9' }))).toContain(`run_id ${runId}`);
  });

  it('keeps the runs of one session from another', async () => {
    const { uri, runId } = await begin();
    await ran('test -d .');
    await next(uri, runId);
    expect(await hook('PreToolUse', bash('git push'))).toEqual({});
    expect(await hook('PreToolUse', { session_id: 's2', ...bash('git push') })).not.toEqual({});
  });

  it('lets a command with inputs through only with the values of its run', async () => {
    writeFileSync(
      join(home.work, 'release.md'),
      '---\nslug: release\ninputs:\n  BRANCH: {}\n---\n# Release\n\n## Push\n\n```sh proof\ngit push origin "$BRANCH"\n```\n',
    );
    await kairos(home, ['mint', 'release.md', '--force'], { prepares: true });
    const { stdout } = await kairos(home, ['begin', 'release', '--input', 'BRANCH=draft', '--json'], {
      prepares: true,
    });
    const { current_step, run_id: runId } = JSON.parse(stdout);
    await hook('PostToolUse', { tool_name: 'mcp__kairos__kairos_begin', tool_response: stdout });
    const push = (branch: string) => `export BRANCH=${branch}; git push origin "$BRANCH"`;
    expect((await attempt('git push origin "$BRANCH"')).reason).toContain(
      `It demands this command, with nothing added: ${push('draft')}`,
    );
    expect((await attempt(push('main'))).decision).toBe('deny');
    expect((await attempt(push('draft'))).decision).toBe('none');
    expect(await ran(push('main'))).toEqual({});
    await ran(push('draft'));
    expect(await next(current_step.uri, runId)).toMatchObject({ protocol_status: 'completed' });
  });

  it('gives a session only runs that are open', async () => {
    const list = 'holds:\n  - {match: {command: git push}, protocol: release, allow_when: attested}\n';
    writeFileSync(join(home.config, 'hold.yaml'), list);
    const { uri, runId } = await begin();
    await ran('test -d .');
    const { current_step } = await next(uri, runId);
    await ran('git push');
    await next(String((current_step as Json).uri), runId);
    const attested = await kairos(home, ['attest', uri, 'success', 'The tag is pushed.', '--run', runId]);
    expect(attested).toMatchObject({ code: 0 });
    expect(await hook('PreToolUse', bash('git push'))).toEqual({});
    const forged = { tool_response: [{ type: 'text', text: JSON.stringify({ run_id: runId }) }] };
    await hook('PostToolUse', { session_id: 's2', tool_name: 'mcp__other__kairos_begin', ...forged });
    expect(await hook('PreToolUse', { session_id: 's2', ...bash('git push') })).not.toEqual({});
  });

  it('fails closed for what is held and open for the rest', async () => {
    const list = join(home.config, 'hold.yaml');
    writeFileSync(list, 'holds:\n  - match: {command: git push\n');
    expect((await attempt('git status')).reason).toContain(list);
    expect((await attempt('ls')).decision).toBe('none');
    writeFileSync(list, 'holds:\n  - {match: {command: git push}, protocol: release}\n');
    writeFileSync(join(home.data, 'kairos.db'), 'not a database');
    expect((await attempt('git push')).decision).toBe('deny');
    expect((await attempt('ls')).decision).toBe('none');
    expect(await hook('UserPromptSubmit', { prompt: 'ship the release' })).toEqual({});
  });

  it('refuses changes to the hold list by the agent', async () => {
    const list = join(home.config, 'hold.yaml');
    expect((await attempt(`sed -i d ${list}`)).decision).toBe('deny');
    const write = (tool: string) => hook('PreToolUse', { tool_name: tool, tool_input: { file_path: list } });
    expect(JSON.stringify(await write('Write'))).toContain('"deny"');
    expect(await write('Read')).toEqual({});
  });

  it('refuses a tool that changes what kairos keeps through a variable, and no other path with one', async () => {
    const change = async (tool: string, path: string) =>
      JSON.stringify(await hook('PreToolUse', { tool_name: tool, tool_input: { file_path: path } }));
    const denied = [
      ['Write', '$KAIROS_DATA_DIR/sessions/x.json'],
      ['Write', '${KAIROS_CONFIG_DIR}/hold.yaml'],
      ['Edit', '%KAIROS_DATA_DIR%/kairos.db'],
      ['Edit', '$X/../trust/x'],
      ['Write', `${dirname(home.data)}/$X/holds.json`],
      ['mcp__files__delete_file', '${X}/sessions'],
    ];
    const allowed = [
      ['Write', '$HOME/notes/x.md'],
      ['Write', '/other/$X/holds.json'],
      ['Read', '$KAIROS_DATA_DIR/trust/x'],
      ['Write', '$X'],
    ];
    for (const [tool, path] of denied)
      expect([path, await change(tool!, path!)]).toEqual([path, expect.stringContaining('"deny"')]);
    for (const [tool, path] of allowed) expect([path, await change(tool!, path!)]).toEqual([path, '{}']);
  });

  it('reads a script before it is run', async () => {
    writeFileSync(join(home.work, 'ship.sh'), '#!/bin/sh\nset -e\ngit push\n');
    expect((await attempt('sh ship.sh')).decision).toBe('deny');
    expect((await attempt('chmod +x ship.sh; ./ship.sh')).decision).toBe('deny');
    expect((await attempt('cat ship.sh')).decision).toBe('none');
  });

  it('refuses an event that it cannot read, if it names what is held', async () => {
    const send = (stdin: string) => kairos(home, ['hook', 'claude-code'], { stdin });
    const cut = await send('{"hook_event_name": "PreToolUse", "tool_input": {"command": "git push');
    expect([cut.code, cut.stdout]).toEqual([2, '']);
    expect(cut.stderr).toContain('so it was refused');
    const free = await send('{"hook_event_name": "PreToolUse", "tool_input": {"command": "ls');
    expect([free.code, free.stdout]).toEqual([0, '{}\n']);
  });

  it('refuses a held call that it cannot check, and no other', async () => {
    const nested = (command: string) => `echo ${'$('.repeat(3000)}${command}${')'.repeat(3000)}`;
    expect((await attempt(nested('git push'))).decision).toBe('deny');
    expect((await attempt(nested('ls'))).decision).toBe('none');
  });

  it('checks a command of 500 kB', async () => {
    const many = 'echo aaaaaaaaaaaaaaaa; '.repeat(20_000);
    expect((await attempt(`${many}git push`)).decision).toBe('deny');
    expect((await attempt(`${many}git status`)).decision).toBe('none');
  });

  it.each(['s\\u0068 -c \\u0022git push\\u0022', 'git \\u0070ush', 'git push\\r', 'git\\tpush'])(
    'reads the escapes of JSON: %s',
    async (command) => {
      const stdin = `{"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "${command}"}}`;
      const { stdout } = await kairos(home, ['hook', 'claude-code'], { stdin });
      expect(stdout).toContain('"deny"');
    },
  );

  /** Puts the hold list where it usually is. */
  const inUsualFolder = () => {
    const usual = join(home.home, '.config', 'kairos');
    home.env.KAIROS_CONFIG_DIR = usual;
    mkdirSync(usual, { recursive: true });
    copyFileSync(join(home.config, 'hold.yaml'), join(usual, 'hold.yaml'));
  };

  it.each([
    `rm ${'~'}/.config/kairos/ho''ld.yaml`,
    'cd ~/.config/kairos && rm hold.yaml',
    'rm -rf ~/.claude',
    'mv ~/.claude/sett* /tmp',
    'cd ~/.claude; echo {} > settings.json',
    'find ~ -name hold.yaml -delete',
    "find ~/.config -name '*.yaml' -exec rm {} +",
    'find ~/.config ! -name x -delete',
    'find ~ | grep hold.yaml | xargs rm',
    'ls ~/.config/kairos/h* | xargs rm',
    'rm $(find ~ -name hold.yaml)',
    'mount --bind /x ~/.config/kairos',
    'umount ~/.config/kairos',
    'rm -rf ~/.config',
    'rm -rf $HOME/.conf*',
    'cd ~/.config && rm -rf *',
    'cd ~; rm -r .config/../.config/./kairos',
    'rm -rf $XDG_CONFIG_HOME/kairos',
    'sed -i d ~/.config/*/hold.yaml',
    'tee ~/.config/kairos/hol? < /dev/null',
    '> ~/.config/kairos/h*',
    'cd ~/.config/kairos && git init && git clean -fdx',
    'tar -xf x.tar -C ~/.config/kairos',
    'rsync -a --delete x/ ~/.config/',
    'mv ~/.config x',
  ])('refuses other ways to name its files: %s', async (command) => {
    inUsualFolder();
    expect((await attempt(command)).decision).toBe('deny');
  });

  it.each([
    'ls ~/.config',
    'ls -la ~/.claude',
    'cd kairos && npm test',
    'kairos show trust',
    'cp .claude/x.md /tmp',
    'cp x ~/',
    'mv x ~/.config/',
    'mv ~/kairos x',
    'tar -xf x.tar -C ~',
    'mount | grep kairos',
    'docker run --mount type=bind,src=.,dst=/w img ls /',
    'rm -rf node_modules ./* "$TMP"/* $OUT/dist ~/*.txt',
    "find . -name '*.log' -delete",
    'find ~ -name node_modules -exec rm -rf {} +',
    'find ~ -name hold.yaml',
    'find . -type f | xargs sed -i s/a/b/',
    'echo x > ~/notes.md',
    'git clean -fdx',
  ])('lets other commands near them through: %s', async (command) => {
    inUsualFolder();
    expect((await attempt(command)).decision).toBe('none');
  });

  it('changes nothing without a list, and ignores unknown events', async () => {
    writeFileSync(join(home.config, 'hold.yaml'), '');
    expect((await attempt('git push')).decision).toBe('none');
    expect(await hook('Notification')).toEqual({});
    const { code, stdout } = await kairos(home, ['hook', 'claude-code'], { stdin: 'not json' });
    expect([code, stdout]).toEqual([0, '{}\n']);
  });
});

describe('the other clients', () => {
  const deny = (client: string, event: string, data: Json) => hook(event, data, client);

  it('get the refusal in their own form', async () => {
    const reason = expect.stringContaining('git push is held by protocol release');
    expect(
      await deny('codex', 'PreToolUse', {
        tool_name: 'shell',
        tool_input: { command: ['bash', '-lc', 'git push'] },
      }),
    ).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: reason,
      },
    });
    expect(
      await deny('gemini', 'BeforeTool', {
        tool_name: 'run_shell_command',
        tool_input: { command: 'git push' },
      }),
    ).toEqual({ decision: 'deny', reason });
    expect(
      await deny('copilot', 'preToolUse', { toolName: 'bash', toolArgs: '{"command":"git push"}' }),
    ).toEqual({ permissionDecision: 'deny', permissionDecisionReason: reason });
    expect(await deny('cursor', 'beforeShellExecution', { command: 'git push' })).toEqual({
      permission: 'deny',
      user_message: reason,
      agent_message: reason,
    });
  });
});

describe('what the other clients report', () => {
  /** Events after the command of the first step, and after a failed one, as each client sends them. */
  const CASES: [client: string, ok: Json, failed: Json, otherFolder: Json][] = [
    [
      'codex',
      { ...bash('test -d .'), tool_response: { exit_code: 0, output: '' } },
      { ...bash('test -d .'), tool_response: { exit_code: 1, output: 'no' } },
      {
        tool_name: 'exec_command',
        tool_input: { cmd: 'test -d .', workdir: '/' },
        tool_response: { exit_code: 0 },
      },
    ],
    [
      'gemini',
      {
        tool_name: 'run_shell_command',
        tool_input: { command: 'test -d .' },
        tool_response: { llmContent: 'Output: (empty)\nProcess Group PGID: 7' },
      },
      {
        tool_name: 'run_shell_command',
        tool_input: { command: 'test -d .' },
        tool_response: { llmContent: 'Output: no\nExit Code: 1\nProcess Group PGID: 7' },
      },
      {
        tool_name: 'run_shell_command',
        tool_input: { command: 'test -d .', dir_path: '/' },
        tool_response: { llmContent: 'Output: (empty)' },
      },
    ],
    [
      'copilot',
      {
        toolName: 'bash',
        toolArgs: '{"command":"test -d ."}',
        toolResult: { resultType: 'success', textResultForLlm: '<exited with exit code 0>' },
      },
      {
        toolName: 'bash',
        toolArgs: '{"command":"test -d ."}',
        toolResult: { resultType: 'success', textResultForLlm: 'no\n<exited with exit code 1>' },
      },
      {
        toolName: 'bash',
        toolArgs: '{"command":"cd / && test -d ."}',
        toolResult: { resultType: 'success', textResultForLlm: '<exited with exit code 0>' },
      },
    ],
    [
      'cursor',
      { tool_name: 'Shell', tool_input: { command: 'test -d .' }, tool_output: '{"output":"","exitCode":0}' },
      {
        tool_name: 'Shell',
        tool_input: { command: 'test -d .' },
        error_message: 'Command failed with exit code 1',
      },
      {
        tool_name: 'Shell',
        tool_input: { command: 'test -d .', working_directory: '/' },
        tool_output: '{"output":"","exitCode":0}',
      },
    ],
    [
      'opencode',
      { tool: 'bash', args: { command: 'test -d .' }, exit: 0, output: '' },
      { tool: 'bash', args: { command: 'test -d .' }, exit: 1, output: 'no' },
      { tool: 'bash', args: { command: 'test -d .', workdir: '/' }, exit: 0, output: '' },
    ],
  ];
  const AFTER: Record<string, string> = {
    codex: 'PostToolUse',
    gemini: 'AfterTool',
    copilot: 'postToolUse',
    cursor: 'postToolUse',
    opencode: 'after',
  };
  const report = (client: string, data: Json, event = AFTER[client]!) =>
    hook(event, { event, sessionId: 's1', conversation_id: 's1', ...data }, client);
  const start = async (client: string) => {
    const { stdout } = await kairos(home, ['begin', 'release', '--json'], { prepares: true });
    const name = 'mcp__kairos__kairos_begin';
    await report(client, {
      ...{ tool_name: name, tool_input: {}, tool_response: [{ type: 'text', text: stdout }] },
      ...{ toolName: name, toolArgs: {}, toolResult: { resultType: 'success', textResultForLlm: stdout } },
      ...{ tool_output: JSON.stringify({ content: [{ type: 'text', text: stdout }] }) },
      ...{ tool: 'kairos_kairos_begin', args: {}, output: stdout },
      ...(client === 'gemini' ? { tool_response: { llmContent: stdout } } : {}),
    });
    const { current_step, run_id } = JSON.parse(stdout);
    return { uri: current_step.uri as string, runId: run_id as string };
  };

  it.each(CASES)(
    'proves a step in %s, and only what it really reports',
    async (client, good, bad, elsewhere) => {
      const { uri, runId } = await start(client);
      const name = client === 'cursor' ? 'postToolUseFailure' : AFTER[client]!;
      await report(client, elsewhere);
      expect(await next(uri, runId)).toMatchObject({ error_code: 'MISSING_PROOF' });
      await report(client, bad, name);
      expect(await next(uri, runId)).toMatchObject({ error_code: 'COMMAND_FAILED' });
      await report(client, good);
      expect(await next(uri, runId)).toMatchObject({ protocol_status: 'continue' });
    },
  );

  it.each([
    ['codex', 'shell', { command: 'ls', cmd: 'git push' }],
    ['gemini', 'run_shell_command', { command: 'git push', script: 'ls' }],
    ['codex', 'shell', { command: ['ls'], cmd: ['sh', '-c', 'git push'] }],
    ['gemini', 'run_shell_command', { command: './ship', workdir: 'clean' }],
    ['gemini', 'run_shell_command', { command: './ship', dir_path: '.', cwd: 'clean' }],
    ['opencode', 'bash', { command: './ship', workdir: '.' }],
    ['opencode', 'bash', { command: './ship', workdir: 'sub' }],
  ])('refuses a call that %s could read in two ways: %s %j', async (client, tool, args) => {
    for (const folder of ['.', 'sub', 'clean']) {
      mkdirSync(join(home.work, folder), { recursive: true });
      const text = folder === 'clean' ? 'ls' : 'git push';
      writeFileSync(join(home.work, folder, 'ship'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    const before = { codex: 'PreToolUse', gemini: 'BeforeTool', opencode: 'before' }[client]!;
    const cwd = join(home.work, client === 'opencode' ? (args as { workdir: string }).workdir : '.');
    const answer = await report(client, { tool_name: tool, tool_input: args, tool, args, cwd }, before);
    expect(JSON.stringify(answer)).toMatch(/deny/);
  });

  it('proves nothing without an exit code, where failed commands have the same event', async () => {
    const { uri, runId } = await start('codex');
    await report('codex', { ...bash('test -d .'), tool_response: 'no' });
    expect(await next(uri, runId)).toMatchObject({ error_code: 'MISSING_PROOF' });
  });
});

describe('a run that is begun in the shell', () => {
  const begin = async (command: string) => {
    const { stdout } = await kairos(home, ['begin', 'release', '--json'], { prepares: true });
    await ran(command, { stdout });
    const { current_step, run_id } = JSON.parse(stdout);
    return { uri: current_step.uri as string, runId: run_id as string };
  };

  it.each(['kairos begin release --json', 'npx -y kairos-protocols begin release --json'])(
    'belongs to the session: %s',
    async (command) => {
      const { uri, runId } = await begin(command);
      await ran('test -d .');
      expect(await next(uri, runId)).toMatchObject({ protocol_status: 'continue' });
      expect((await attempt('git push')).decision).toBe('none');
    },
  );

  it.each(['cat answer # kairos begin x', 'kairos begin x; cat answer', 'kairos $(cat answer) begin x'])(
    'is not learned from the output of another command: %s',
    async (command) => {
      const { uri, runId } = await begin(command);
      await ran('test -d .');
      expect(await next(uri, runId)).toMatchObject({ error_code: 'MISSING_PROOF' });
    },
  );
});

describe('the refusal of a held command', () => {
  it.each(['git push 2>&1', 'git push && echo done', 'git push | tail'])(
    'contains the command that the pending step demands: %s',
    async (command) => {
      const { uri, runId } = await begin();
      await ran('test -d .');
      await next(uri, runId);
      expect((await attempt(command)).reason).toMatch(
        /It demands this command, with nothing added: git push$/,
      );
    },
  );

  it('names the run that is nearest, where several protocols may let the command through', async () => {
    const holds = ['other', 'release'].map((slug) => `  - {match: {command: git push}, protocol: ${slug}}\n`);
    writeFileSync(join(home.config, 'hold.yaml'), `holds:\n${holds.join('')}`);
    const { runId } = await begin();
    const { reason } = await attempt('git push');
    expect(reason).toContain('held by protocol release');
    expect(reason).toContain(runId);
  });
});

describe('an event that cannot be understood', () => {
  const copilot = { hook_event_name: 'preToolUse', toolName: 'bash' };
  const claude = { hook_event_name: 'PreToolUse', tool_name: 'Bash' };
  const CASES: [client: string, with_: (command: string) => string][] = [
    ['copilot', (command) => JSON.stringify({ ...copilot, toolArgs: `{"command":"${command}"` })],
    [
      'copilot',
      (command) => JSON.stringify({ ...copilot, toolArgs: `{"command":"${command}","command":"ls"}` }),
    ],
    ['copilot', (command) => JSON.stringify({ ...copilot, hook_event_name: '', toolArgs: { command } })],
    ['copilot', (command) => JSON.stringify({ ...copilot, toolArgs: { cmd: { command } } })],
    ...['claude-code', 'codex', 'gemini', 'cursor', 'opencode'].flatMap((client) =>
      [{}, { hook_event_name: 'pretooluse' }, { hook_event_name: 'Other' }].map(
        (event): [string, (command: string) => string] => [
          client,
          (command) => JSON.stringify({ tool_name: 'Bash', tool_input: { command }, ...event }),
        ],
      ),
    ),
    ['claude-code', (command) => JSON.stringify({ ...claude, tool_input: command })],
    [
      'claude-code',
      (command) => JSON.stringify({ ...claude, tool_input: { command } }).replace('}', ',"command":"ls"}'),
    ],
    ['opencode', (command) => `{"event":"before","tool":"bash","args":{"command":"${command}"`],
  ];

  it.each(CASES)('is refused if it names a held program, in %s: %s', async (client, written) => {
    const outcome = async (command: string) => {
      const { code, stdout } = await kairos(home, ['hook', client], { stdin: written(command) });
      return code === 2 || stdout.includes('"deny"') ? 'refused' : `${code} ${stdout.trim()}`;
    };
    expect(await outcome('git push')).toBe('refused');
    expect(await outcome('ls')).toBe(client === 'opencode' ? '0 {"kind":"none"}' : '0 {}');
  });
});

describe('a hold list that cannot be used', () => {
  const list = () => join(home.config, 'hold.yaml');
  const decisions = async () => [(await attempt('git push')).decision, (await attempt('ls')).decision];

  it('is read behind a link, which is protected as the list is', async () => {
    const real = join(home.root, 'dotfiles-list');
    renameSync(list(), real);
    symlinkSync(real, list());
    expect(await decisions()).toEqual(['deny', 'none']);
    expect((await attempt(`rm ${real}`)).decision).toBe('deny');
  });

  it.each<[string, () => void]>([
    ['others can write to it', () => chmodSync(list(), 0o666)],
    ['entries have no match', () => writeFileSync(list(), 'holds:\n  - git push\n')],
    [
      'a block scalar',
      () => writeFileSync(list(), 'holds:\n  - match:\n      command: >-\n        git push\n x'),
    ],
    [
      'it is too large',
      () => writeFileSync(list(), `${'\n'.repeat(1_100_000)}holds:\n  - match: {command: git push}\n`),
    ],
    [
      'it is UTF-16',
      () =>
        writeFileSync(
          list(),
          Buffer.from('holds:\n  - {match: {command: git push}, protocol: x}\n', 'utf16le'),
        ),
    ],
    ['it has another name', () => renameSync(list(), list().replace('yaml', 'yml'))],
  ])('refuses what its text names, and nothing else: %s', async (_, spoil) => {
    spoil();
    expect(await decisions()).toEqual(['deny', 'none']);
  });

  it.each<[string, () => void]>([
    ['a folder', () => mkdirSync(list())],
    ['too large', () => writeFileSync(list(), ' '.repeat(1_100_000))],
    ['not text', () => writeFileSync(list(), Buffer.from([0, 255, 1]))],
    ['a link to nothing', () => symlinkSync('/nowhere', list())],
  ])('refuses what it named last: %s', async (_, spoil) => {
    expect(await decisions()).toEqual(['deny', 'none']);
    rmSync(list());
    spoil();
    expect(await decisions()).toEqual(['deny', 'none']);
    rmSync(join(home.data, 'holds.json'));
    expect(await decisions()).toEqual(['deny', 'deny']);
    const { decision, reason } = await attempt('ls');
    expect([decision, reason]).toEqual(['deny', expect.stringContaining(list())]);
    expect(await hook('PreToolUse', { tool_name: 'Read', tool_input: { file_path: 'x' } })).toEqual({});
  });

  it('refuses everything if it is binary and named nothing last', async () => {
    writeFileSync(list(), 'holds: []\n');
    expect(await decisions()).toEqual(['none', 'none']);
    writeFileSync(list(), Buffer.from([0, 255, 1]));
    expect(await decisions()).toEqual(['deny', 'deny']);
    expect((await kairos(home, ['hold', 'list'])).stderr).toContain('all but tools that only read');
  });

  it('refuses nothing more if the data folder is a file', async () => {
    rmSync(home.data, { recursive: true, force: true });
    writeFileSync(home.data, '');
    expect(await decisions()).toEqual(['deny', 'none']);
    rmSync(home.data);
  });

  it('is not reported as empty', async () => {
    writeFileSync(list(), 'holds:\n  - git push\n');
    const { stdout } = await kairos(home, ['doctor', '--json']);
    expect(stdout).toContain('must be a mapping');
    expect(stdout).not.toContain('nothing is held');
  });
});

describe('kairos hold', () => {
  it('lists, tests and explains', async () => {
    const env = { KAIROS_MACHINE_DIR: join(home.root, 'machine') };
    const list = await kairos(home, ['hold', 'list', '--json'], { env });
    expect(JSON.parse(list.stdout)).toEqual({
      holds: [
        {
          match: { command: 'git push' },
          protocol: 'release',
          allow_when: 'demanded',
          else: 'deny',
          origin: 'user',
          source: join(home.config, 'hold.yaml'),
        },
      ],
    });
    expect(await kairos(home, ['hold', 'test', 'ls'], { env })).toMatchObject({
      code: 0,
      stdout: 'Not held.\n',
    });
    expect((await kairos(home, ['hold', 'test', 'git push'], { env })).code).toBe(1);
    const explained = await kairos(home, ['hold', 'explain', 'git push', '--json'], { env });
    expect(JSON.parse(explained.stdout)).toMatchObject({ held: true, holds: [{ demanded_by: [2] }] });
    const usage = await kairos(home, ['hold', 'test'], { env });
    expect([usage.code, usage.stderr]).toEqual([
      2,
      expect.stringContaining('exactly one of a command and --tool'),
    ]);
  });

  it('reports an unusable list with its place', async () => {
    writeFileSync(join(home.config, 'hold.yaml'), 'holds:\n  - {match: {command: "a; b"}, protocol: x}\n');
    const { code, stderr } = await kairos(home, ['hold', 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain('holds.0.match.command: must be one simple command');
  });

  it('reports an entry that can cover no call', async () => {
    writeFileSync(join(home.config, 'hold.yaml'), 'holds:\n  - {match: {command: Git Push}, protocol: x}\n');
    const answers = await Promise.all(
      [['list'], ['test', 'git push']].map((words) => kairos(home, ['hold', ...words])),
    );
    for (const { code, stderr } of answers) {
      expect(code).toBe(2);
      expect(stderr).toContain('git has no subcommand Push; did you mean git push?');
    }
    const { stdout } = await kairos(home, ['doctor']);
    expect(stdout).toContain('git has no subcommand Push; did you mean git push?');
  });

  it('prints the schema of the list', async () => {
    const { stdout } = await kairos(home, ['schema', 'hold']);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync('schemas/hold.json', 'utf8')));
  });
});

describe('the holds of a protocol', () => {
  const proposing = (steps: string, holds = '[{match: {command: git push}}]') =>
    `---\nslug: release\nholds: ${holds}\n---\n# Release the package\n\n${steps}`;
  const step = (title: string, command: string) => `## ${title}\n\n\`\`\`sh proof\n${command}\n\`\`\`\n\n`;
  const REVIEWED = step('Check', 'test -d .') + step('Push', 'git push');
  const write = (source: string) => writeFileSync(join(home.work, 'release.md'), source);
  const env = () => ({ KAIROS_MACHINE_DIR: join(home.root, 'machine') });
  /** Trusts the file as a person does who has read its digest. */
  const trust = async (): Promise<string> => {
    const { stdout } = await kairos(home, ['show', './release.md', '--json']);
    const { digest } = JSON.parse(stdout).chains[0];
    expect(
      await kairos(home, ['trust', './release.md', '--digest', digest], { prepares: true }),
    ).toMatchObject({ code: 0 });
    return digest;
  };
  const listed = async () =>
    JSON.parse((await kairos(home, ['hold', 'list', '--json'], { env: env() })).stdout);

  beforeEach(() => writeFileSync(join(home.config, 'hold.yaml'), ''));

  it('counts once a person has trusted it, and no longer after that is revoked', async () => {
    write(proposing(REVIEWED));
    await kairos(home, ['mint', 'release.md', '--force'], { prepares: true });
    expect((await attempt('git push')).decision).toBe('none');
    const shown = await kairos(home, ['trust', './release.md']);
    expect(shown.stdout).toMatch(
      /What agents could then do only in this protocol:\n +git push +while the pending step of a run demands exactly this call; otherwise: deny/,
    );
    expect((await attempt('git push')).decision).toBe('none');
    const digest = await trust();
    expect(await listed()).toMatchObject({
      holds: [{ match: { command: 'git push' }, protocol: 'release', origin: 'protocol', source: digest }],
    });
    expect((await attempt('git push')).reason).toContain('git push is held by protocol release');
    expect((await attempt('ls')).decision).toBe('none');
    const { uri, runId } = await begin();
    await ran('test -d .');
    await next(uri, runId);
    expect((await attempt('git push')).decision).toBe('none');
    await kairos(home, ['trust', '--revoke', 'release'], { prepares: true });
    expect(await listed()).toEqual({ holds: [] });
    expect(await hook('PreToolUse', { session_id: 's7', ...bash('git push') })).toEqual({});
  });

  it('follows the content that was trusted last, and comes back with the one before', async () => {
    write(proposing(REVIEWED));
    const first = await trust();
    write(proposing(REVIEWED, '[{match: {command: npm publish}}, {match: {command: git push}}]'));
    const second = await trust();
    expect((await listed()).holds.map(({ match }: Json) => (match as Json).command)).toEqual([
      'npm publish',
      'git push',
    ]);
    await kairos(home, ['trust', '--revoke', second], { prepares: true });
    expect((await listed()).holds).toMatchObject([{ source: first }]);
    write(proposing(REVIEWED, '[]'));
    await trust();
    expect(await listed()).toEqual({ holds: [] });
  });

  it('stays when the agent changes or deletes the protocol', async () => {
    write(proposing(REVIEWED));
    await kairos(home, ['mint', 'release.md', '--force'], { prepares: true });
    await trust();
    write(proposing(step('Push', 'git push')));
    await kairos(home, ['mint', 'release.md', '--force'], { prepares: true });
    await begin();
    expect((await attempt('git push')).reason).toContain(
      'The content of this run is not the one that the user trusts. Ask the user to read it and run: kairos trust release',
    );
    const { stdout } = await kairos(home, ['show', 'release', '--json']);
    const deleted = await kairos(home, ['delete', JSON.parse(stdout).chains[0].uri]);
    const [, digest] =
      /Its holds still count, .*: kairos trust --revoke ([0-9a-f]{64})/.exec(deleted.stdout) ?? [];
    expect(await hook('PreToolUse', { session_id: 's7', ...bash('git push') })).not.toEqual({});
    await kairos(home, ['trust', '--revoke', digest!], { prepares: true });
    expect(await hook('PreToolUse', { session_id: 's7', ...bash('npm publish') })).toEqual({});
  });

  it('cannot be read: everything that it names is refused, and nothing else', async () => {
    write(proposing(REVIEWED));
    await trust();
    const file = join(home.data, 'trust', 'holds.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"git push"', '"git push; x"'));
    expect((await attempt('git status')).reason).toContain(file);
    expect((await attempt('ls')).decision).toBe('none');
  });

  it.each([
    'trust release --digest 0',
    'trust --revoke release',
    'install claude-code --uninstall',
    'hook claude-code',
    'gateway --name github -- ./mine',
    'run x.md --trust 0',
  ])('is not lifted by the agent with kairos %s', async (line) => {
    write(proposing(REVIEWED));
    await trust();
    for (const command of [
      `kairos ${line}`,
      `npx kairos-protocols ${line}`,
      `cd x; node /a/bin/kairos.js ${line}`,
      `sh -c 'kairos ${line}'`,
    ])
      expect((await attempt(command)).decision).toBe('deny');
    expect((await attempt('kairos next "$URI"')).decision).toBe('none');
  });
});
