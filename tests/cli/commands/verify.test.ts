import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { begin } from '../../../src/operations/begin.ts';
import { mint } from '../../../src/operations/mint.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';
import { openStore, withReserved } from '../../../src/store/open.ts';
import { loadSqliteDriver } from '../../../src/store/sqlite/driver.ts';
import { fakeIo } from '../../support/cli-io.ts';
import { makeContext } from '../../support/context.ts';
import { protocolOf } from '../../support/protocols.ts';

/** What only the store that has the run can tell: changes beside the ledger itself. */
let folder: string;
let location: string;
let runId: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-verify-'));
  location = join(folder, 'kairos.db');
  const store = withReserved(await openStore({ location, dataDir: folder }));
  const ctx = await makeContext({ store });
  const { items } = await mint(ctx, { markdown_doc: protocolOf(['none', 'comment']) });
  runId = ((await begin(ctx, { uri: items[0]!.uri })) as RunFields).run_id!;
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function tamper(...statements: string[]): Promise<void> {
  const connection = (await loadSqliteDriver()).connect(location, { readOnly: false });
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

/** Statements against what keeps ledgers from being changed by any program that means no harm. */
const UNLOCK = 'DROP TRIGGER entry_fix; DROP TRIGGER entry_keep; PRAGMA foreign_keys = OFF';

async function verify() {
  const env = { KAIROS_DATA_DIR: folder, KAIROS_CONFIG_DIR: folder };
  const { io, stdout } = fakeIo({ env, cwd: folder });
  const code = await main(['verify', runId, '--json'], io);
  const { status, findings } = JSON.parse(stdout()) as {
    status: string;
    findings: { code: string; entry: number | null; message: string }[];
  };
  return { code, status, findings: findings.map((finding) => finding.code), told: findings };
}

describe('kairos verify RUN', () => {
  it('finds nothing where nothing was touched', async () => {
    expect(await verify()).toMatchObject({ code: 1, status: 'unsealed', findings: [] });
  });

  it('finds content that was changed in the store', async () => {
    await tamper(
      'DROP TRIGGER revision_fix',
      "UPDATE revision SET content = replace(content, 'Do part 1.', 'Do nothing.')",
    );
    expect(await verify()).toMatchObject({ code: 1, status: 'broken', findings: ['content-edited'] });
  });

  it('finds entries that were cut off an open run', async () => {
    await tamper('UPDATE run SET entry_count = entry_count + 1');
    expect(await verify()).toMatchObject({ code: 1, status: 'broken', findings: ['index-differs'] });
  });

  it('finds a removed seal', async () => {
    await tamper("UPDATE run SET sealed_at = '2026-01-15T12:00:00.000Z', outcome = 'success'");
    const { code, status } = await verify();
    expect({ code, status }).toMatchObject({ code: 1, status: 'broken' });
  });

  it.each([
    ['a repeated key', `replace(entry, '"kind":', '"kind":"step.skipped","kind":')`],
    ['white space', `replace(entry, '{', '{ ')`],
    ['line feeds at the end', `entry || char(10) || char(10)`],
  ])('finds %s in a stored entry that still means the same', async (_, edited) => {
    await tamper(UNLOCK, `UPDATE entry SET entry = ${edited} WHERE seq = 1`);
    expect(await verify()).toMatchObject({ code: 1, status: 'broken', findings: ['not-canonical'] });
  });

  it.each([
    ["actor = 'eve'", 0, 'actor'],
    ["title = 'Another', slug = 'another'", 0, 'slug, title'],
    ["digest = '00'", 0, 'digest'],
    ["chain_id = 'x'", 0, 'chain_id'],
    ["space = 'elsewhere'", 0, 'space'],
    ["session = 's9'", 0, 'session'],
    ["begun_at = '2020-01-01T00:00:00.000Z'", 0, 'begun_at'],
    ["outcome = 'success'", 1, 'outcome'],
    ["head = '00'", 1, 'head'],
    ['entry_count = entry_count + 1', null, 'has counted 3, and the ledger has 2'],
    ['entry_count = entry_count - 1', null, 'has counted 1, and the ledger has 2'],
  ])('finds an index row with %s', async (change, entry, fields) => {
    await tamper(`UPDATE run SET ${change}`);
    const { code, status, told } = await verify();
    expect({ code, status, told }).toEqual({
      code: 1,
      status: 'broken',
      told: [
        expect.objectContaining({
          code: 'index-differs',
          entry,
          message: expect.stringContaining(` ${fields}.`),
        }),
      ],
    });
  });

  it('finds entries that another program has appended, and a deleted row', async () => {
    const row = 'SELECT * FROM run';
    await tamper(UNLOCK, `CREATE TABLE kept AS ${row}`, 'DELETE FROM nonce', 'DELETE FROM run');
    expect(await verify()).toMatchObject({ code: 1, status: 'broken', findings: ['index-differs'] });
  });
});
