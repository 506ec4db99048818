import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTime } from '../../src/cli/commands/runs/command.ts';
import type { LedgerEntry } from '../../src/ledger/entry.ts';
import {
  entriesOf,
  guardedDocument,
  ME,
  makeApprovers,
  runGuarded,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const CLOSING = 'Read all of it twice and wrote down what came of it.';

async function runAs(args: string[], config: object = {}): Promise<string> {
  writeFileSync(join(home.config, 'kairos.config.json'), JSON.stringify(config), { mode: 0o600 });
  const { path } = await protocolFile(home, protocolOf(['comment'], 'Read it'));
  const answers = answersFile(home, { '1.comment': 'Read all of the log, twice.', closing: CLOSING });
  const { code, objects } = await kairosJson(home, ['run', path, '--answers', answers, ...args]);
  expect(code).toBe(0);
  return String(objects.find(({ event }) => event === 'begun')?.run_id);
}

/** What the entries say of who wrote them. */
const writersOf = (entries: readonly LedgerEntry[]) =>
  entries.flatMap(({ kind, data: { by, by_account } }) => (by === undefined ? [] : [[kind, by, by_account]]));

describe('kairos runs', () => {
  it.each([
    [['--since', '2026-02-30'], 'Write a date'],
    [['--until', '2026-13-01'], 'Write a date'],
    [['--open', '--state', 'sealed'], '--state excludes --open and --sealed'],
    [['--sealed', '--state', 'open'], '--state excludes --open and --sealed'],
    [['--since', '2026-02-01', '--until', '2026-01-01'], 'Exchange the two times, or leave one out.'],
    [['--since', '2026-01-01T12:00', '--until', '2026-01-01T12:00'], '--since is not before --until'],
  ])('refuses filters that cannot be meant: %j', async (args, said) => {
    const { code, stderr } = await kairos(home, ['runs', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  it('reads a date as a day of the local time, and a leap day', () => {
    expect(parseTime('2026-01-31')).toBe(new Date(2026, 0, 31).getTime());
    expect(parseTime('2024-02-29T12:00Z')).toBe(Date.UTC(2024, 1, 29, 12));
  });
});

describe('--actor', () => {
  it('names who acts on the record, next to the account', async () => {
    const runId = await runAs(['--actor', 'Ada Byron'], { actor: 'carol' });
    const [begun, ...rest] = await entriesOf(home, runId);
    expect(begun?.data).toMatchObject({ actor: 'Ada Byron', actor_origin: 'flag', actor_account: ME });
    expect(writersOf(rest)).toEqual([]);
    const shown = await kairos(home, ['runs', 'show', runId]);
    expect(shown.stdout).toContain(`by Ada Byron (named with --actor, account ${ME})`);
    const list = await kairosJson(home, ['runs', '--actor', 'Ada Byron']);
    expect(list.objects[0]).toMatchObject({ runs: [{ run_id: runId, actor: 'Ada Byron' }], total: 1 });
    expect((await kairosJson(home, ['runs', '--actor', 'carol'])).objects[0]).toMatchObject({ total: 0 });
    const report = await kairosJson(home, ['report', runId, '--format', 'json', '--out', 'r.json']);
    expect(report.code).toBe(0);
    // The keys and forms of --json.
    const [printed] = (await kairosJson(home, ['report', runId])).objects;
    expect(JSON.parse(readFileSync(join(home.work, 'r.json'), 'utf8'))).toEqual(printed);
    expect(printed).toMatchObject({
      run_id: runId,
      context: expect.arrayContaining([
        { name: 'Name known from', value: 'flag' },
        { name: 'Account', value: ME },
      ]),
    });
    const attested = await kairos(home, ['attestation', runId, '--format', 'statement']);
    expect(attested.stdout).toContain('"actor_origin"');
    expect((await kairos(home, ['verify', runId])).code).toBe(0);
  });

  it('comes from your configuration, never from that of a project', async () => {
    const runId = await runAs([], { actor: 'carol' });
    expect((await entriesOf(home, runId))[0]?.data).toMatchObject({
      ...{ actor: 'carol', actor_origin: 'config', actor_account: ME },
    });
    writeFileSync(join(home.work, 'kairos.config.yaml'), 'actor: mallory\n');
    const config = await kairos(home, ['lint', '.']);
    expect(config.stderr).toContain('actor: a project cannot set this');
  });

  it('is stated with every entry that another name or account writes', async () => {
    const { path } = await protocolFile(home, protocolOf(['comment'], 'Read it'));
    await kairos(home, ['mint', path], { prepares: true });
    const begun = await kairosJson(home, ['begin', 'read-it']);
    const runId = String(begun.objects[0]?.run_id);
    await kairos(home, ['runs', 'note', runId, 'Seen.', '--actor', 'dan']);
    await kairos(home, ['runs', 'close', runId, '--reason', 'Not needed any more.', '--actor', ME]);
    expect(writersOf(await entriesOf(home, runId))).toEqual([['run.noted', 'dan', ME]]);
    const again = await kairosJson(home, ['begin', 'read-it', '--actor', 'dan']);
    const other = String(again.objects[0]?.run_id);
    await kairos(home, ['runs', 'close', other, '--reason', 'Not needed any more.']);
    expect(writersOf(await entriesOf(home, other))).toEqual([['run.sealed', ME, undefined]]);
    expect((await kairos(home, ['runs', 'show', other, '--entries'])).stdout).toContain(
      `begun by dan (account ${ME}, cli)`,
    );
  });

  it('changes neither proposer nor approver', async () => {
    const approvers = makeApprovers(home, ['mira']);
    writePolicy(home, {
      ...{ approvers, approvals: { terminal: true } },
      rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
    });
    writeFileSync(join(home.config, 'kairos.config.json'), '{"actor": "mira"}', { mode: 0o600 });
    const { runId } = await runGuarded(home, guardedDocument());
    const [decided] = (await entriesOf(home, runId)).filter(({ kind }) => kind === 'proposal.decided');
    expect(decided?.data).toMatchObject({ actor: ME, decision: 'HOLD' });
    const { proposal_hash: hash } = decided!.data;
    const answered = await kairos(home, ['proposal', 'approve', runId, String(hash)]);
    expect(answered.stderr).toContain(`${ME} is not an approver of the policy`);
    expect((await kairos(home, ['proposal', 'approve', runId, String(hash), '--actor', 'mira'])).code).toBe(
      2,
    );
  });
});
