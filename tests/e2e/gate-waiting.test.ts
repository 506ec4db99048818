import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import {
  answerWithKey,
  guardedDocument,
  keyOf,
  ME,
  makeApprovers,
  resumeGuarded,
  runGuarded,
  toolDocument,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { fakeIo } from '../support/cli-io.ts';

/** What people see of what waits, and for whom. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

async function heldForTwo() {
  writePolicy(home, {
    approvers: makeApprovers(home, ['mira', 'noor', 'otis']),
    rules: [{ name: 'two-people', match: { action_types: ['write'] }, approval_class: 'dual' }],
  });
  return runGuarded(home, guardedDocument());
}

/** The row of the only proposal that waits. */
async function listed() {
  const { stdout } = await kairos(home, ['proposal', 'list']);
  const { objects } = await kairosJson(home, ['proposal', 'list']);
  const [proposal] = (objects[0] as { proposals: Record<string, unknown>[] }).proposals;
  return { text: stdout.split('\n')[1], proposal };
}

describe('kairos proposal list', () => {
  it('names who can still approve, then that the proposer can resume', async () => {
    const { runId } = await heldForTwo();
    expect((await listed()).text).toMatch(/ 0 of 2 +2 of mira, noor, otis$/);
    await answerWithKey(home, 'approve', runId, 'mira');
    const one = await listed();
    expect(one.text).toMatch(/ 1 of 2 +1 of noor, otis$/);
    expect(one.proposal).toMatchObject({
      approvals: { needed: 2, given: 1 },
      waits_for: 'approval',
      could_approve: ['noor', 'otis'],
    });
    await answerWithKey(home, 'approve', runId, 'otis');
    const two = await listed();
    expect(two.text).toMatch(new RegExp(` 2 of 2 +${ME}: approved, resume it$`));
    expect(two.proposal).toMatchObject({ waits_for: 'resume' });
  });

  it.each([46, 60, 80, 100, 140])('fits a terminal of %i columns', async (columns) => {
    const { runId } = await heldForTwo();
    const { io, stdout } = fakeIo({
      env: { ...home.env, NO_COLOR: '1' },
      cwd: home.work,
      tty: true,
      now: Date.now(),
    });
    io.stdout.columns = columns;
    expect(await main(['proposal', 'list'], io)).toBe(0);
    const [head, row] = stdout().trimEnd().split('\n') as [string, string];
    expect([head, row].filter((line) => line.length > columns)).toEqual([]);
    expect(head).toMatch(/^RUN {7}PROTOCOL .*WAITS FOR$/);
    expect(row.startsWith(`${runId.slice(0, 8)}  `)).toBe(true);
    expect(row).toMatch(columns < 60 ? / 2 of 3 people$/ : / 2 of mira, noor, otis$/);
  });

  it('names the proposer after a denial, and reports a policy that cannot be used', async () => {
    const { runId } = await heldForTwo();
    await answerWithKey(home, 'deny', runId, 'noor');
    const denied = await listed();
    expect(denied.text).toMatch(new RegExp(`${ME}: cannot be used now, a new proposal$`));
    expect(denied.proposal).toMatchObject({ waits_for: 'a new proposal' });
    writePolicy(home, { rules: [{ match: { domian: 'x' } }] });
    expect((await listed()).text).toMatch(/ 0 of 2 +approval; the policy cannot be used now$/);
  });
});

it('policy explain explains how a used proposal was decided', async () => {
  const { runId, trust } = await heldForTwo();
  const hash = String((await listed()).proposal!.proposal_hash);
  for (const name of ['mira', 'noor']) await answerWithKey(home, 'approve', runId, name);
  expect((await resumeGuarded(home, runId, trust)).code).toBe(0);
  for (const words of [[runId], [runId, hash]]) {
    const { code, stdout } = await kairos(home, ['policy', 'explain', ...words]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/decision +ALLOW\n/);
    expect(stdout).toMatch(/because +Rule two-people covers it, and enough people have approved\.\n/);
    expect(stdout).toMatch(/rule +two-people: covers it, asks for two people\n/);
    expect(stdout).toMatch(/used +its permit was used, so this is how it was decided then/);
  }
});

describe('an approver of another account', () => {
  const server = (folder: string, database: string) => {
    mkdirSync(join(folder, '.cursor'), { recursive: true });
    const args = ['-c', 'exit 1', database];
    const definition = { mcpServers: { db: { command: 'sh', args } } };
    writeFileSync(join(folder, '.cursor', 'mcp.json'), JSON.stringify(definition));
  };

  it.each([
    ['has no such MCP server', null],
    ['has another MCP server of the same name', 'staging'],
  ])('who %s signs a request instead', async (_, database) => {
    server(home.home, 'production');
    writePolicy(home, {
      approvers: makeApprovers(home, ['mira']),
      rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
    });
    const { runId } = await runGuarded(home, toolDocument());
    const hash = String((await listed()).proposal!.proposal_hash);
    const other = join(home.root, 'mira');
    mkdirSync(other);
    if (database !== null) server(other, database);
    const env = { HOME: other };
    const words = ['proposal', 'approve', runId, hash, '--key', keyOf(home, 'mira')];
    const refused = await kairos(home, words, { env });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /cannot be approved: its MCP server is not the one that it was proposed with.*proposal request \S+ \S+ --out request\.json/s,
      ),
    });
    const [request, signed] = ['request.json', 'answer.json'].map((name) => join(home.root, name)) as [
      string,
      string,
    ];
    await kairos(home, ['proposal', 'request', runId, '--out', request]);
    const sign = ['proposal', 'sign', request, hash, '--key', keyOf(home, 'mira'), '--out', signed];
    const shown = await kairos(home, sign, { env });
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('production') });
    expect((await kairos(home, ['proposal', 'submit-answer', signed])).code).toBe(0);
    expect((await listed()).text).toMatch(/approved, resume it$/);
  });
});

it('search shows people a way on instead of the role of a protocol', async () => {
  const { stdout } = await kairos(home, ['search', 'guitar chords']);
  expect(stdout).toMatch(/^or +Refine a search/m);
  expect(stdout).not.toMatch(/^(?:refine|create) /m);
});
