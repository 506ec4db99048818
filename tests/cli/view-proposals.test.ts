import { expect, it } from 'vitest';
import { createViewApp } from '../../src/cli/commands/view/handler.ts';
import { loadPageAssets } from '../../src/host/page.ts';
import { screenNow } from '../../src/operations/approve.ts';
import { mint } from '../../src/operations/mint.ts';
import { proposalsOf } from '../../src/operations/proposals.ts';
import { noteSealed, pruneRuns } from '../../src/operations/prune.ts';
import { screenRows } from '../../src/run/present/approval-screen.ts';
import { publicKeyOfSeed } from '../gate/support/case.ts';
import { walkToGuard } from '../gate/support/walk.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { shellOk, startWalk } from '../support/walk.ts';

const PORT = 4711;
const POLICY = {
  version: 1,
  approvers: ['bob', 'cyd'].map((name) => ({ name, keys: [{ key: publicKeyOfSeed(name) }] })),
  rules: [{ name: 'two-people', match: { action_types: ['write'] }, approval_class: 'dual' }],
};

/** Opens the page like a browser that has followed the link. */
async function browse(ctx: Parameters<typeof createViewApp>[0], path: string): Promise<string> {
  const { app, invite, close } = createViewApp(ctx, await loadPageAssets(), ctx.clock);
  const headers = { host: `127.0.0.1:${PORT}` };
  const entered = await app.request(`/enter?link=${invite(PORT)}`, { headers });
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
  const answer = await app.request(path, { headers: { ...headers, cookie } });
  close();
  return (await answer.text()).replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&gt;', '>');
}

it('shows on the page everything that the terminal shows to an approver, and the commands to answer', async () => {
  const { ctx, runId, propose, shown } = await walkToGuard({ policy: POLICY });
  expect(await propose(shown.challenge!.proposal_draft)).toMatchObject({ decision: 'HOLD' });
  const { hash } = (await proposalsOf(ctx, runId))[0]!;
  const page = await browse(ctx, '/proposals');
  const screen = (await screenNow(ctx, runId, hash))!;
  for (const [label, text] of screenRows(screen, { now: ctx.clock() })) {
    expect(page).toContain(`<dt>${label}</dt><dd class="lines">${text}</dd>`);
  }
  expect(page).toContain('two-people of the policy: ');
  expect(page).toContain('can approve</dt><dd class="lines">bob, cyd<');
  for (const decision of ['approve', 'deny'])
    expect(page).toContain(`kairos proposal ${decision} ${runId} ${hash} --key KEY`);
  expect(page).toContain(`kairos proposal request ${runId} ${hash} --out request.json`);
  expect(page).not.toContain('<form');
});

it('shows what waits although its policy cannot be used, and why there is no screen', async () => {
  const { ctx, runId, propose, shown } = await walkToGuard({ policy: POLICY });
  await propose(shown.challenge!.proposal_draft);
  const { KairosError } = await import('../../src/base/errors.ts');
  ctx.policy = async () => {
    throw new KairosError('POLICY_UNUSABLE', 'the policy cannot be used: others can write to it');
  };
  const page = await browse(ctx, '/proposals');
  expect(page).toContain('role="alert">the policy cannot be used: others can write to it');
  expect(page).toContain(`kairos proposal approve ${runId}`);
});

it('lists a pruned run as pruned, and shows what the store keeps of it', async () => {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['shell', 'none'], 'Water the plants'));
  await walk.solve(1, walk.begun.challenge, shellOk);
  await walk.attest();
  await noteSealed(ctx, (await ctx.store.findRun(walk.runId))!, 'It rained.');
  const options = { sealedBefore: Number.POSITIVE_INFINITY, keepLast: 0, archive: null, dryRun: false };
  await pruneRuns(ctx, options, () => undefined);
  const list = await browse(ctx, '/');
  expect(list).toContain('success, pruned');
  expect(list).toContain('>2/2</td>');
  const page = await browse(ctx, `/runs/${walk.runId}`);
  expect(page).toContain('The record of this run was pruned.');
  expect(page).toContain('<dt>Archive</dt><dd>none</dd>');
  expect(page).toContain('It rained.');
});

it('shows the inputs, version, triggers and completion rule of a protocol', async () => {
  const ctx = await makeContext();
  const head = '---\nversion: 1.2.0\ninputs:\n  TARGET: { description: Where it goes. }\n---\n';
  const ends = '\n## Natural Language Triggers\n\n* send it\n\n## Completion Rule\n\nIt has arrived.\n';
  await mint(ctx, { markdown_doc: `${head}# Send it\n${ends}\n## Send\n\nSend it.\n` });
  const page = await browse(ctx, '/protocols/send-it');
  expect(page).toContain('<dt>Version</dt><dd class="lines">1.2.0</dd>');
  expect(page).toMatch(/<dt>Input TARGET<\/dt><dd class="lines">Where it goes\./);
  expect(page).toContain(
    '<dt>Triggers</dt><dd><div class="prose"><ul><li><p>send it</p></li></ul></div></dd>',
  );
  expect(page).toContain('<dt>Completion rule</dt><dd><div class="prose"><p>It has arrived.</p></div></dd>');
});
