import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/store-0.1.0/', import.meta.url));

const homes: CliHome[] = [];
afterAll(() => {
  for (const home of homes) home.remove();
});

function newHome(): CliHome {
  const home = makeHome();
  homes.push(home);
  return home;
}

/** A user who has worked with 0.1.0 so far, without the key that sealed the runs. */
function olderHome(format: number): CliHome {
  const home = newHome();
  const store = gunzipSync(readFileSync(join(FIXTURES, `format-${format}.db.gz`)));
  writeFileSync(join(home.data, 'kairos.db'), store, { mode: 0o600 });
  cpSync(join(FIXTURES, 'trust'), join(home.data, 'trust'), { recursive: true });
  return home;
}

/** The runs as `kairos runs` lists them, newest first. */
async function runsOf(home: CliHome, ...options: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout } = await kairos(home, ['runs', ...options, '--json']);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { runs: Record<string, unknown>[] }).runs;
}

/** Slug → outcome of each run, null while it is open. */
async function outcomes(home: CliHome): Promise<unknown> {
  return (await runsOf(home)).map(({ slug, outcome }) => [slug, outcome ?? null]);
}

const VERIFIED = /^unsealed {2}\S+ {2}2 entries\n5 runs: 1 unsealed, 4 intact\n$/;
const RUNS = [
  ['deploy-the-site', null],
  ['stop-the-service', 'success'],
  ['p-a0283367', 'failure'],
  ['check-the-backup', 'success'],
  ['deploy-the-site', 'success'],
];

describe.each([1, 2])('a store of 0.1.0, format %i', (format) => {
  const home = olderHome(format);

  it('is migrated at the first command, with a copy of the old file', async () => {
    const { code, stdout, stderr } = await kairos(home, ['list']);
    expect(code).toBe(0);
    expect(stdout).toContain('Перезапустить сервер');
    const copies = readdirSync(home.data).filter((name) => name.endsWith('.backup'));
    expect(copies).toEqual([expect.stringMatching(new RegExp(`^kairos\\.db\\.v${format}-`))]);
    expect(stderr).toContain(copies[0]!);
    expect((await kairos(home, ['list'])).stderr).toBe('');
  });

  it('has every protocol with its revisions, and every run', async () => {
    expect(await outcomes(home)).toEqual(RUNS);
    const { stdout: log } = await kairos(home, ['log', 'deploy-the-site']);
    expect(log).toMatch(/ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/);
    expect(log.match(/[0-9a-f]{8,}/g)?.length).toBeGreaterThanOrEqual(2);
    const { stdout: shown } = await kairos(home, ['show', 'check-the-backup']);
    expect(shown).toContain('echo backup is there');
    const { stdout: other } = await kairos(home, ['list', '--space', 'ops']);
    expect(other).toContain('check-the-backup');
    expect(other).not.toContain('deploy-the-site');
  });

  it('verifies every ledger, the gated run with its approval too', async () => {
    const { code, stdout } = await kairos(home, ['verify', '--all']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(VERIFIED) });
    const [gated] = await runsOf(home, '--protocol', 'stop-the-service');
    const { code: verified } = await kairos(home, ['verify', String(gated!.run_id)]);
    expect(verified).toBe(0);
    expect((await kairos(home, ['report', String(gated!.run_id), '--format', 'md'])).stdout).toContain(
      'alice',
    );
  });

  it('finds its protocols', async () => {
    const { stdout } = await kairos(home, ['search', 'put the new web site online']);
    expect(stdout).toContain('deploy-the-site');
  });

  it('needs no rewriting: older spellings were read when they were stored', async () => {
    const { code } = await kairos(home, ['migrate', '--stored']);
    expect(code).toBe(0);
  });

  it('still trusts what was trusted, and continues the open run', async () => {
    const answers = join(home.work, 'answers.yaml');
    writeFileSync(
      answers,
      'answers:\n  2: they do\n  3: Looked at every page of the site.\n  closing: All pages are there.\n',
    );
    const { code, stdout } = await kairos(home, ['resume', 'latest', '--here', '--answers', answers]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('built all pages') });
    expect((await kairos(home, ['verify', '--all'])).stdout).toBe('5 runs: 5 intact\n');
  });
});

describe('files of 0.1.0', () => {
  it('verifies an exported run', async () => {
    const { code } = await kairos(newHome(), ['verify', join(FIXTURES, 'gated.jsonl')]);
    expect(code).toBe(0);
  });

  it('imports an exported store', async () => {
    const home = newHome();
    const file = join(home.work, 'store.jsonl');
    writeFileSync(file, gunzipSync(readFileSync(join(FIXTURES, 'store.jsonl.gz'))));
    expect(await kairos(home, ['store', 'import', file])).toMatchObject({ code: 0 });
    expect(await outcomes(home)).toEqual(RUNS);
    expect((await kairos(home, ['verify', '--all'])).stdout).toMatch(VERIFIED);
  });
});
