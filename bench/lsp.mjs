// How long an editor waits for `kairos lsp` on a file of 100 KB, compared with an empty answer of the same server: node bench/lsp.mjs [rounds]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { BIN, machine, median, row, withHome } from './lib.mjs';

const rounds = Number(process.argv[2] ?? 30);
const SIZE = 100_000;
const FIRST_ROUNDS = 5;

const step = (at, odd) => `## Step ${at} of the work

Do part ${at} with care and${odd}read **what** it prints on the way.

- one point of it
- another point of it

\`\`\`json
{"proof_of_work": {"type": "shell", "shell": {"cmd": "test -e part-${at}", "timeout_seconds": 60}}}
\`\`\`

`;

/** Documents by how much of them only remark reads: a tab makes it read a section. */
const DOCUMENTS = {
  'read plainly': [' ', ' '],
  'one section read by remark': ['\t', ' '],
  'every section read by remark': ['\t', '\t'],
};

function document([first, each]) {
  let text = `# A long procedure\n\nIts text${first}is long.\n\n`;
  for (let at = 1; text.length < SIZE; at += 1) text += step(at, each);
  return text;
}

/** A client over the pipes of a process: as little as measuring needs. */
function client(env) {
  const server = spawn(process.execPath, [BIN, 'lsp'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let published = () => undefined;
  let rest = Buffer.alloc(0);
  server.stdout.on('data', (piece) => {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      const head = rest.indexOf('\r\n\r\n');
      const length = head === -1 ? null : /Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, head));
      if (length === null || rest.length < head + 4 + Number(length[1])) return;
      const end = head + 4 + Number(length[1]);
      const message = JSON.parse(rest.toString('utf8', head + 4, end));
      rest = rest.subarray(end);
      if (message.method === 'textDocument/publishDiagnostics') published(message.params);
      waiting.get(message.id)?.(message);
    }
  });
  const send = (message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  };
  let id = 0;
  return {
    pid: server.pid,
    tell: (method, params) => send({ method, params }),
    ask: (method, params) =>
      new Promise((resolve) => {
        id += 1;
        waiting.set(id, resolve);
        send({ id, method, params });
      }),
    findings: () =>
      new Promise((resolve) => {
        published = resolve;
      }),
    end: () => server.stdin.end(),
  };
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The processor time of a process so far, in milliseconds, to 10 of them; null where /proc doesn't have it. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}

async function measure(env, name, odd) {
  const editor = client(env);
  await editor.ask('initialize', { processId: null, rootUri: null, capabilities: {} });
  editor.tell('initialized', {});
  const uri = 'file:///tmp/long.md';
  const text = document(odd);
  const lines = text.split('\n');
  const opened = editor.findings();
  const textDocument = { uri, languageId: 'markdown', version: 1, text };
  const first = await timed(() => {
    editor.tell('textDocument/didOpen', { textDocument });
    return opened;
  });
  const line = lines.findIndex((each, at) => at > lines.length / 2 && each.startsWith('{"proof'));
  const at = { textDocument: { uri }, position: { line, character: 5 } };
  const words = { line: line - 6, character: 4 };
  const times = {};
  const used = {};
  const add = async (name, work) => {
    const before = cpuOf(editor.pid);
    const list = times[name] ?? [];
    list.push(await timed(work));
    times[name] = list;
    used[name] = (used[name] ?? 0) + (cpuOf(editor.pid) ?? 0) - (before ?? 0);
  };
  for (let round = 0; round < rounds; round += 1) {
    const version = round + 2;
    const edit = { range: { start: words, end: words }, text: 'x' };
    const change = () =>
      editor.tell('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [edit] });
    await add('an empty answer', () => editor.ask('kairos/nothing', {}));
    const checked = editor.findings();
    change();
    await add('completion after a keystroke', () => editor.ask('textDocument/completion', at));
    await add('hover after a keystroke', () => editor.ask('textDocument/hover', at));
    await checked;
    await add('outline of a checked text', () =>
      editor.ask('textDocument/documentSymbol', { textDocument: { uri } }),
    );
    await add('quick fixes', () =>
      editor.ask('textDocument/codeAction', {
        ...at,
        range: { start: at.position, end: at.position },
        context: { diagnostics: [], only: ['quickfix'] },
      }),
    );
    await add('code lenses', () => editor.ask('textDocument/codeLens', { textDocument: { uri } }));
    const again = editor.findings();
    editor.tell('textDocument/didSave', { textDocument: { uri } });
    await add('findings, checked again', () => again);
  }
  editor.end();
  row(`${name}, ${(text.length / 1000).toFixed(0)} KB: findings after opening`, `${first.toFixed(0)} ms`);
  const base = median(times['an empty answer']);
  for (const [name, list] of Object.entries(times)) {
    const sorted = [...list].sort((a, b) => a - b);
    const p95 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))];
    row(
      `  ${name}`,
      `${median(list).toFixed(1)} ms (p95 ${p95.toFixed(1)})   ${(median(list) / base).toFixed(0)} × an empty answer   CPU ${(used[name] / list.length).toFixed(0)} ms`,
    );
  }
}

/** Questions about a file that has just been opened; null: its findings. */
const FIRST = {
  hover: 'textDocument/hover',
  completion: 'textDocument/completion',
  'code lenses': 'textDocument/codeLens',
  outline: 'textDocument/documentSymbol',
  findings: null,
};

/** A server from its start to its answer to `initialize`. */
async function measureStart(env) {
  const waits = [];
  let used = 0;
  for (let round = 0; round < FIRST_ROUNDS; round += 1) {
    const begun = performance.now();
    const editor = client(env);
    await editor.ask('initialize', { processId: null, rootUri: null, capabilities: {} });
    waits.push(performance.now() - begun);
    used += cpuOf(editor.pid) ?? 0;
    editor.end();
  }
  row('  start', `${median(waits).toFixed(0)} ms   CPU ${(used / FIRST_ROUNDS).toFixed(0)} ms`);
}

/** Waits until a server has nothing to do: it practises before the first document. */
async function untilIdle(pid) {
  for (let [before, used] = [-1, 0]; used !== before; ) {
    await sleep(300);
    [before, used] = [used, cpuOf(pid) ?? 0];
  }
}

/** The first answer of a server: the file is opened and one question is asked. `isRested`: after a pause, else as soon as it started. */
async function measureFirst(env, text, isRested) {
  const lines = text.split('\n');
  const line = lines.findIndex((each, at) => at > lines.length / 2 && each.startsWith('{"proof'));
  const uri = 'file:///tmp/long.md';
  for (const [name, method] of Object.entries(FIRST)) {
    const waits = [];
    const used = [];
    for (let round = 0; round < FIRST_ROUNDS; round += 1) {
      const editor = client(env);
      await editor.ask('initialize', { processId: null, rootUri: null, capabilities: {} });
      editor.tell('initialized', {});
      if (isRested) await untilIdle(editor.pid);
      const before = cpuOf(editor.pid) ?? 0;
      const opened = editor.findings();
      const textDocument = { uri, languageId: 'markdown', version: 1, text };
      const work = () => {
        editor.tell('textDocument/didOpen', { textDocument });
        return method === null
          ? opened
          : editor.ask(method, { textDocument: { uri }, position: { line, character: 5 } });
      };
      waits.push(await timed(work));
      used.push((cpuOf(editor.pid) ?? 0) - before);
      await opened;
      editor.end();
    }
    const cpu = used.reduce((sum, each) => sum + each, 0) / used.length;
    row(
      `  first ${name}, ${isRested ? 'rested' : 'at once'}`,
      `${median(waits).toFixed(0)} ms   CPU ${cpu.toFixed(0)} ms`,
    );
  }
}

console.log(`kairos lsp, ${rounds} rounds; ${machine()}`);
const { env, clean } = withHome(({ env }) => ({ env, clean: () => undefined }));
await measureStart(env);
for (const isRested of [true, false]) await measureFirst(env, document(DOCUMENTS['read plainly']), isRested);
for (const [name, odd] of Object.entries(DOCUMENTS)) await measure(env, name, odd);
clean();
