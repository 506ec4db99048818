// What grows with a store: node bench/growing.mjs [protocols] [runs]. Ratios within one run, each side in turn with the other; CPU time for
// lists and verify, time by the clock for calls, which wait for the disk.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../dist/bench.js';
import { BIN, machine, makeHome, median, row } from './lib.mjs';
import { keep } from './search/keep.mjs';
import { overPipes } from './serve/clients.mjs';

const protocols = Number(process.argv[2] ?? 10_000);
const runs = Number(process.argv[3] ?? 1000);
const { home, env } = makeHome();
const location = join(home, 'data', 'kairos.db');
const kairos = (...args) => execFileSync(process.execPath, [BIN, ...args], { env, encoding: 'utf8' });
console.log(`growing; ${protocols} protocols, ${runs} runs; ${machine()}`);
try {
  const uri = JSON.parse(kairos('mint', document('Walk for the bench'), '--json')).items[0].uri;
  await calls(uri);
  await minting();
  await verifying();
  await lists();
} finally {
  rmSync(home, { recursive: true, force: true });
}

function document(title) {
  const path = join(home, 'protocol.md');
  const block = '```json\n{"proof_of_work": {"type": "comment", "comment": {"min_length": 10}}}\n```\n';
  writeFileSync(path, `# ${title}\n\n## Look\n\nLook at it.\n\n${block}\n## Report\n\nSay it.\n\n${block}`);
  return path;
}

/** Runs of sixteen clients in parallel: attest next to kairos_next. They leave the runs that are verified afterwards. */
async function calls(uri) {
  const server = await overPipes([BIN, 'serve', '--log-level', 'error'], env);
  const times = { kairos_next: [], kairos_attest: [] };
  const timed = async (tool, args) => {
    const begun = performance.now();
    const answer = await server.call(tool, args);
    times[tool].push(performance.now() - begun);
    return answer;
  };
  let left = runs;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      let answer = await server.call('kairos_begin', { uri });
      const { run_id } = answer;
      for (let step = 1; step <= 2; step += 1) {
        const { nonce, proof_hash } = answer.challenge;
        const solution = {
          type: 'comment',
          nonce,
          proof_hash,
          comment: { text: `Looked at part ${step} of it.` },
        };
        answer = await timed('kairos_next', { uri: answer.current_step.uri, run_id, solution });
      }
      const message = 'Every part was looked at and reported.';
      await timed('kairos_attest', { uri, run_id, outcome: 'success', message });
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
  await server.close();
  const [next, attest] = [median(times.kairos_next), median(times.kairos_attest)];
  row(
    'attest over kairos_next, 16 clients, p50',
    `${(attest / next).toFixed(2)} ×   (${attest.toFixed(1)} ms)`,
  );
}

/** A mint over MCP next to a bare durable insert of the same text. */
async function minting() {
  const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
  const bare = new DatabaseSync(join(home, 'bare.db'));
  bare.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (b TEXT)');
  const insert = bare.prepare('INSERT INTO t (b) VALUES (?)');
  const server = await overPipes([BIN, 'serve', '--log-level', 'error'], env);
  const text = readFileSync(document('TITLE'), 'utf8');
  const words = [
    'Rotate',
    'Restore',
    'Publish',
    'Audit',
    'Migrate',
    'Review',
    'Retire',
    'Inspect',
    'Renew',
    'Drain',
  ];
  const things = [
    'certificate',
    'database',
    'package',
    'account',
    'cluster',
    'invoice',
    'backup',
    'contract',
  ];
  const ratios = [];
  for (let round = -1; round < 8; round += 1) {
    const [mints, inserts] = [[], []];
    for (let at = 0; at < 10; at += 1) {
      const title = `${words[at]} the ${things[(round + 8) % 8]} of ${words[(at + 3 + round + 1) % 10]} ${round + 1}`;
      const markdown_doc = text.replace('TITLE', title);
      let begun = performance.now();
      await server.call('kairos_mint', { markdown_doc, force_update: true });
      mints.push(performance.now() - begun);
      begun = performance.now();
      bare.exec('BEGIN IMMEDIATE');
      insert.run(markdown_doc);
      bare.exec('COMMIT');
      inserts.push(performance.now() - begun);
    }
    if (round >= 0) ratios.push(median(mints) / median(inserts));
  }
  await server.close();
  bare.close();
  row('mint over a bare durable insert', `${median(ratios).toFixed(1)} ×`);
}

/** `verify --all` next to a program that parses and hashes each line and checks each signature once. */
async function verifying() {
  const lines = join(home, 'ledgers.jsonl');
  const store = await openStore({ location, dataDir: join(home, 'data') });
  const found = await store.findRuns({ spaces: ['default'] });
  const ledgers = await Promise.all(found.map(({ runId }) => store.readLines(runId)));
  writeFileSync(lines, ledgers.flat().join('\n'));
  await store.close();
  const floor = join(home, 'floor.mjs');
  writeFileSync(
    floor,
    `import { readFileSync } from 'node:fs';
import { createHash, createPublicKey, verify } from 'node:crypto';
for (const line of readFileSync(${JSON.stringify(lines)}, 'utf8').split('\\n')) {
  const { seal, ...entry } = JSON.parse(line);
  createHash('sha256').update(JSON.stringify(entry)).digest('hex');
  if (seal === undefined) continue;
  const { public_key, signature, ...rest } = seal;
  const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
  verify(null, Buffer.from(JSON.stringify(rest)), key, Buffer.from(signature, 'base64'));
}`,
  );
  const cost = (args) => {
    const script = 'TIMEFORMAT="%U %S"; time "$@" > /dev/null';
    const { stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
      env,
      encoding: 'utf8',
    });
    const [user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
    return user + system;
  };
  const ratios = [];
  for (let round = 0; round < 5; round += 1) {
    // What an empty program and an empty command cost is not part of verifying.
    const least = cost([floor]) - cost(['-e', '0']);
    ratios.push(
      (cost([BIN, 'verify', '--all']) - cost([BIN, 'verify', '--all', '--space', 'empty'])) / least,
    );
  }
  row(`verify --all of ${found.length} runs over the floor`, `${median(ratios).toFixed(2)} ×`);
}

/** All pages of resources/list for a quarter of the protocols and for all of them, and the longest answers. */
async function lists() {
  // Vectors are computed in the background, which would be measured too.
  kairos('config', 'set', 'embedding_provider', 'none', '--json');
  const costs = [];
  let longest = 0;
  let filled = 0;
  for (const size of [Math.floor(protocols / 4), protocols]) {
    const store = await openStore({ location, dataDir: join(home, 'data') });
    for (; filled < size; filled += 1) await keep(store, contentOf(filled), 'default');
    await store.close();
    const server = await overPipes([BIN, 'serve', '--log-level', 'error'], env);
    const request = async (method, params) => {
      const result = await server.request(method, params);
      longest = Math.max(longest, Buffer.byteLength(JSON.stringify(result)));
      return result;
    };
    await request('resources/list', {});
    const before = server.cpu();
    for (let pass = 0; pass < 5; pass += 1) {
      let cursor;
      do {
        ({ nextCursor: cursor } = await request('resources/list', cursor === undefined ? {} : { cursor }));
      } while (cursor !== undefined);
    }
    costs.push((server.cpu() - before) / size);
    await request('resources/read', { uri: 'kairos://chains' });
    await request('tools/call', { name: 'kairos_spaces', arguments: { include_chain_titles: true } });
    await request('tools/call', { name: 'kairos_search', arguments: { query: 'rotate', limit: 50 } });
    await server.close();
  }
  const [few, all] = costs;
  row(`resources/list, a protocol of ${protocols} over one of a quarter`, `${(all / few).toFixed(2)} ×`);
  row('longest answer', `${Math.round(longest / 1024)} KiB`);
}

function contentOf(at) {
  const label = `Rotate the certificate of 証明書 number ${at} in every region`;
  const steps = ['Look', 'Report'].map((label) => ({ label, body: `${label}.`, block: null }));
  return {
    slug: `rotate-${at}`,
    title: label,
    version: null,
    tags: ['bench'],
    description: 'Made for the bench.',
    triggers: `- "rotate ${at}"`,
    completion_rule: null,
    steps,
  };
}
