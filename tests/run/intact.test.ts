import { beforeEach, describe, expect, it } from 'vitest';
import { type LedgerEntry, makeEntry } from '../../src/ledger/entry.ts';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { isTrusted } from '../../src/operations/context.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { search } from '../../src/operations/search.ts';
import type { RunRow, Store } from '../../src/store/port.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf, protocolWith } from '../support/protocols.ts';
import { shellBad, shellOk, startWalk } from '../support/walk.ts';

let ctx: TestContext;
beforeEach(async () => {
  ctx = await makeContext();
});

/** The same store, as somebody who can write its file would leave it. */
function tampered(over: Partial<Store>): TestContext {
  // Whoever writes to a file from outside makes its readers forget.
  const recallRun = async () => ({ fold: null, keep: () => undefined });
  return { ...ctx, store: { ...ctx.store, cachedRun: recallRun, ...over } };
}

describe('content under another digest', () => {
  it('is neither trusted nor begun nor run', async () => {
    const { items } = await mint(ctx, { markdown_doc: protocolOf(['shell', 'none'], 'Harmless') });
    const head = (await ctx.store.headBySlug('default', 'harmless'))!;
    await ctx.trust.grant({
      ...head,
      slug: 'harmless',
      title: 'Harmless',
      trustedAt: head.createdAt,
      by: 'ada',
    });
    const evil = structuredClone(head);
    (evil.content.steps[0]!.block!.proof_of_work as { shell: { cmd: string } }).shell.cmd = 'id > /tmp/x';
    const store = tampered({ head: async () => evil, headBySlug: async () => evil });
    expect(await isTrusted(ctx, head)).toBe(true);
    expect(await isTrusted(store, evil)).toBe(false);
    await expect(begin(store, { uri: items[0]!.uri })).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    const walk = await startWalk(ctx, protocolOf(['shell', 'none'], 'Harmless'));
    const pinned = tampered({ revisionByDigest: async () => evil });
    await expect(next(pinned, { uri: walk.uris[0]!, run_id: walk.runId })).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
    });
  });
});

describe('a ledger that is not whole', () => {
  const edits: [string, (entries: LedgerEntry[]) => LedgerEntry[]][] = [
    [
      'an edited entry',
      (entries) =>
        entries.map((entry, at) => (at === 1 ? { ...entry, at: '2020-01-01T00:00:00.000Z' } : entry)),
    ],
    ['an entry taken out', (entries) => entries.filter((_, at) => at !== 1)],
    ['the first entry taken out', (entries) => entries.slice(1)],
    ['the last entry cut off', (entries) => entries.slice(0, -1)],
    ['all of it taken out', () => []],
    ['no entry in the place of one', (entries) => entries.with(1, null as unknown as LedgerEntry)],
    [
      'half a character put into one',
      (entries) => entries.with(1, { ...entries[1]!, data: { ...entries[1]!.data, uri: '\ud800' } }),
    ],
  ];
  for (const [name, edit] of edits) {
    it(`is neither continued nor sealed: ${name}`, async () => {
      const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
      const store = tampered({ readEntries: async (runId) => edit(await ctx.store.readEntries(runId)) });
      const call = { uri: walk.uris[0]!, run_id: walk.runId };
      await expect(next(store, call)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      await expect(
        attest(store, { ...call, outcome: 'failure', message: 'Sealing what is not whole.' }),
      ).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    });
  }
});

describe('an index row that differs from its ledger', () => {
  const edits: [string, (row: RunRow) => Partial<RunRow>][] = [
    ['another head', () => ({ head: '00' })],
    ['fewer entries', ({ entryCount }) => ({ entryCount: entryCount - 1 })],
    ['more entries', ({ entryCount }) => ({ entryCount: entryCount + 1 })],
    ['no entries', () => ({ entryCount: 0 })],
  ];
  for (const [name, edit] of edits) {
    it(`stops every run: ${name}`, async () => {
      const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
      const store = tampered({
        findRun: async (runId) => {
          const row = (await ctx.store.findRun(runId))!;
          return { ...row, ...edit(row) };
        },
      });
      await expect(next(store, { uri: walk.uris[0]!, run_id: walk.runId })).rejects.toMatchObject({
        code: 'STORE_DAMAGED',
      });
    });
  }

  it('stops every run behind an entry that it does not count', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const entries = await ctx.store.readEntries(walk.runId);
    const last = entries.at(-1)!;
    const extra = makeEntry(walk.runId, last, last.at, 'step.shown', { ...last.data });
    // The store counts for itself what it holds, so that its append says no, as to one who lost a race.
    const store = tampered({ readEntries: async () => [...entries, extra] });
    await expect(next(store, { uri: walk.uris[0]!, run_id: walk.runId })).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
    });
  });

  it('passes when it was read before others appended', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const row = (await ctx.store.findRun(walk.runId))!;
    await walk.show(1);
    const store = tampered({ findRun: async () => row });
    expect((await loadRun(store, walk.runId))?.entryCount).toBeGreaterThan(row.entryCount);
  });
});

it('reports that an optional proof was not given, and never calls its closing comment a proof of the step', async () => {
  const walk = await startWalk(
    ctx,
    protocolWith({ proof_of_work: { type: 'shell', shell: { cmd: 'x' }, required: false } }),
  );
  const answer = await walk.solve(1, walk.begun.challenge, shellBad);
  expect(answer.message).toContain('The optional proof was not given (COMMAND_FAILED)');
  expect(answer.proof_hash).toBeUndefined();
  await walk.attest();
  const proofs = (await ctx.store.readEntries(walk.runId)).filter(({ kind }) => kind === 'proof.accepted');
  expect(proofs.map(({ data }) => data.closing)).toEqual([true]);
});

it('does not seal a run by the address of another protocol', async () => {
  const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
  const other = await mint(ctx, { markdown_doc: protocolOf(['none'], 'Something else') });
  const answer = await walk.attest({ uri: other.items[0]!.uri, outcome: 'failure' });
  expect(answer).toMatchObject({ error_code: 'OUT_OF_ORDER', protocol_status: 'blocked' });
  expect(await ctx.store.readSeal(walk.runId)).toBeNull();
});

it('need not be obeyed any more after the third failure, for any call', async () => {
  const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
  let { challenge } = walk.begun;
  let last = challenge;
  for (let failure = 0; failure < 3; failure += 1) {
    last = challenge;
    challenge = (await walk.solve(1, challenge, shellBad)).challenge;
  }
  const answers = [await walk.solve(1, last, shellBad), await walk.show(1), await walk.show(1)];
  for (const answer of answers) {
    expect(answer).toMatchObject({ must_obey: false, retry_count: 3 });
    expect(answer.next_action).toMatch(/^Options: /);
  }
  expect(await walk.solve(1, answers[2]!.challenge, shellOk)).toMatchObject({ must_obey: true });
});

it('redacts secrets that are keys, too', async () => {
  const secret = 'sup3rs3cretvalue';
  const gated = { ...ctx, redact: (text: string) => text.replaceAll(secret, '[redacted]') };
  const walk = await startWalk(gated, protocolOf(['mcp', 'none']));
  const mcp = { tool_name: 'list_items', result: { [secret]: [secret] }, success: true };
  await walk.solve(1, walk.begun.challenge, { type: 'mcp', mcp });
  expect(JSON.stringify(await ctx.store.readEntries(walk.runId))).not.toContain(secret);
});

it('distinguishes rivals from a clear match, with any limit', async () => {
  for (const title of ['Release the npm package', 'Publish the npm docs']) {
    await mint(ctx, { markdown_doc: protocolOf(['none'], title), force_update: true });
  }
  const [all, one] = [await search(ctx, { query: 'npm' }), await search(ctx, { query: 'npm', limit: 1 })];
  expect(one.protocol_status).toBe(all.protocol_status);
  expect(one.choices.filter(({ role }) => role === 'match')).toHaveLength(1);
});

it('refuses hidden characters that are written as escapes or character references', async () => {
  const block = { proof_of_work: { type: 'shell', shell: { cmd: 'echo RLO' } } };
  const escaped = protocolWith(block, 'Escaped').replace('RLO', '\\u202e');
  const documents = [
    escaped,
    protocolOf(['none'], 'T &#x202e;evil'),
    `---\ntags: ["a\\u0007"]\n---\n${protocolOf(['none'])}`,
  ];
  for (const markdown_doc of documents) {
    await expect(mint(ctx, { markdown_doc })).rejects.toMatchObject({
      code: 'PROTOCOL_INVALID',
      message: expect.stringContaining('hidden character'),
    });
  }
});
