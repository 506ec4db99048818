import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { fakeIo } from '../../support/cli-io.ts';
import { protocolOf } from '../../support/protocols.ts';

/** Somebody who can write the store's file has put a weaker demand into a protocol. */
let folder: string;
let uris: string[];
let runId: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'one.md'), protocolOf(['comment', 'shell'], 'Water the plants'));
  writeFileSync(join(folder, 'weaker.md'), protocolOf(['comment', 'comment'], 'Water the plants'));
  writeFileSync(join(folder, 'two.md'), protocolOf(['comment'], 'Feed the cat'));
  const [minted] = (await kairos('mint', 'one.md', '--json')).objects;
  uris = (minted as { items: { uri: string }[] }).items.map(({ uri }) => uri);
  await kairos('mint', 'two.md');
  runId = String((await kairos('begin', 'water-the-plants', '--json')).objects[0]?.run_id);
  await kairos('store', 'export', 'whole.jsonl');
});

async function kairos(...args: string[]) {
  const env = { KAIROS_DATA_DIR: folder, KAIROS_CONFIG_DIR: folder };
  const { io, stdout, stderr } = fakeIo({ env, cwd: folder });
  const code = await main(args, io);
  const objects = args.includes('--json')
    ? stdout()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];
  return { code, stdout: stdout(), stderr: stderr(), objects };
}

async function tamper(...statements: string[]): Promise<void> {
  const connection = (await loadSqliteDriver()).connect(join(folder, 'kairos.db'), { readOnly: false });
  connection.exec('DROP TRIGGER revision_fix');
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

const OF_PLANTS = "WHERE chain = (SELECT id FROM chain WHERE slug = 'water-the-plants')";
const WEAKEN = `UPDATE revision SET content = json_set(content, '$.steps[1].block', json('null')) ${OF_PLANTS}`;

describe('a content that was changed in the store', () => {
  const CALLS: [string, () => string[]][] = [
    ['update of a step', () => ['update', uris[0]!, '--text', 'Other words.']],
    ['update of the very step', () => ['update', uris[1]!, '--text', 'Other words.']],
    ['mint', () => ['mint', 'one.md']],
    ['mint of a new revision', () => ['mint', 'weaker.md', '--force']],
    ['dump of a step', () => ['dump', uris[1]!]],
    ['dump', () => ['dump', 'water-the-plants']],
    ['show', () => ['show', 'water-the-plants']],
    ['begin', () => ['begin', 'water-the-plants']],
    ['trust', () => ['trust', 'water-the-plants']],
    ['import of what was there', () => ['store', 'import', 'whole.jsonl']],
    ['export', () => ['store', 'export', 'after.jsonl']],
  ];

  it.each(CALLS)('is refused: %s', async (_, args) => {
    await tamper(WEAKEN);
    const said = await kairos(...args(), '--json');
    expect(said).toMatchObject({ code: 1, stdout: '' });
    expect(said.stderr).toContain('"code":"STORE_DAMAGED"');
    // Nothing came on top of it, by which it could be walked.
    expect(await kairos('begin', 'water-the-plants')).toMatchObject({ code: 1 });
  });

  it('stays the measure of what a deleted protocol comes back as', async () => {
    await tamper(WEAKEN);
    expect(await kairos('delete', uris[0]!)).toMatchObject({ code: 0 });
    const said = await kairos('mint', 'weaker.md', '--json');
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('STORE_DAMAGED') });
  });

  it('is skipped by migrate, which names it', async () => {
    await tamper(WEAKEN);
    const { code, objects } = await kairos('migrate', '--stored', '--write', '--json');
    expect({ code, objects }).toMatchObject({
      code: 2,
      objects: [{ written: [], failures: [{ path: 'water-the-plants' }] }],
    });
  });

  it.each([
    ['weaker', WEAKEN],
    ['no content', `UPDATE revision SET content = 'null' ${OF_PLANTS}`],
    ['no JSON', `UPDATE revision SET content = '{' ${OF_PLANTS}`],
  ])("is reported by commands that read it, and doesn't block the others: %s", async (_, change) => {
    await tamper(change);
    expect((await kairos('verify', runId, '--json')).objects).toMatchObject([
      { status: 'broken', findings: [{ code: 'content-edited' }] },
    ]);
    const shown = await kairos('runs', 'show', runId);
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('changed in the store') });
    const { objects } = await kairos('doctor', '--json');
    expect(JSON.stringify(objects)).toMatch(/"store","health":"broken","detail":"the content/);
    expect(await kairos('search', 'water the plants')).toMatchObject({ code: 0 });
    expect(await kairos('dump', 'feed-the-cat')).toMatchObject({ code: 0 });
    expect(await kairos('update', uris[0]!, '--text', 'x', '--json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('STORE_DAMAGED'),
    });
  });
});

it.each(['{', 'null', '{"slug":1,"tags":[]}'])('an invalid summary (%s) is a damaged store', async (text) => {
  await tamper(`UPDATE revision SET summary = '${text}' ${OF_PLANTS}`);
  for (const args of [['list'], ['search', 'water the plants']]) {
    expect(await kairos(...args, '--json')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('"code":"STORE_DAMAGED"'),
    });
  }
});
