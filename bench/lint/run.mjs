// Linting many protocols: kairos against rumdl, markdownlint-cli2 and remark-cli, in turn, in one run:
//   node bench/lint/run.mjs [--files 5000] [--rounds 5] [--slow-rounds 1] [--tools FOLDER]
// The others are installed by npm into a separate folder, temporary unless it is named. Needs GNU time and a built dist/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BIN, machine, median, row } from '../lib.mjs';
import { documentText, writeDocuments } from './documents.mjs';

const TIME = '/usr/bin/time';
const PACKAGES = [
  'rumdl@0.2.75',
  'markdownlint-cli2@0.22.1',
  'remark-cli@12.0.1',
  'remark-preset-lint-recommended@7.0.1',
  'remark-frontmatter@5.0.0',
];

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    'slow-rounds': { type: 'string', default: '1' },
    tools: { type: 'string' },
  },
});
if (!existsSync(TIME))
  throw new Error(`${TIME} (GNU time) is needed to measure CPU and memory of whole processes`);

const folder = mkdtempSync(join(tmpdir(), 'kairos-bench-lint-'));
try {
  const tools = installed(values.tools ?? join(folder, 'tools'));
  const documents = join(folder, 'documents');
  mkdirSync(documents);
  const bytes = writeDocuments(documents, Number(values.files));
  console.log(`${values.files} protocols, ${(bytes / 1e6).toFixed(1)} MB; ${machine()}`);
  compareMany(documents, tools);
  compareOne(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function installed(prefix) {
  const bin = join(prefix, 'node_modules', '.bin');
  if (existsSync(join(bin, 'rumdl'))) return bin;
  mkdirSync(prefix, { recursive: true });
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--prefix', prefix, '--no-audit', '--no-fund', ...PACKAGES],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`);
  return bin;
}

/** Every linter reads every file again and keeps no cache; its output goes into a file. */
function compareMany(documents, bin) {
  const plugins = ['remark-frontmatter', 'remark-preset-lint-recommended'].flatMap((name) => [
    '--use',
    join(bin, '..', name, 'index.js'),
  ]);
  const linters = {
    kairos: [process.execPath, BIN, 'lint', '.'],
    // The npm package starts its native binary through a script; the binary itself is measured.
    rumdl: [nativeRumdl(bin), 'check', '--no-cache', '.'],
    'markdownlint-cli2': [join(bin, 'markdownlint-cli2'), '**/*.md'],
    'remark-cli': [join(bin, 'remark'), ...plugins, '--quiet', '.'],
  };
  const slow = new Set(['markdownlint-cli2', 'remark-cli']);
  const results = Object.fromEntries(Object.keys(linters).map((name) => [name, []]));
  measure(linters.kairos, documents);
  measure(linters.rumdl, documents);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [name, command] of Object.entries(linters)) {
      if (slow.has(name) && round >= Number(values['slow-rounds'])) continue;
      results[name].push(measure(command, documents));
    }
  }
  const base = summary(results.rumdl);
  for (const [name, list] of Object.entries(results)) {
    if (list.length === 0) continue;
    const { wall, cpu, memory } = summary(list);
    row(
      name,
      `wall ${wall.toFixed(2)} s (${(wall / base.wall).toFixed(2)} × rumdl)   CPU ${cpu.toFixed(2)} s (${(cpu / base.cpu).toFixed(2)} ×)   ${memory.toFixed(0)} MiB`,
    );
  }
}

/** One file of the usual size, against an empty Node program. */
function compareOne(folder) {
  const file = join(folder, 'one.md');
  writeFileSync(file, documentText(1));
  const times = { node: [], kairos: [] };
  for (let round = -1; round < 3 * Number(values.rounds); round += 1) {
    const node = measure([process.execPath, '-e', '0'], folder);
    const kairos = measure([process.execPath, BIN, 'lint', file], folder);
    if (round < 0) continue;
    times.node.push(node.wall);
    times.kairos.push(kairos.wall / node.wall);
  }
  row(
    'one file',
    `${median(times.kairos).toFixed(2)} × node -e 0 (${(median(times.node) * 1000).toFixed(0)} ms)`,
  );
}

/** Wall and CPU in seconds, peak memory in MiB. Findings (exit code 1) are not a failure. */
function measure(command, cwd) {
  const out = join(folder, 'time.txt');
  const begun = performance.now();
  const { status, stderr } = spawnSync(TIME, ['-o', out, '-f', '%U %S %M', ...command], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const wall = (performance.now() - begun) / 1000;
  if (status === null || status > 1)
    throw new Error(`${command.join(' ')} ended with ${status}: ${stderr.slice(-500)}`);
  const [user, system, memory] = readFileSync(out, 'utf8').trim().split('\n').at(-1).split(' ').map(Number);
  return { wall, cpu: user + system, memory: memory / 1024 };
}

function summary(list) {
  const of = (key) => median(list.map((result) => result[key]));
  return { wall: of('wall'), cpu: of('cpu'), memory: of('memory') };
}

function nativeRumdl(bin) {
  const native = join(bin, '..', '@rumdl', `cli-${process.platform}-${process.arch}`, 'rumdl');
  return existsSync(native) ? native : join(bin, 'rumdl');
}
