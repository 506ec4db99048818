// Calls on a run as its record grows: node bench/long-run.mjs [calls]. Processor time, so that a busy machine counts for less.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { begin, commandLine, mint, next, openStore } from '../dist/bench.js';
import { contextOver, machine } from './lib.mjs';

const calls = Number(process.argv[2] ?? 5000);
const folder = mkdtempSync(join(tmpdir(), 'kairos-bench-'));
const store = await openStore({ location: join(folder, 'kairos.db'), dataDir: folder });
const place = { host: 'bench', workdir: folder, roots: [] };
const ctx = contextOver(store, {
  key: generateKeyPairSync('ed25519'),
  commandLine: commandLine(),
  caller: { actor: 'bench', interface: 'mcp' },
  here: async () => place,
  place: async () => place,
});
const block = '{"proof_of_work": {"type": "shell", "shell": {"cmd": "false"}}}';
const document = `# Long run\n\n## First\n\n\`\`\`json\n${block}\n\`\`\`\n\n## Second\n\nText.\n`;
const { items } = await mint(ctx, { markdown_doc: document });
const { uri } = items[0];
const output = randomBytes(30_000).toString('base64');
const times = [];
let answer = await begin(ctx, { uri });
for (let call = 0; call < calls; call += 1) {
  const { nonce, proof_hash } = answer.challenge;
  // Every second rejected proof has 40 kB of output.
  const shell = { exit_code: 1, stdout: call % 2 === 0 ? 'short' : output };
  const before = process.cpuUsage();
  answer = await next(ctx, {
    uri,
    run_id: answer.run_id,
    solution: { type: 'shell', nonce, proof_hash, shell },
  });
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / 1000);
}
console.log(`kairos_next in a growing run; ${machine()}`);
for (const share of [0.02, 0.2, 0.5, 0.98]) {
  const middle = Math.floor(calls * share);
  const near = times.slice(Math.max(0, middle - 50), middle + 50).sort((a, b) => a - b);
  console.log(`entry ${middle * 2}: ${near[near.length >> 1].toFixed(2)} ms`);
}
await store.close();
rmSync(folder, { recursive: true });
