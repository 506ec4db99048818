// How well search finds, compared with other ways to search the same texts:
//   node bench/search/quality.mjs [--set FILE.json] [--provider NAME] [--teacher FOLDER] [--misses] [--rivals]
// --set      another set than the project's own (the form: readSet in corpus.mjs)
// --provider an embedding provider of kairos (default: static)
// --rivals   also FTS5's bm25, MiniSearch, Orama and the vectors alone, with figures and time
// --teacher  also the model that the table was made of, from its folder, by PYTHON (default: python3) with sentence-transformers
import { parseArgs } from 'node:util';
import {
  calibrate,
  deriveSlug,
  embedTexts,
  indexChains,
  isClearMatch,
  openEmbedders,
  openStore,
  queryTexts,
} from '../../dist/bench.js';
import { machine, row } from '../lib.mjs';
import { ownSet, readSet, toContent } from './corpus.mjs';
import { keep } from './keep.mjs';
import { measure } from './measure.mjs';
import { makeRivals } from './rivals.mjs';

const { values: options } = parseArgs({
  options: {
    set: { type: 'string' },
    provider: { type: 'string', default: 'static' },
    teacher: { type: 'string' },
    rivals: { type: 'boolean' },
    misses: { type: 'boolean' },
  },
});
const { protocols, queries } = options.set === undefined ? ownSet() : readSet(options.set);
const count = Object.values(queries).reduce((sum, list) => sum + list.length, 0);
console.log(`search quality; ${protocols.length} protocols, ${count} queries; ${machine()}`);

for (const [name, most] of [
  ['with triggers', Number.POSITIVE_INFINITY],
  ['with one trigger', 1],
  ['without triggers', 0],
]) {
  console.log(`\n${name}`);
  await report(protocols.map((each) => ({ ...each, triggers: each.triggers.slice(0, most) })));
}

async function report(documents) {
  const kairos = await openKairos(documents);
  const found = await timed(kairos.search);
  for (const [name, figures] of Object.entries(found.classes)) {
    row(`${name} (${figures.queries})`, `${described(figures)}  start_here ${described(figures.clear)}`);
    if (options.misses) for (const miss of figures.misses) console.log(`    ${JSON.stringify(miss)}`);
  }
  await kairos.close();
  if (!options.rivals && options.teacher === undefined) return;
  for (const [name, search] of await makeRivals(documents, queries, options)) {
    const other = await timed(search);
    console.log(`  ${name}: median time ${(other.median / found.median).toFixed(2)} × kairos'`);
    for (const [kind, figures] of Object.entries(other.classes)) {
      row(`    ${kind}`, `${described(figures)}${compared(figures, found.classes[kind])}`);
    }
  }
}

async function openKairos(documents) {
  const store = await openStore({ location: ':memory:', dataDir: '' });
  for (const protocol of documents) {
    const content = toContent(protocol, deriveSlug(protocol.title));
    if (protocol.triggers.length === 0) content.triggers = null;
    await keep(store, content);
  }
  const settings = {
    provider: options.provider,
    model: process.env.KAIROS_EMBEDDING_MODEL ?? null,
    url: process.env.KAIROS_EMBEDDING_URL ?? null,
    apiKey: process.env.KAIROS_EMBEDDING_API_KEY ?? null,
  };
  const embedder = await openEmbedders(settings).configured();
  if (embedder !== null) {
    const measured = async () => embedder.instant ?? calibrate(embedder);
    await indexChains(store, embedder, { calibrate: measured });
  }
  const model = await store.vectorModelInUse();
  return {
    close: () => store.close(),
    async search(query) {
      const request = { query, limit: 10, spaces: ['bench'] };
      const texts = queryTexts(query);
      if (model !== null && texts.length > 0) {
        request.vectors = { model, stretches: await embedTexts(embedder, texts, undefined, 'query') };
      }
      const hits = await store.searchChains(request);
      return hits.map(({ chain: { title }, score, match }, at) => ({
        title,
        score,
        match,
        clear: at === 0 && isClearMatch(hits),
      }));
    },
  };
}

/** Figures by class, and the median time of a search. The first round warms up. */
async function timed(search) {
  await measure(queries, search);
  const times = [];
  const classes = await measure(queries, async (query) => {
    const begun = performance.now();
    const hits = await search(query);
    times.push(performance.now() - begun);
    return hits;
  });
  return { classes, median: times.sort((a, b) => a - b)[times.length >> 1] };
}

function described(figures) {
  if (figures.given !== undefined) return `${percent(figures.given)}, wrong ${figures.wrong}`;
  return figures.falseMatches === undefined
    ? `R@1 ${percent(figures.recall1)}  R@5 ${percent(figures.recall5)}  MRR ${figures.mrr.toFixed(3)}`
    : `${figures.falseMatches} with matches`;
}

function compared(figures, ours) {
  if (figures.recall5 === undefined) return '';
  const ratio = (theirs, own) => (own === 0 ? '-' : (theirs / own).toFixed(2));
  return `  over kairos': R@5 ${ratio(figures.recall5, ours.recall5)}, MRR ${ratio(figures.mrr, ours.mrr)}`;
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
