import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type HttpServer, overHttp, overStdio, startHttp, type TestClient, toolsOf } from '../mcp/support.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';
import { rightAnswer, walkLiterally } from '../support/walker.ts';

/** KAIROS_TEST_SOAK_CALLS=20000 for the long form. */
const CALLS = Number(process.env.KAIROS_TEST_SOAK_CALLS ?? 2000);
const CONCURRENCY = 32;
const CALLS_PER_WALK = 5;

let home: CliHome;
let uri: string;
let server: HttpServer;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'walk.md'), protocolOf(['none', 'shell', 'comment'], 'Walk about'));
  const { objects } = await kairosJson(home, ['mint', 'walk.md']);
  uri = (objects[0] as { items: { uri: string }[] }).items[0]!.uri;
  server = await startHttp(home, ['--log-level', 'warn']);
}, 60_000);
afterAll(async () => {
  await server.stop();
  home.remove();
});

/** Walks until so many calls are made; answers the runs, every one of them sealed. */
async function walkMany(clients: TestClient[], walks: number): Promise<string[]> {
  let left = walks;
  const runs: string[] = [];
  const lanes = Array.from({ length: CONCURRENCY }, async (_, lane) => {
    const tools = toolsOf(clients[lane % clients.length]!);
    while (left > 0) {
      left -= 1;
      const { answers } = await walkLiterally(tools, uri, { convention: 'as-told', solve: rightAnswer });
      const last = answers.at(-1) as RunFields;
      expect({ status: last.protocol_status, next: last.next_action }).toEqual({
        status: 'completed',
        next: null,
      });
      runs.push(last.run_id!);
    }
  });
  await Promise.all(lanes);
  return runs;
}

async function expectWhole(runs: string[]): Promise<void> {
  const { code, stdout, stderr } = await kairos(home, ['verify', ...runs], { timeoutMs: 600_000 });
  // What it said is part of the assertion, so that a failure tells which ledger and why.
  expect({ code, stderr, said: code === 0 ? '' : stdout }).toEqual({ code: 0, stderr: '', said: '' });
}

async function rss(): Promise<number> {
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)![1]);
}

describe('a long day', () => {
  it(`makes ${CALLS} calls at concurrency ${CONCURRENCY} without an error, in two eras, and every ledger verifies`, {
    timeout: 1_200_000,
  }, async () => {
    const clients = await Promise.all([
      overHttp('sdk-1', server.url),
      overHttp('sdk-2', server.url),
      overHttp('sdk-2-legacy', server.url),
    ]);
    const walks = Math.ceil(CALLS / CALLS_PER_WALK);
    const warm = await walkMany(clients, Math.ceil(walks / 4));
    const before = await rss();
    const runs = [...warm, ...(await walkMany(clients, walks - warm.length))];
    const grown = (await rss()) - before;
    await Promise.all(clients.map((client) => client.close()));
    expect(new Set(runs).size).toBe(walks);
    // The store's cache and the collector's leisure; what leaked per call would soon be more.
    expect(grown).toBeLessThan(48 << 20);
    expect(server.stderr()).toBe('');
    for (let at = 0; at < runs.length; at += 200) {
      await expectWhole(runs.slice(at, at + 200));
    }
  });

  it('is shared by several servers and command lines on one store', async () => {
    const clients = await Promise.all([
      overStdio('sdk-1', home),
      overStdio('sdk-2', home),
      overStdio('sdk-2-legacy', home),
      overHttp('sdk-2', server.url),
    ]);
    const typed = Array.from({ length: 6 }, async () => {
      const [begun] = (await kairosJson(home, ['begin', 'walk-about'])).objects as unknown as RunFields[];
      return begun!.run_id!;
    });
    const [runs, begun] = await Promise.all([walkMany(clients, 64), Promise.all(typed)]);
    await Promise.all(clients.map((client) => client.close()));
    await expectWhole(runs);
    // Those of the command line are open, whole, and nobody else's.
    for (const run of begun) expect(runs).not.toContain(run);
    const { objects } = await kairosJson(home, ['runs', 'list']);
    expect(JSON.stringify(objects)).toContain(begun[0]);
  });
});
