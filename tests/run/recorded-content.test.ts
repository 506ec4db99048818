import { expect, it } from 'vitest';
import { canonical, sha256Hex } from '../../src/base/canonical.ts';
import { reportOfLines } from '../../src/operations/report.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { startWalk } from '../support/walk.ts';

it('records the text of the revision that its digest names', async () => {
  const ctx = await makeContext();
  const { runId } = await startWalk(ctx, protocolOf(['shell', 'none'], 'Sweep the yard'));
  const [begun] = await ctx.store.readEntries(runId);
  const { chain_id, digest, content_json } = begun!.data;
  expect(sha256Hex(String(content_json))).toBe(digest);
  const revision = await ctx.store.revisionByDigest(String(chain_id), String(digest));
  expect(content_json).toBe(canonical(revision!.content));
});

it('leaves a text out that contains a secret', async () => {
  const redact = (text: string) => text.replaceAll('swordfish', '[redacted]');
  const ctx = await makeContext({ over: { redact } });
  const { runId } = await startWalk(ctx, protocolOf(['shell', 'none'], 'Say swordfish'));
  const [begun] = await ctx.store.readEntries(runId);
  expect(begun!.data).toMatchObject({ title: 'Say [redacted]' });
  expect(begun!.data).not.toHaveProperty('content_json');
});

it('reports an exported record the same where the store does not have the protocol', async () => {
  const ctx = await makeContext();
  const { runId } = await startWalk(ctx, protocolOf(['shell', 'none'], 'Sweep the yard'));
  const lines = await ctx.store.readLines(runId);
  const here = await reportOfLines(ctx, lines);
  const there = await reportOfLines(await makeContext(), lines);
  // The store has the keys of a demand in the author's order, the record in canonical order.
  const demandsOf = ({ steps }: typeof here) => steps.map(({ demand }) => JSON.parse(demand ?? 'null'));
  const withoutDemands = ({ steps, ...rest }: typeof here) => ({
    ...rest,
    steps: steps.map((step) => ({ ...step, demand: null })),
  });
  expect(demandsOf(there)).toEqual(demandsOf(here));
  expect(withoutDemands(there)).toEqual(withoutDemands(here));
  expect(here.steps.map(({ label }) => label)).toEqual(['Part 1 shell', 'Part 2 none']);
});

it('shows no text that the digest does not name, and no content of another form', async () => {
  const ctx = await makeContext();
  const { runId } = await startWalk(ctx, protocolOf(['shell', 'none'], 'Sweep the yard'));
  const [first = '', ...rest] = await ctx.store.readLines(runId);
  const elsewhere = await makeContext();
  const labels = async (content: string, digest: string) => {
    const entry = JSON.parse(first) as { data: object };
    const changed = canonical({ ...entry, data: { ...entry.data, content_json: content, digest } });
    const { steps, verification } = await reportOfLines(elsewhere, [changed, ...rest]);
    return [verification.status, ...steps.map(({ label }) => label)];
  };
  const numbered = ['broken', 'Step 1', 'Step 2'];
  const { data: begun } = JSON.parse(first) as { data: { content_json: string; digest: string } };
  const forged = begun.content_json.replace('Part 1', 'Part X');
  expect(await labels(forged, begun.digest)).toEqual(numbered);
  for (const text of ['{"steps":5}', '{', '[]', `${'['.repeat(5000)}${']'.repeat(5000)}`])
    expect(await labels(text, sha256Hex(text))).toEqual(numbered);
});
