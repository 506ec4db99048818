// How long a search takes and what it needs: node bench/search/latency.mjs [chains ...]   (default: 1000 10000)
// The chains are made of parts of the corpus; vectors are random ones of 384 dimensions, as many models have.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveSlug, openStore, parseQuery } from '../../dist/bench.js';
import { machine, row } from '../lib.mjs';
import { readProtocols, readQueries, toContent } from './corpus.mjs';
import { keep } from './keep.mjs';

const DIMENSIONS = 384;
const MODEL = { model: 'bench:random#1', dimensions: DIMENSIONS, floor: 0.1, ceiling: 0.3 };
const sizes = process.argv.slice(2).map(Number);
const protocols = readProtocols();
const queries = Object.values(readQueries())
  .flat()
  .map(({ query }) => query);
const random = randomFrom(42);
const pick = (list) => list[Math.floor(random() * list.length)];

console.log(`search latency; ${queries.length} queries; ${machine()}`);
for (const size of sizes.length > 0 ? sizes : [1000, 10_000]) await report(size);

async function report(size) {
  const folder = mkdtempSync(join(tmpdir(), 'kairos-bench-search-'));
  const location = join(folder, 'kairos.db');
  try {
    const filled = await openStore({ location, dataDir: folder });
    const begun = performance.now();
    await fill(filled, size);
    const minted = performance.now() - begun;
    await filled.close();
    console.log(`\n${size} chains`);
    row('minting one', `${(minted / size).toFixed(2)} ms`);
    row('store', `${Math.round(statSync(location).size / 2 ** 20)} MiB`);
    const store = await openStore({ location, dataDir: folder });
    await measure('words', store, () => undefined);
    const vector = () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
    await measure('words and vectors', store, (query) => ({
      model: MODEL,
      phrasings: parseQuery(query).map(vector),
    }));
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name, store, vectorsOf) {
  const search = (query) =>
    store.searchChains({ query, limit: 10, spaces: ['bench'], vectors: vectorsOf(query) });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const first = performance.now();
  await search(queries[0]);
  const cold = performance.now() - first;
  const wall = [];
  const cpu = [];
  for (let round = 0; round < 3; round += 1) {
    for (const query of queries) {
      const used = process.cpuUsage();
      const begun = performance.now();
      await search(query);
      wall.push(performance.now() - begun);
      const { user, system } = process.cpuUsage(used);
      cpu.push((user + system) / 1000);
    }
  }
  const figures = (name, times) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share) => sorted[Math.floor(share * sorted.length)].toFixed(2);
    return `${name} p50 ${at(0.5)} p95 ${at(0.95)} ms`;
  };
  const grown = Math.round((process.memoryUsage().rss - before) / 2 ** 20);
  row(name, `${figures('wall', wall)}  ${figures('cpu', cpu)}  first ${cold.toFixed(0)} ms  +${grown} MiB`);
}

async function fill(store, size) {
  await store.addVectorModel(MODEL);
  let vectors = [];
  for (let at = 0; at < size; at += 1) {
    const names = await keep(store, made(at));
    const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
    vectors.push({ ...names, vector });
    if (vectors.length === 1000 || at === size - 1) {
      await store.putVectors(MODEL.model, vectors);
      vectors = [];
    }
  }
}

/** A protocol put together from parts of three others, with a number of its own. */
function made(at) {
  const [first, second, third] = [pick(protocols), pick(protocols), pick(protocols)];
  const title = at < protocols.length ? protocols[at].title : `${first.title}, then ${second.title} ${at}`;
  return toContent(
    {
      title,
      domain: first.domain,
      triggers:
        at < protocols.length
          ? protocols[at].triggers
          : [pick(first.triggers), `${pick(second.triggers)} ${at}`],
      description: `${first.description} ${third.description}`,
      steps: [...first.steps, ...second.steps, ...third.steps],
    },
    deriveSlug(title),
  );
}

/** Mulberry32 by T. Ettinger (public domain): the same chains on every run. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
