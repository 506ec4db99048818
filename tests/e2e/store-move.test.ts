import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HEADER, recordLine, toFileValue } from '../../src/operations/moving/record.ts';
import { chainId, digest } from '../../src/protocol/identity.ts';
import { contentOf } from '../store/builders.ts';
import {
  type CliHome,
  firstObject,
  kairos,
  kairosJson,
  makeHome,
  SPAWNS,
  startKairos,
} from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const at = (name: string) => join(home.work, name);
const inStore = (name: string, ...args: string[]) => ['--store', at(name), ...args];
const OK = { code: 0, stderr: '' };

/** A store with two protocols, one of them deleted, and a sealed and an open run. */
async function fillStore(): Promise<void> {
  mkdirSync(at('protocols/deep'), { recursive: true });
  writeFileSync(at('protocols/one.md'), protocolOf(['comment'], 'Keep the books'));
  writeFileSync(at('protocols/deep/two.md'), protocolOf(['shell', 'comment'], 'Close the shop'));
  writeFileSync(at('protocols/readme.md'), '# About\n\nProse about protocols.\n');
  expect(await kairos(home, inStore('a.db', 'store', 'import', 'protocols'))).toMatchObject({
    ...OK,
    stdout: 'Protocols: 2 stored\nRuns: none\n',
  });
  const begun = firstObject<{ run_id: string; current_step: { uri: string } }>(
    await kairosJson(home, inStore('a.db', 'begin', 'keep-the-books')),
  );
  const { uri } = begun.current_step;
  const message = 'The books could not be found at all.';
  expect(
    await kairosJson(home, inStore('a.db', 'attest', uri, 'failure', message, '--run', begun.run_id)),
  ).toMatchObject(OK);
  await kairos(home, inStore('a.db', 'begin', 'close-the-shop'));
  await kairos(home, inStore('a.db', 'delete', uri));
}

it('moves a store through a file, a pipe and a copy, byte for byte', async () => {
  await fillStore();
  const piped = await kairos(home, inStore('a.db', 'store', 'export'));
  expect(piped).toMatchObject({ code: 0, stderr: '2 protocols and 2 runs written\n' });
  const written = await kairosJson(home, inStore('a.db', 'store', 'export', 'all.jsonl'));
  const text = readFileSync(at('all.jsonl'), 'utf8');
  expect(piped.stdout).toBe(text);
  const sha256 = createHash('sha256')
    .update(text.slice(0, text.lastIndexOf('{"trailer"')))
    .digest('hex');
  expect(written).toMatchObject({ ...OK, objects: [{ file: 'all.jsonl', chains: 2, runs: 2, sha256 }] });
  expect(await kairos(home, inStore('a.db', 'store', 'export', 'all.jsonl'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('exists already'),
  });

  const dry = await kairosJson(home, inStore('b.db', 'store', 'import', 'all.jsonl', '--dry-run'));
  expect(dry).toMatchObject({
    ...OK,
    objects: [{ dry_run: true, chains: { stored: 2 }, runs: { stored: 2 } }],
  });
  expect(existsSync(at('b.db'))).toBe(false);
  for (const stored of [2, 0]) {
    const report = await kairosJson(home, inStore('b.db', 'store', 'import', 'all.jsonl'));
    const counts = { stored, unchanged: 2 - stored };
    expect(report).toMatchObject({ ...OK, objects: [{ dry_run: false, chains: counts, runs: counts }] });
  }
  const fromPipe = await kairos(home, inStore('c.db', 'store', 'import', '-'), { stdin: text });
  expect(fromPipe).toMatchObject({ ...OK, stdout: 'Protocols: 2 stored\nRuns: 2 stored\n' });
  const copied = await kairos(home, ['store', 'copy', at('a.db'), at('d.db')]);
  expect(copied).toMatchObject({ ...OK, stdout: 'Protocols: 2 stored\nRuns: 2 stored\n' });
  for (const name of ['b.db', 'c.db', 'd.db']) {
    expect((await kairos(home, inStore(name, 'store', 'export'))).stdout).toBe(text);
  }
});

it('rejects cut, edited, different or missing exports, each with its exit code', async () => {
  await fillStore();
  await kairos(home, inStore('a.db', 'store', 'export', 'all.jsonl'));
  const text = readFileSync(at('all.jsonl'), 'utf8');
  writeFileSync(at('cut.jsonl'), text.slice(0, -40));
  writeFileSync(at('edited.jsonl'), text.replace('could not be found', 'were in good order'));
  for (const [file, why] of [
    ['cut.jsonl', 'cut.jsonl, line 6 ends in the middle: the file is cut'],
    ['edited.jsonl', 'has a ledger that is not intact: Entry 2 does not match its hash.'],
    ['nothing.jsonl', 'nothing.jsonl does not exist'],
  ] as const) {
    const { code, stderr, stdout } = await kairos(home, inStore('b.db', 'store', 'import', file));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
  }
  expect((await kairosJson(home, inStore('b.db', 'list'))).objects).toEqual([{ chains: [] }]);

  // The same protocol went another way here.
  writeFileSync(at('other.md'), protocolOf(['comment'], 'Close the shop'));
  await kairos(home, inStore('b.db', 'mint', 'other.md'));
  const refused = await kairosJson(home, inStore('b.db', 'store', 'import', 'all.jsonl'));
  expect(refused).toMatchObject({ code: 1, objects: [] });
  expect(JSON.parse(refused.stderr)).toMatchObject({
    error: {
      code: 'IMPORT_CONFLICT',
      message: expect.stringMatching(/all\.jsonl, line \d: chain .* has another newest content here/),
    },
  });
  const skipped = await kairosJson(
    home,
    inStore('b.db', 'store', 'import', 'all.jsonl', '--on-conflict', 'skip'),
  );
  expect(skipped).toMatchObject({
    ...OK,
    objects: [{ chains: { stored: 1, skipped: 1 }, runs: { stored: 2 } }],
  });

  expect(await kairos(home, ['store', 'copy', at('missing.db'), at('e.db')])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('missing.db does not exist'),
  });
  expect(await kairos(home, ['store', 'copy', at('a.db'), at('a.db')])).toMatchObject({ code: 2 });
  expect(
    await kairos(home, inStore('b.db', 'store', 'import', 'all.jsonl', '--space', 'team')),
  ).toMatchObject({ code: 2, stderr: expect.stringContaining('already names the space') });
});

it.runIf(SPAWNS)('continues after SIGKILL, and ends with the same store', async () => {
  const text = manyChains(1500);
  writeFileSync(at('many.jsonl'), text);
  let kills = 0;
  for (const wait of [500, 700, 900, 1100]) {
    const child = startKairos(home, inStore('b.db', 'store', 'import', 'many.jsonl'));
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    await delay(wait);
    child.kill('SIGKILL');
    if ((await ended) === 'SIGKILL') kills += 1;
  }
  expect(kills).toBeGreaterThan(0);
  const report = await kairosJson(home, inStore('b.db', 'store', 'import', 'many.jsonl'));
  expect(report).toMatchObject({ code: 0 });
  const { stored, unchanged } = (report.objects[0] as { chains: { stored: number; unchanged: number } })
    .chains;
  expect(stored + unchanged).toBe(1500);
  expect((await kairos(home, inStore('b.db', 'store', 'export'))).stdout).toBe(text);
});

function manyChains(count: number): string {
  const chains = Array.from({ length: count }, (_, index) => {
    const content = contentOf({ slug: `chain-${index}`, title: `Chain ${index}`, steps: 4 });
    const id = chainId('default', content.slug);
    const revision = {
      digest: digest(content),
      chainId: id,
      space: 'default',
      number: 1,
      content,
      author: 'ada',
      llmModelId: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      weakened: null,
    };
    return { chainId: id, space: 'default', head: 1, revisions: [revision], quality: [] };
  }).sort((a, b) => (a.chainId < b.chainId ? -1 : 1));
  const body = [HEADER, ...chains.map((chain) => toFileValue({ kind: 'chain', chain }))]
    .map(recordLine)
    .join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${recordLine({ trailer: { chains: count, runs: 0, sha256 } })}`;
}

it('checks stores that are down before it reports success, and leaves no target behind', async () => {
  const down = 'qdrant://127.0.0.1:1/team';
  await kairos(home, inStore('empty.db', 'list'));
  await kairos(home, inStore('empty.db', 'store', 'export', 'empty.jsonl'));
  for (const args of [
    ['store', 'import', 'empty.jsonl', '--store', down],
    ['store', 'copy', at('empty.db'), down],
    ['store', 'copy', down, at('target.db')],
    ['delete', `kairos://mem/${chainId('default', 'x')}`, '--store', down],
  ]) {
    const { code, stderr } = await kairosJson(home, args);
    expect({ args, code, stderr }).toEqual({
      args,
      code: 1,
      stderr: expect.stringContaining('STORE_UNAVAILABLE'),
    });
  }
  expect(existsSync(at('target.db'))).toBe(false);
});
