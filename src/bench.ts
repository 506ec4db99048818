/** What the benchmarks in bench/ measure from inside the process; no part of the library's interface. */

export { commandLine } from './base/command-line.ts';
export { decideProposal } from './gate/decide.ts';
export { makeEntry } from './ledger/entry.ts';
export { toJsonl } from './ledger/line.ts';
export { makeSeal } from './ledger/seal.ts';
export { verifyLedger } from './ledger/verify.ts';
export { begin } from './operations/begin.ts';
export { embedTexts, indexChains } from './operations/index-chains.ts';
export { mint } from './operations/mint.ts';
export { next } from './operations/next.ts';
export { loadTools } from './proof/tools.ts';
export { chainId, deriveSlug, digest } from './protocol/identity.ts';
export { parseProtocol } from './protocol/parse.ts';
export { isClearMatch } from './search/classify.ts';
export { unit } from './search/cosine.ts';
export { calibrate } from './search/embedding/calibrate.ts';
export { openEmbedders } from './search/embedding/embedders.ts';
export { staticEmbedder } from './search/embedding/static.ts';
export { embeddingTexts, queryTexts } from './search/vectors.ts';
export { isStopWord, parseQuery, words } from './search/words.ts';
export { openStore } from './store/open.ts';
export { loadSqliteDriver } from './store/sqlite/driver.ts';
