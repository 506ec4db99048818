/**
 * Runs a protocol through real clients from npm and writes docs/mcp/clients/npm.md.
 *
 *     npm run build
 *     npm run clients                  # all; installs them below the temporary folder first
 *     npm run clients -- codex gemini  # some: the other rows of the page stay
 *
 * No account and no model is needed: each client calls `model.mjs`, which has the wits of `agent.mjs`. A client gets a home of its own
 * and is set up by `kairos install`. KAIROS_CLIENTS names another folder for the clients; --log prints what happens.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newAgent, nextTurn, SENTENCE, SENTENCES } from './agent.mjs';
import {
  CLIENTS,
  chosenClients,
  endLeftovers,
  entriesOf,
  install,
  KAIROS,
  log,
  makeHome,
  ROOT,
  run,
  setUp,
  start,
} from './clients.mjs';
import { startModel } from './model.mjs';

const PAGE = join(ROOT, 'docs/mcp/clients/npm.md');
const PROMPT = 'Ship the tea. Use the kairos tools.';

const PROTOCOL = `# Ship the tea

## Natural Language Triggers
- "ship the tea"

## Read the list
${`${SENTENCE} `.repeat(SENTENCES)}

\`\`\`json
{"proof_of_work": {"type": "comment", "comment": {"min_length": 20}}}
\`\`\`

## Check the van
\`\`\`sh proof
test -d van
\`\`\`

## Ask the driver
\`\`\`json
{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "May the van leave?", "choices": ["approved", "rejected"]}}}
\`\`\`

## Say goodbye
Wave.
`;

/** Clients that `kairos install` sets up and this script can't run. */
const NOT_RUN = {
  'claude-desktop': {
    title: 'Claude Desktop',
    why: 'an application for macOS and Windows that needs a desktop and an account',
  },
  cursor: { title: 'Cursor', why: 'neither the editor nor its CLI is on npm, and both need an account' },
  vscode: { title: 'Visual Studio Code', why: 'needs a desktop, and its agent an account' },
};

/** The row of such a client: only how it is set up. */
async function tryOnlyInstall(id) {
  const { home, work, env } = makeHome();
  try {
    const kairos = (...args) => run(process.execPath, [KAIROS, ...args], { cwd: work, env });
    const installed = await tryInstall(kairos, home, id, NOT_RUN[id].title);
    return `| ${NOT_RUN[id].title} | | ${installed} | not run: ${NOT_RUN[id].why} | | | | |`;
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function tryClient(id) {
  const client = CLIENTS[id];
  const { program, version } = await install(client);
  const agent = newAgent();
  const model = await startModel((turn) => nextTurn(agent, turn), log);
  const { home, work, env: base } = makeHome();
  const env = { ...base, ...client.env(model.url) };
  const kairos = (...args) => run(process.execPath, [KAIROS, ...args], { cwd: work, env });
  try {
    setUp(client, home, model.url);
    writeFileSync(join(work, 'tea.md'), PROTOCOL);
    await kairos('mint', 'tea.md');
    const installed = await tryInstall(kairos, home, id, client.title);
    for (const args of client.before?.(model.url) ?? []) await start(program, args, { cwd: work, env });
    const end = await start(program, client.args(PROMPT), { cwd: work, env });
    log(`${id}: ${JSON.stringify({ ...end, agent })}`);
    const { stdout } = await kairos('runs', '--json');
    const [record] = JSON.parse(stdout).runs ?? [];
    const entries = record === undefined ? [] : await entriesOf(kairos, record.run_id);
    return { id, version, installed, ...judge({ agent, seen: model.seen, entries, end }) };
  } finally {
    model.close();
    endLeftovers(home);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Installs, uninstalls and installs again. Returns whether everything is as before in between, and doctor names the program. */
async function tryInstall(kairos, home, id, title) {
  const before = filesIn(home);
  await kairos('install', '--client', id);
  const { stdout } = await kairos('doctor').catch((error) => error);
  const isNamed = stdout
    .split('\n')
    .some(
      (line) => line.includes(title) && line.includes(`kairos starts ${process.execPath} ${KAIROS} serve`),
    );
  await kairos('install', '--client', id, '--uninstall');
  const after = filesIn(home);
  await kairos('install', '--client', id);
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    log(JSON.stringify({ before, after }));
    return 'leaves something';
  }
  return isNamed ? 'exact' : 'not in doctor';
}

/** The configuration files below a home, without what kairos and npm keep there. */
function filesIn(home) {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !/\/(?:\.local|\.npm|work)\/|kairos-protocols|\.bak/.test(file.slice(home.length)))
    .map((file) => [file, readFileSync(file, 'utf8')]);
}

/** The cells of a row. */
function judge({ agent, seen, entries, end }) {
  const tools = [...seen.tools].filter(([name]) => /kairos_[a-z]+$/.test(name));
  if (tools.length === 0) return { list: 'no', reason: lastLine(end.output) };
  const proofs = entries.filter(({ kind }) => kind === 'proof.accepted').map(({ data }) => data);
  const seal = entries.find(({ kind }) => kind === 'run.sealed');
  const answered = proofs.find(({ type }) => type === 'user_input');
  return {
    list: `${tools.length}, ${schemasOf(tools)}`,
    long: agent.sawWhole ? 'whole' : 'cut',
    recover:
      agent.errors.includes('COMMAND_FAILED') && proofs.some(({ type }) => type === 'shell') ? 'yes' : 'no',
    ask: askCell(agent, answered),
    walk: seal === undefined ? `no: ${lastLine(end.output)}` : seal.data.outcome,
  };
}

/** What happened to the question: the client's form, or the agent. */
function askCell(agent, answered) {
  if (answered === undefined) return 'no';
  if (answered.assurance === 'client') return 'by a form';
  if (agent.errors.includes('USER_DECLINED')) return 'declined';
  return agent.errors.includes('ELICITATION_FAILED')
    ? 'answers forms itself; then the agent'
    : 'no forms; the agent';
}

/** Whether the model is shown the parts of a solution. */
function schemasOf(tools) {
  const next = tools.find(([name]) => name.endsWith('kairos_next'))?.[1];
  const solution = next?.properties?.solution;
  const parts = Object.keys(solution?.properties ?? {});
  const missing = ['type', 'nonce', 'proof_hash', 'shell', 'mcp', 'user_input', 'comment', 'sampling'].filter(
    (part) => !parts.includes(part),
  );
  return missing.length === 0 ? 'typed' : `without ${missing.join(', ')}`;
}

function lastLine(output) {
  return output.trim().split('\n').at(-1)?.slice(0, 160) ?? '';
}

const HEAD = `# Clients from npm

Written by \`npm run clients\`: real clients without a terminal, with a scripted model behind their own API. Each is set up by
\`kairos install\`, finds a protocol, and runs it: a step with 12 kB of text, a command (a wrong result first), a question for the user, a
closing comment.

* **install**: whether \`kairos doctor\` names the program that the client starts, and \`--uninstall\` leaves every file unchanged.
* **tools**: how many the model is shown, and whether it is shown the parts of a solution.
* **long step**: whether the model sees the whole text of the long step. If a client cuts it, the run continues, because the next call
  and the challenge come first.
* **recover**: a refused result, and then the right one.
* **question**: who answers \`user_input\`. Without a terminal no user is there, so kairos gives the question to the agent, and the answer is a claim.
* **run**: how the run was sealed.

| client | version | install | tools | long step | recover | question | run |
|---|---|---|---|---|---|---|---|`;

const row = ({ id, version, installed, list, long = '', recover = '', ask = '', walk = '', reason }) =>
  `| ${CLIENTS[id].title} | ${version} | ${installed} | ${list} | ${long} | ${recover} | ${ask} | ${walk}${reason === undefined ? '' : `not run: ${reason.replaceAll('|', '/')}`} |`;

const chosen = chosenClients(Object.keys(CLIENTS));
const old = existsSync(PAGE) ? readFileSync(PAGE, 'utf8').split('\n') : [];
const rows = [];
for (const id of Object.keys(CLIENTS)) {
  const before = old.find((line) => line.startsWith(`| ${CLIENTS[id].title} |`));
  if (!chosen.includes(id)) {
    if (before !== undefined) rows.push(before);
    continue;
  }
  const made = row(await tryClient(id));
  console.log(made);
  rows.push(made);
}
if (rows.some((line) => !line.endsWith('| success |'))) process.exitCode = 1;
for (const id of Object.keys(NOT_RUN)) rows.push(await tryOnlyInstall(id));
writeFileSync(PAGE, `${[HEAD, ...rows].join('\n')}\n`);
