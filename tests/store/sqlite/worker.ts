import { writeSync } from 'node:fs';
import { makeEntry } from '../../../src/ledger/entry.ts';
import type { Store } from '../../../src/store/port.ts';
import { loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { begun, contentOf, revisionOf, SPACE } from '../builders.ts';

/** A process of its own for the tests: `node worker.mjs TASK FILE ...`. Prints one JSON value a line. */
const [task = '', path = '', ...rest] = process.argv.slice(2);

const TASKS: Record<string, () => Promise<void>> = {
  /** Appends COUNT entries to RUN, against whoever else does. */
  async append() {
    const [run = '', count = '0'] = rest;
    const store = await openSqliteStore(path);
    let lost = 0;
    for (let won = 0; won < Number(count); ) {
      if (await appendOne(store, run, `${process.pid}`)) won += 1;
      else lost += 1;
    }
    await store.close();
    print({ lost });
  },
  /** Appends to RUN until killed; says so after each append that was acknowledged. */
  async acknowledge() {
    const store = await openSqliteStore(path);
    for (;;) {
      const hash = await appendOne(store, rest[0] ?? '', `${process.pid}`);
      if (hash !== null) print({ hash });
    }
  },
  /** Begins COUNT runs. */
  async begin() {
    const store = await openSqliteStore(path);
    for (let made = 0; made < Number(rest[0]); ) {
      const last = await store.lastRun();
      const seq = (last?.storeSeq ?? 0) + 1;
      const run = `${process.pid}-${made}`;
      const entry = begun(run, { store_seq: seq, previous_head: last?.head ?? null });
      if (await store.createRun(run, seq, [entry])) made += 1;
    }
    await store.close();
    print({ made: Number(rest[0]) });
  },
  /** Holds the write lock until its standard input ends. */
  async hold() {
    const { connection } = await openDatabase(await loadSqliteDriver(), path);
    connection.exec('BEGIN IMMEDIATE');
    print({ held: true });
    process.stdin.resume();
    await new Promise((done) => process.stdin.once('end', done));
    connection.exec('ROLLBACK');
    connection.close();
  },
  /** Reads, then tries to write. */
  async look() {
    const store = await openSqliteStore(path);
    print({ chains: (await store.listChains([SPACE])).map(({ slug }) => slug) });
    print({ found: (await store.searchChains({ query: 'plants', limit: 5, spaces: [SPACE] })).length });
    print({ written: await store.putRevision(revisionOf(contentOf({ slug: 'new' })), null) });
    await store.close();
  },
  /** Mints until something refuses. */
  async fill() {
    const store = await openSqliteStore(path);
    for (let at = 0; ; at += 1) {
      const slug = `filler-${at}`;
      await store.putRevision(revisionOf(contentOf({ slug, description: `${slug} `.repeat(2000) })), null);
      print({ slug });
    }
  },
};

/** The new entry's hash, or null when another writer was faster. */
async function appendOne(store: Store, runId: string, by: string): Promise<string | null> {
  const run = await store.findRun(runId);
  if (run === null) throw new Error(`no run ${runId}`);
  const previous = { seq: run.entryCount - 1, hash: run.head };
  const entry = makeEntry(runId, previous, new Date().toISOString(), 'command.finished', { by });
  return (await store.appendEntries(runId, run.entryCount, [entry])) ? entry.hash : null;
}

function print(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

try {
  await TASKS[task]?.();
} catch (error) {
  const { code, message, hint } = error as { code?: string; message: string; hint?: string };
  print({ code, message, hint });
  process.exitCode = 1;
}
