import { writeSync } from 'node:fs';
import { makeEntry } from '../../../src/ledger/entry.ts';
import { digest } from '../../../src/protocol/identity.ts';
import type { Store } from '../../../src/store/port.ts';
import { openQdrantStore } from '../../../src/store/qdrant/store.ts';
import { begun, contentOf, revisionOf, SPACE } from '../builders.ts';

/** A server of its own for the tests: `node worker.mjs TASK ADDRESS ...`. Prints one JSON value a line. */
const [task = '', address = '', ...rest] = process.argv.slice(2);

const TASKS: Record<string, (store: Store) => Promise<void>> = {
  /** Appends COUNT entries to RUN, against whoever else does. */
  async append(store) {
    const [run = '', count = '0'] = rest;
    for (let won = 0; won < Number(count); ) {
      if ((await appendOne(store, run)) !== null) won += 1;
    }
  },
  /** Appends pairs of entries to RUN until killed; says so after each pair that was acknowledged. */
  async acknowledge(store) {
    for (;;) {
      const hash = await appendOne(store, rest[0] ?? '');
      if (hash !== null) print({ hash });
    }
  },
  /** Begins COUNT runs. */
  async begin(store) {
    for (let made = 0; made < Number(rest[0]); ) {
      const last = await store.lastRun();
      const seq = (last?.storeSeq ?? 0) + 1;
      const run = `${process.pid}-${made}`;
      const entry = begun(run, { store_seq: seq, previous_head: last?.head ?? null });
      if (await store.createRun(run, seq, [entry])) made += 1;
    }
  },
  /** Counts COUNT outcomes, minting a new revision after each fifth. */
  async rate(store) {
    for (let rated = 0; rated < Number(rest[0]); rated += 1) {
      const content = contentOf({ title: `${process.pid} ${rated}` });
      const revision = revisionOf(content);
      await store.rate(revision.chainId, digest(content), 'success', 0.25);
      while (rated % 5 === 0) {
        const head = await store.head(revision.chainId);
        if ((await store.putRevision(revision, head?.digest ?? null)) === 'stored') break;
      }
    }
  },
  /** Mints COUNT protocols, finding each. */
  async mint(store) {
    for (let at = 0; at < Number(rest[0]); at += 1) {
      const title = `Polish lamp ${process.pid} ${at}`;
      const content = contentOf({ slug: `lamp-${process.pid}-${at}`, title });
      await store.putRevision(revisionOf(content), null);
      const [found] = await store.searchChains({ query: title, limit: 1, spaces: [SPACE] });
      print({ slug: found?.chain.slug === content.slug });
    }
  },
};

/** Two entries by this process; the hash of the last, or null when another writer was faster. */
async function appendOne(store: Store, runId: string): Promise<string | null> {
  const run = await store.findRun(runId);
  if (run === null) throw new Error(`no run ${runId}`);
  const by = { by: String(process.pid) };
  const previous = { seq: run.entryCount - 1, hash: run.head };
  const started = makeEntry(runId, previous, new Date().toISOString(), 'command.started', by);
  const finished = makeEntry(runId, started, new Date().toISOString(), 'command.finished', by);
  return (await store.appendEntries(runId, run.entryCount, [started, finished])) ? finished.hash : null;
}

function print(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

const store = await openQdrantStore(address);
try {
  await TASKS[task]?.(store);
} catch (error) {
  const { code, message, hint } = error as { code?: string; message: string; hint?: string };
  print({ code, message, hint });
  process.exitCode = 1;
} finally {
  await store.close();
}
