// Parsing protocols against the reference parser, in one run: node bench/parse.mjs [files]
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { parseProtocol } from '../dist/bench.js';
import { machine, row } from './lib.mjs';
import { protocols } from './protocols.mjs';

const count = Number(process.argv[2] ?? 5000);
console.log(`parsing ${count} protocols; ${machine()}`);
const sources = protocols(count);
const bytes = sources.reduce((sum, source) => sum + Buffer.byteLength(source), 0);

const remark = unified().use(remarkParse).use(remarkFrontmatter).use(remarkGfm).freeze();
const reference = (source) => remark.parse(source);

for (const source of sources.slice(0, 50)) {
  await parseProtocol(source);
  reference(source);
}
let ours = 0;
let theirs = 0;
for (let at = 0; at < count; at += 100) {
  const block = sources.slice(at, at + 100);
  let begun = performance.now();
  for (const source of block) {
    const { messages } = await parseProtocol(source);
    if (messages.length > 0) throw new Error(JSON.stringify(messages[0]));
  }
  ours += performance.now() - begun;
  // The reference is much slower: a tenth of the files is enough.
  begun = performance.now();
  for (const source of block.slice(0, 10)) reference(source);
  theirs += (performance.now() - begun) * (block.length / Math.min(10, block.length));
}
row(
  `${(bytes / 2 ** 20).toFixed(1)} MiB`,
  `${ours.toFixed(0)} ms, ${((ours / count) * 1000).toFixed(0)} µs a file`,
);
row('against remark with GFM (sampled)', `${(theirs / ours).toFixed(1)} × faster`);
