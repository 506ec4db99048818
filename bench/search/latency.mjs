// Time and memory of a search: node bench/search/latency.mjs [chains ...]   (default: 1000 10000)
// The chains are made of parts of the corpus. Vectors are those of the shipped table, each query's too, and its time counts.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  deriveSlug,
  embeddingTexts,
  embedTexts,
  openStore,
  queryTexts,
  staticEmbedder,
} from '../../dist/bench.js';
import { machine, row } from '../lib.mjs';
import { readProtocols, readQueries, toContent } from './corpus.mjs';
import { keep } from './keep.mjs';

const sizes = process.argv.slice(2).map(Number);
const protocols = readProtocols();
const queries = Object.values(readQueries())
  .flat()
  .map(({ query }) => query);
const random = randomFrom(42);
const pick = (list) => list[Math.floor(random() * list.length)];

const embedder = staticEmbedder();
const begun = [performance.now(), process.cpuUsage()];
await embedder.embed(['first'], 'document');
const loaded = [performance.now() - begun[0], process.cpuUsage(begun[1])];
const MODEL = { model: 'bench:static#1', ...embedder.instant };
console.log(`search latency; ${queries.length} queries; ${machine()}`);
row(
  'reading the table, with a first text',
  `wall ${loaded[0].toFixed(0)}, CPU ${((loaded[1].user + loaded[1].system) / 1000).toFixed(0)} ms`,
);
const table = fileURLToPath(new URL('../../assets/static-vectors/', import.meta.url));
const bytes = readdirSync(table).reduce((sum, name) => sum + statSync(join(table, name)).size, 0);
row('size of the table', `${(bytes / 1e6).toFixed(2)} MB`);
for (const size of sizes.length > 0 ? sizes : [1000, 10_000]) await report(size);

async function report(size) {
  const folder = mkdtempSync(join(tmpdir(), 'kairos-bench-search-'));
  const location = join(folder, 'kairos.db');
  try {
    const filled = await openStore({ location, dataDir: folder });
    const spent = await fill(filled, size);
    await filled.close();
    console.log(`\n${size} chains`);
    row(
      'storing one, CPU',
      `${(spent.stored / size).toFixed(2)} ms, with vectors ${(1 + spent.embedded / spent.stored).toFixed(2)} ×`,
    );
    row('store', `${Math.round(statSync(location).size / 2 ** 20)} MiB`);
    const store = await openStore({ location, dataDir: folder });
    await measure('words', store, async () => undefined);
    await measure('words and vectors', store, async (query) => {
      const texts = queryTexts(query);
      return { model: MODEL, stretches: await embedTexts(embedder, texts, undefined, 'query') };
    });
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name, store, vectorsOf) {
  const search = async (query) =>
    store.searchChains({ query, limit: 10, spaces: ['bench'], vectors: await vectorsOf(query) });
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

/** CPU milliseconds of storing the chains, and of making and storing their vectors. */
async function fill(store, size) {
  await store.addVectorModel(MODEL);
  await store.useVectorModel(MODEL.model);
  const spent = { stored: 0, embedded: 0 };
  const count = async (kind, work) => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    spent[kind] += (user + system) / 1000;
    return result;
  };
  for (let at = 0; at < size; at += 1) {
    const content = made(at);
    const names = await count('stored', () => keep(store, content));
    await count('embedded', async () => {
      const vectors = await embedder.embed(embeddingTexts(content), 'document');
      await store.putVectors(MODEL.model, [{ ...names, vectors }]);
    });
  }
  return spent;
}

/** A protocol made of parts of three others, with its own number. */
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
