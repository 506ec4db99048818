// A report of a run with 1,000 entries in Chromium: node bench/report.mjs. Needs Debian's package chromium.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { begin, commandLine, mint, next, openStore } from '../dist/bench.js';
import { contextOver, machine, median } from './lib.mjs';

const STEPS = 499;
const folder = mkdtempSync(join(tmpdir(), 'kairos-bench-'));
const location = join(folder, 'kairos.db');
const store = await openStore({ location, dataDir: folder });
const key = generateKeyPairSync('ed25519');
const ctx = contextOver(store, {
  key,
  commandLine: commandLine(),
  caller: { actor: userInfo().username, interface: 'cli' },
});
const block = JSON.stringify({ proof_of_work: { type: 'shell', shell: { cmd: 'make part' } } });
const steps = Array.from(
  { length: STEPS },
  (_, at) => `## Part ${at + 1}\n\nDo it.\n\n\`\`\`json\n${block}\n\`\`\``,
);
const { items } = await mint(ctx, { markdown_doc: `# Long\n\n${steps.join('\n\n')}`, force_update: true });
let answer = await begin(ctx, { uri: items[0].uri });
const runId = answer.run_id;
const stdout = 'The part was made as it should be.\n'.repeat(10);
for (const { uri } of items) {
  const { nonce, proof_hash } = answer.challenge;
  const solution = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0, stdout } };
  answer = await next(ctx, { uri, run_id: runId, solution });
}
await store.close();

const bin = fileURLToPath(new URL('../bin/kairos.js', import.meta.url));
const kairos = (...args) =>
  execFileSync(process.execPath, [bin, ...args, '--store', location], {
    encoding: 'utf8',
    env: { ...process.env, KAIROS_DATA_DIR: folder },
  });
kairos('attest', items[0].uri, 'success', 'All of the parts were made and looked at.', '--run', runId);
const file = join(folder, 'report.html');
const began = performance.now();
kairos('report', runId, '--out', file);
const written = performance.now() - began;
const { entries } = JSON.parse(kairos('verify', runId, '--json'));

const executablePath = process.env.KAIROS_TEST_CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const times = [];
for (let round = 0; round < 7; round += 1) {
  const page = await browser.newPage();
  const from = performance.now();
  await page.goto(`file://${file}`);
  const loaded = performance.now() - from;
  await page.waitForSelector('.check.intact');
  times.push([loaded, performance.now() - from]);
  await page.close();
}
await browser.close();
const size = Math.round(statSync(file).size / 1024);
rmSync(folder, { recursive: true, force: true });
const of = (at) => Math.round(median(times.map((time) => time[at])));
console.log(machine());
console.log(`${entries} entries, ${size} kB`);
console.log(`written ${Math.round(written)} ms, opened ${of(0)} ms, record checked ${of(1)} ms`);
