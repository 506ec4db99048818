// Durable appends against bare SQLite commits, and verification: node bench/ledger.mjs [appends] [entries]
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeEntry, makeSeal, openStore, toJsonl, verifyLedger } from '../dist/bench.js';
import { machine, row } from './lib.mjs';

const appends = Number(process.argv[2] ?? 1000);
const size = Number(process.argv[3] ?? 20_000);
console.log(`ledger; ${machine()}`);

const folder = mkdtempSync(join(tmpdir(), 'kairos-bench-'));
const at = '2026-01-15T12:00:00.000Z';
/** The data of a run's first entry. */
const BEGUN = {
  chain_id: 'c',
  slug: 's',
  title: 't',
  digest: 'd',
  space: 'default',
  step_count: 1,
  actor: 'a',
  face: 'cli',
  session: null,
  tool_version: '0',
  policy_digest: null,
  trusted: true,
  store_seq: 1,
  previous_head: null,
};
const hash = (text) => createHash('sha256').update(text).digest('hex');
const data = {
  step: 2,
  station: 1,
  uri: 'kairos://mem/00000000-0000-4000-8000-000000000000',
  demand: 'shell',
  nonce_sha256: 'a'.repeat(64),
  proof_hash: hash('genesis'),
  expires_at: at,
};
try {
  const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
  const bare = new DatabaseSync(join(folder, 'bare.db'));
  bare.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)',
  );
  const insert = bare.prepare('INSERT INTO t (b) VALUES (?)');
  const text = JSON.stringify(data);

  const store = await openStore({ location: join(folder, 'store.db'), dataDir: folder });
  const run = '00000000-0000-4000-8000-000000000001';
  let last = makeEntry(run, null, at, 'run.begun', BEGUN);
  await store.createRun(run, 1, [last]);

  // In turn, in blocks: both meet the same disk at the same time.
  const block = Math.max(1, Math.floor(appends / 20));
  let bareMs = 0;
  let ledgerMs = 0;
  for (let done = 0; done < appends; done += block) {
    let begun = performance.now();
    for (let n = 0; n < block; n += 1) {
      bare.exec('BEGIN IMMEDIATE');
      insert.run(text);
      bare.exec('COMMIT');
    }
    bareMs += performance.now() - begun;
    begun = performance.now();
    for (let n = 0; n < block; n += 1) {
      last = makeEntry(run, last, at, 'step.shown', data);
      if (!(await store.appendEntries(run, last.seq, [last]))) throw new Error('lost');
    }
    ledgerMs += performance.now() - begun;
  }
  row(
    `${appends} durable appends`,
    `${((appends / ledgerMs) * 1000).toFixed(0)} / s   ${(ledgerMs / bareMs).toFixed(2)} × a bare durable insert`,
  );
  await store.close();
  bare.close();

  const entries = [];
  let previous = null;
  for (let n = 0; n < size - 1; n += 1) {
    previous = makeEntry(
      run,
      previous,
      at,
      n === 0 ? 'run.begun' : 'step.shown',
      n > 0 ? { ...data, nonce_sha256: hash(String(n)) } : BEGUN,
    );
    entries.push(previous);
  }
  entries.push(
    makeEntry(run, previous, at, 'run.sealed', {
      outcome: 'failure',
      message: 'bench',
      uri: data.uri,
      quality_bonus: '0',
      llm_model_id: null,
      assurance: { observed: 0, attested: 0, client: 0, claimed: 0 },
      self_reported: false,
    }),
  );
  const seal = makeSeal(run, entries.at(-1).hash, entries.length, generateKeyPairSync('ed25519'));
  const lines = toJsonl(entries, seal).trim().split('\n');
  let begun = performance.now();
  for (const line of lines) hash(JSON.stringify(JSON.parse(line)));
  const floor = performance.now() - begun;
  begun = performance.now();
  const { status, findings } = verifyLedger(lines);
  const ms = performance.now() - begun;
  if (status !== 'whole') throw new Error(`not whole: ${JSON.stringify(findings.slice(0, 3))}`);
  row(
    `verify ${size} entries`,
    `${ms.toFixed(0)} ms   ${(ms / floor).toFixed(2)} × parsing and hashing the lines`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
