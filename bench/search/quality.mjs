// How well search finds: node bench/search/quality.mjs [--misses] [provider ...]   (default: none energetic)
import {
  calibrate,
  deriveSlug,
  indexChains,
  openEmbedders,
  openStore,
  parseQuery,
} from '../../dist/bench.js';
import { machine, row } from '../lib.mjs';
import { readProtocols, readQueries, toContent } from './corpus.mjs';
import { keep } from './keep.mjs';
import { measure } from './measure.mjs';

const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const showMisses = process.argv.includes('--misses');
const protocols = readProtocols();
const queries = readQueries();
const count = Object.values(queries).reduce((sum, list) => sum + list.length, 0);
console.log(`search quality; ${protocols.length} protocols, ${count} queries; ${machine()}`);

for (const withTriggers of [true, false]) {
  for (const provider of named.length > 0 ? named : ['none', 'energetic']) {
    await report(provider, withTriggers);
  }
}

async function report(provider, withTriggers) {
  const store = await openStore({ location: ':memory:', dataDir: '' });
  for (const protocol of protocols) {
    const content = toContent(protocol, deriveSlug(protocol.title));
    if (!withTriggers) content.triggers = null;
    await keep(store, content);
  }
  const settings = {
    provider,
    model: process.env.KAIROS_EMBEDDING_MODEL ?? null,
    url: process.env.KAIROS_EMBEDDING_URL ?? null,
    apiKey: process.env.KAIROS_EMBEDDING_API_KEY ?? null,
  };
  const embedder = await openEmbedders(settings).configured();
  if (embedder !== null) await indexChains(store, embedder, { calibrate });
  const model = await store.vectorModelInUse();
  const search = async (query) => {
    const request = { query, limit: 10, spaces: ['bench'] };
    const phrasings = parseQuery(query).map(({ text }) => text);
    if (model !== null && phrasings.length > 0) {
      request.vectors = { model, phrasings: await embedder.embed(phrasings, 'query') };
    }
    const hits = await store.searchChains(request);
    return hits.map(({ chain: { title }, score, match }) => ({ title, score, match }));
  };
  console.log(`\n${provider}, ${withTriggers ? 'with' : 'without'} triggers`);
  if (model !== null) row('floor, ceiling', `${model.floor.toFixed(3)}, ${model.ceiling.toFixed(3)}`);
  for (const [name, found] of Object.entries(await measure(queries, search))) {
    const figures =
      found.falseMatches === undefined
        ? `R@1 ${percent(found.recall1)}  R@5 ${percent(found.recall5)}  MRR ${found.mrr.toFixed(3)}`
        : `${found.falseMatches} false matches`;
    row(`${name} (${found.queries})`, figures);
    if (showMisses) for (const miss of found.misses) console.log(`    ${JSON.stringify(miss)}`);
  }
  await store.close();
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
