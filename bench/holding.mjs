// Cost of holding: a hook as a ratio to an empty Node program, and a call through the gateway next to the same call without it.
// On a machine that does other work too, processor time is the better measure. bash measures it; it is left out without bash.
// node bench/holding.mjs [rounds] [calls]
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BIN, machine, median, ROOT, row } from './lib.mjs';

const rounds = Number(process.argv[2] ?? 30);
const calls = Number(process.argv[3] ?? 300);
const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;
console.log(`holding, ${rounds} rounds in turn, ${calls} calls; ${machine()}`);

const PROTOCOL = `---\nslug: release\n---\n# Release\n\n## Push\n\n\`\`\`sh proof\ngit push\n\`\`\`\n`;
const ECHO = `
import { McpServer } from '${ROOT}node_modules/@modelcontextprotocol/server/dist/index.mjs';
import { StdioServerTransport } from '${ROOT}node_modules/@modelcontextprotocol/server/dist/stdio.mjs';
const server = new McpServer({ name: 'echo', version: '1' });
server.registerTool('echo', { description: 'Echo' }, async () => ({ content: [{ type: 'text', text: 'x' }] }));
await server.connect(new StdioServerTransport());
`;

const event = (command, session = 's') =>
  JSON.stringify({
    session_id: session,
    cwd: ROOT,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
  });

/** Milliseconds by the clock, and of the processor, of a Node program. */
function time(args, env, input) {
  const begun = performance.now();
  const measured = ['-c', 'TIMEFORMAT="CPU %U %S"; time "$@" >/dev/null', 'bash', process.execPath, ...args];
  const [command, given] = hasBash ? ['bash', measured] : [process.execPath, args];
  const { status, stderr } = spawnSync(command, given, { env, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const wall = performance.now() - begun;
  const [, user, system] = /CPU (\S+) (\S+)/.exec(stderr) ?? [];
  return { wall, cpu: user === undefined ? null : (Number(user) + Number(system)) * 1000 };
}

const home = mkdtempSync(join(tmpdir(), 'hold-bench-'));
const env = {
  PATH: process.env.PATH,
  HOME: home,
  KAIROS_DATA_DIR: join(home, 'data'),
  KAIROS_CONFIG_DIR: join(home, 'config'),
};
try {
  mkdirSync(env.KAIROS_CONFIG_DIR, { recursive: true });
  writeFileSync(join(home, 'release.md'), PROTOCOL);
  spawnSync(process.execPath, [BIN, 'mint', join(home, 'release.md')], { env });
  const held = { ...env, KAIROS_CONFIG_DIR: join(home, 'held') };
  mkdirSync(held.KAIROS_CONFIG_DIR);
  writeFileSync(
    join(held.KAIROS_CONFIG_DIR, 'hold.yaml'),
    'holds:\n  - {match: {command: git push}, protocol: release}\n',
    { mode: 0o600 },
  );
  const HOOK = [BIN, 'hook', 'claude-code'];
  const answer = spawnSync(process.execPath, [BIN, 'begin', 'release', '--json'], {
    env,
    encoding: 'utf8',
    cwd: ROOT,
  }).stdout;
  const began = { tool_name: 'mcp__kairos__kairos_begin', tool_response: [{ type: 'text', text: answer }] };
  const seen = { session_id: 'in-step', cwd: ROOT, hook_event_name: 'PostToolUse', ...began };
  spawnSync(process.execPath, HOOK, { env: held, input: JSON.stringify(seen) });
  const cases = {
    'node -e 0': () => time(['-e', '0'], env, ''),
    'hook, no list': () => time(HOOK, env, event('ls -la')),
    'hook, call starts no file': () => time(HOOK, held, event('ls -la && wc -l README.md')),
    'hook, npm test and its script': () => time(HOOK, held, event('ls -la && npm test')),
    'hook, npm test and a variable': () => time(HOOK, held, event('ls "$HOME" && npm test')),
    'hook, npm test and a substitution': () => time(HOOK, held, event('ls "$(pwd)" && npm test')),
    'hook, call is held and denied': () => time(HOOK, held, event('git push')),
    'hook, call is held and its step demands another': () =>
      time(HOOK, held, event('git push --force', 'in-step')),
    'hook, call is held and its step demands it': () => time(HOOK, held, event('git push', 'in-step')),
  };
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1)
    for (const [name, run] of Object.entries(cases)) {
      const spent = run();
      if (round >= 0) times[name].push(spent);
    }
  const shown = (name, kind) => {
    const ratio = median(times[name].map((spent, at) => spent[kind] / times['node -e 0'][at][kind]));
    return `${median(times[name].map((spent) => spent[kind])).toFixed(0)} ms   ${ratio.toFixed(2)} × node -e 0`;
  };
  for (const [name, [{ cpu }]] of Object.entries(times))
    row(name, `clock ${shown(name, 'wall')}${cpu === null ? '' : `; processor ${shown(name, 'cpu')}`}`);

  const echo = join(home, 'echo.mjs');
  writeFileSync(echo, ECHO);
  const direct = await connect([echo], held);
  const GATEWAY = [BIN, 'gateway', '--name', 'echo', '--', process.execPath, echo];
  const idle = { ...held, KAIROS_DATA_DIR: join(home, 'idle') };
  spawnSync(process.execPath, [BIN, 'mint', join(home, 'release.md')], { env: idle });
  const gateway = await connect(GATEWAY, idle);
  const running = await connect(GATEWAY, held);
  const each = { direct: [], gateway: [], running: [] };
  // In turn, so that a change of the machine's speed affects both.
  for (let call = -20; call < calls; call += 1)
    for (const [name, { echoed }] of Object.entries({ direct, gateway, running })) {
      const begun = performance.now();
      await echoed();
      if (call >= 0) each[name].push(performance.now() - begun);
    }
  direct.end();
  gateway.end();
  running.end();
  const base = median(each.direct);
  const added = (ms) => `${ms.toFixed(2)} ms   + ${((ms - base) / base).toFixed(2)} × an echo call`;
  row('echo call', `${base.toFixed(2)} ms`);
  row('echo call through the gateway', added(median(each.gateway)));
  row('the same while a run is open', added(median(each.running)));
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** A started server, initialized; `echoed` calls its tool and waits for the result. */
async function connect(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line);
    waiting.get(id)?.();
    waiting.delete(id);
  });
  let next = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      next += 1;
      waiting.set(next, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: next, method, params })}\n`);
    });
  const client = { name: 'bench', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return { echoed: () => ask('tools/call', { name: 'echo', arguments: {} }), end: () => child.stdin.end() };
}
