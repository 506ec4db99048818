import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { begin } from '../../../src/operations/begin.ts';
import { mint } from '../../../src/operations/mint.ts';
import type { WalkFields } from '../../../src/run/walk-fields.ts';
import { openStore } from '../../../src/store/open.ts';
import { withReserved } from '../../../src/store/reserved.ts';
import { loadDriver } from '../../../src/store/sqlite/driver.ts';
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
  runId = ((await begin(ctx, { uri: items[0]!.uri })) as WalkFields).run_id!;
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function tamper(...statements: string[]): Promise<void> {
  const connection = (await loadDriver()).connect(location, { readOnly: false });
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

async function verify() {
  const env = { KAIROS_DATA_DIR: folder, KAIROS_CONFIG_DIR: folder };
  const { io, stdout } = fakeIo({ env, cwd: folder });
  const code = await main(['verify', runId, '--json'], io);
  const { status, findings } = JSON.parse(stdout()) as { status: string; findings: { code: string }[] };
  return { code, status, findings: findings.map((finding) => finding.code) };
}

describe('kairos verify RUN', () => {
  it('finds nothing where nothing was touched', async () => {
    expect(await verify()).toEqual({ code: 1, status: 'unsealed', findings: [] });
  });

  it('finds content that was changed in the store', async () => {
    await tamper(
      'DROP TRIGGER revision_fix',
      "UPDATE revision SET content = replace(content, 'Do part 1.', 'Do nothing.')",
    );
    expect(await verify()).toEqual({ code: 1, status: 'broken', findings: ['content-edited'] });
  });

  it('finds entries that were cut off an open run', async () => {
    await tamper('UPDATE run SET entry_count = entry_count + 1');
    expect(await verify()).toEqual({ code: 1, status: 'broken', findings: ['index-differs'] });
  });

  it('finds a seal that was taken away', async () => {
    await tamper("UPDATE run SET sealed_at = '2026-01-15T12:00:00.000Z', outcome = 'success'");
    const { code, status } = await verify();
    expect({ code, status }).toEqual({ code: 1, status: 'broken' });
  });
});
