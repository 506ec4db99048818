// kairos serve and an echo server on the same SDK, in one run: node bench/serve/run.mjs [calls]
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BIN, machine, makeHome, median, ROOT, row } from '../lib.mjs';
import { overHttp, overPipes } from './clients.mjs';

const calls = Number(process.argv[2] ?? 1000);
const STEPS = 10;
const PROTOCOLS = 300;
const ROUNDS = 10;
console.log(`kairos serve, ${calls} calls each, ${PROTOCOLS} protocols; ${machine()}`);

const { home, env: own } = makeHome();
const env = {
  ...own,
  // The bundle lies where no package is found.
  BENCH_SQLITE: createRequire(import.meta.url).resolve('@photostructure/sqlite'),
  BENCH_DB: join(home, 'commit.db'),
};
try {
  const echo = await bundleEcho();
  const uri = fillStore();
  const kairos = [BIN, 'serve', '--log-level', 'error'];
  const sides = [
    ['stdio', () => overPipes([echo], env), () => overPipes(kairos, env)],
    ['http', () => overHttp([echo, 'http'], env), () => overHttp([...kairos, '--http', '0'], env)],
  ];
  for (const [transport, startEcho, startKairos] of sides) {
    const floor = await startEcho();
    const server = await startKairos();
    // Both are warm before either is measured.
    await measure(calls / 4, lanes(1, echoCaller(floor)));
    await measure(calls / 4, lanes(1, echoCaller(floor, 'commit')));
    await measure(calls / 4, lanes(1, walker(server, uri)));
    for (const concurrency of [1, 32]) {
      const rounds = await inTurn(calls, {
        echo: lanes(concurrency, echoCaller(floor)),
        'echo + commit': lanes(concurrency, echoCaller(floor, 'commit')),
        kairos_next: lanes(concurrency, walker(server, uri)),
        kairos_search: lanes(concurrency, searcher(server)),
      });
      for (const [name, measured] of Object.entries(rounds)) {
        report(`${transport}, ${name}, ${concurrency} at once`, measured);
      }
      if (concurrency === 1) {
        const { 'echo + commit': least, kairos_next: next } = rounds;
        const ratios = next.map(({ p50 }, at) => p50 / least[at].p50);
        row(`${transport}, kairos_next over echo + commit`, `${median(ratios).toFixed(2)} ×`);
      }
    }
    row(
      `${transport}, resident memory`,
      `echo ${floor.rss().toFixed(0)} MiB, kairos ${server.rss().toFixed(0)} MiB`,
    );
    await floor.close();
    await server.close();
  }
  await startUp(sides[0]);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Bundled as the product is, so that start-up compares like with like. */
async function bundleEcho() {
  const outfile = join(home, 'echo.mjs');
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['bench/serve/echo.mjs'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.17',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}

function fillStore() {
  const folder = join(home, 'protocols');
  mkdirSync(folder);
  const verbs = [
    'Rotate',
    'Restore',
    'Publish',
    'Audit',
    'Migrate',
    'Review',
    'Provision',
    'Retire',
    'Inspect',
    'Renew',
  ];
  const things = [
    'certificate',
    'database',
    'package',
    'account',
    'cluster',
    'invoice',
    'backup',
    'contract',
    'mailbox',
    'pipeline',
  ];
  for (let at = 0; at < PROTOCOLS; at += 1) {
    const title = `${verbs[at % 10]} the ${things[Math.floor(at / 10) % 10]} of team ${at}`;
    writeFileSync(
      join(folder, `${at}.md`),
      `# ${title}\n\n## Natural Language Triggers\n\n- "${title.toLowerCase()} now"\n\n## Look\n\nLook at it.\n\n## Do\n\nDo it.\n`,
    );
  }
  const steps = Array.from(
    { length: STEPS },
    (_, at) =>
      `## Part ${at + 1}\n\nTell of part ${at + 1}.\n\n\`\`\`json\n{"proof_of_work": {"type": "comment", "comment": {"min_length": 10}}}\n\`\`\`\n`,
  );
  writeFileSync(join(folder, 'walk.md'), `# Walk for the bench\n\n${steps.join('\n')}`);
  const files = Array.from({ length: PROTOCOLS }, (_, at) => join(folder, `${at}.md`));
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'mint', '--force', ...files], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const minted = spawnSync(process.execPath, [BIN, 'mint', join(folder, 'walk.md'), '--json'], {
    env,
    encoding: 'utf8',
  });
  return JSON.parse(minted.stdout).items[0].uri;
}

function echoCaller(server, tool = 'echo') {
  const text = 'Looked at it, and it holds what it should.';
  return () => async () => {
    const begun = performance.now();
    await server.call(tool, { text });
    return performance.now() - begun;
  };
}

function searcher(server) {
  const queries = [
    'rotate the certificate',
    'publish package',
    'who audits an account',
    'restore a backup now',
    'renew contract of team 17',
  ];
  return (lane) => {
    let at = lane;
    return async () => {
      at += 1;
      const begun = performance.now();
      await server.call('kairos_search', { query: queries[at % queries.length] });
      return performance.now() - begun;
    };
  };
}

/** Does run after run; only kairos_next is timed. */
function walker(server, uri) {
  return () => {
    let answer = null;
    let runId;
    let step = 0;
    return async () => {
      if (answer === null) {
        answer = await server.call('kairos_begin', { uri });
        runId = answer.run_id;
        step = 0;
      }
      step += 1;
      const { nonce, proof_hash } = answer.challenge;
      const solution = {
        type: 'comment',
        nonce,
        proof_hash,
        comment: { text: `Part ${step} was looked at and holds what it should.` },
      };
      const args = { uri: answer.current_step.uri, run_id: runId, solution };
      const begun = performance.now();
      answer = await server.call('kairos_next', args);
      const ms = performance.now() - begun;
      if (answer.error_code) throw new Error(answer.message);
      if (step === STEPS) answer = null;
      return ms;
    };
  };
}

function lanes(concurrency, makeCaller) {
  return Array.from({ length: concurrency }, (_, lane) => makeCaller(lane));
}

/** All kinds of calls in turn, a tenth of each at a time, so that what else the machine does is shared by all of them. */
async function inTurn(count, kinds) {
  const rounds = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, callers] of Object.entries(kinds)) {
      rounds[name].push(await measure(count / ROUNDS, callers));
    }
  }
  return rounds;
}

async function measure(count, callers) {
  const times = [];
  let left = Math.round(count);
  const begun = performance.now();
  await Promise.all(
    callers.map(async (call) => {
      while (left > 0) {
        left -= 1;
        times.push(await call());
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  return { times, p50: median(times), seconds };
}

function report(name, measured) {
  const times = measured.flatMap((round) => round.times).sort((a, b) => a - b);
  const seconds = measured.reduce((sum, round) => sum + round.seconds, 0);
  const p95 = times[Math.floor(times.length * 0.95)];
  row(
    name,
    `p50 ${median(times).toFixed(2)} ms   p95 ${p95.toFixed(2)} ms   ${(times.length / seconds).toFixed(0)} calls/s`,
  );
}

/** From spawn to the answered handshake, in turn. */
async function startUp([, startEcho, startKairos]) {
  const times = { echo: [], kairos: [] };
  const fresh = { echo: 0, kairos: 0 };
  for (let round = -1; round < 15; round += 1) {
    for (const [name, start] of [
      ['echo', startEcho],
      ['kairos', startKairos],
    ]) {
      const begun = performance.now();
      const server = await start();
      const ms = performance.now() - begun;
      if (round >= 0) times[name].push(ms);
      fresh[name] = server.rss();
      await server.close();
    }
  }
  const ratio = median(times.kairos.map((ms, at) => ms / times.echo[at]));
  row(
    'stdio, start to handshake',
    `echo ${median(times.echo).toFixed(0)} ms, kairos ${median(times.kairos).toFixed(0)} ms, ${ratio.toFixed(2)} ×`,
  );
  row(
    'stdio, resident memory when fresh',
    `echo ${fresh.echo.toFixed(0)} MiB, kairos ${fresh.kairos.toFixed(0)} MiB`,
  );
}
