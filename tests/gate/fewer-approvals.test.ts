import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statementText } from '../../src/gate/approval/statement.ts';
import { signApproval } from '../../src/host/ssh/sign.ts';
import { approvable, giveApproval, screenNow, statementFor } from '../../src/operations/approve.ts';
import { proposalsOf } from '../../src/operations/proposals.ts';
import { resumeRun } from '../../src/operations/resume.ts';
import { beginRollback, planRollback } from '../../src/operations/rollback.ts';
import type { RunPlace } from '../../src/run/ports.ts';
import { type CliHome, makeHome } from '../support/cli.ts';
import { as, makeContext, type TestContext } from '../support/context.ts';
import { shellBad } from '../support/walk.ts';
import { policyOf } from './support/case.ts';
import { keyOf, makeApprovers } from './support/cli.ts';
import { type GuardedWalk, walkToGuard } from './support/walk.ts';

/** Nothing is allowed with fewer approvals after a resume, in a rollback or on another machine than where the run began. */
let home: CliHome;
let approvers: ReturnType<typeof makeApprovers>;
beforeEach(() => {
  home = makeHome();
  approvers = makeApprovers(home, ['mira', 'noor', 'omar']);
});
afterEach(() => home.remove());

const HERE: RunPlace = { host: 'first', workdir: '/srv/site', roots: [] };
const THERE: RunPlace = { host: 'second', workdir: '/srv/site', roots: [] };
const ASIDE: RunPlace = { ...HERE, workdir: '/srv/other' };

const CLASSES: [name: string, rule: object, needed: number][] = [
  ['single', { approval_class: 'single' }, 1],
  ['dual', { approval_class: 'dual' }, 2],
  ['threshold', { threshold: { n: 2, of: ['mira', 'noor', 'omar'] } }, 2],
];

/** A run in its place that its policy holds, with so many approvals. */
async function held(rule: object, given: number): Promise<GuardedWalk> {
  const rules = [{ match: { action_types: ['write'] }, ...rule }];
  const ctx = await makeContext({ over: { place: HERE } });
  const walk = await walkToGuard({ ctx, policy: { version: 1, approvers, rules } });
  expect(await walk.propose(walk.shown.challenge!.proposal_draft)).toMatchObject({ decision: 'HOLD' });
  for (const name of ['mira', 'noor', 'omar'].slice(0, given)) await approve(walk, name);
  return walk;
}

async function approve({ ctx, runId }: GuardedWalk, name: string): Promise<void> {
  const subject = await approvable(ctx, runId);
  const statement = statementFor(subject, name, 'approve', ctx.clock());
  const signature = await signApproval(statement, keyOf(home, name));
  await giveApproval(as(ctx, { actor: name }), subject, statementText(statement), signature);
}

const at = (ctx: TestContext, place: RunPlace): TestContext => ({ ...ctx, place });
const under = (ctx: TestContext, policy: object | null): TestContext => ({
  ...ctx,
  policy: async () => (policy === null ? null : policyOf(policy)),
});

/** Each brings the run into another situation, and returns the context in which it goes on. */
const SITUATIONS: Record<string, (walk: GuardedWalk) => Promise<TestContext>> = {
  resumed: async ({ ctx, runId }) => {
    await resumeRun(ctx, runId);
    return ctx;
  },
  'moved to another directory': async ({ ctx, runId }) => {
    await resumeRun(at(ctx, ASIDE), runId, ASIDE);
    return at(ctx, ASIDE);
  },
  'on another machine': async ({ ctx }) => at(ctx, THERE),
  'moved to another machine': async ({ ctx, runId }) => {
    await resumeRun(at(ctx, THERE), runId, THERE);
    return at(ctx, THERE);
  },
  'without its policy': async ({ ctx }) => under(ctx, null),
  'under a policy that asks for less': async ({ ctx }) =>
    under(ctx, { version: 1, rules: [{ match: { action_types: ['write'] } }] }),
  'by another account': async ({ ctx }) => as(ctx, { actor: 'bert', identity: 'bert' }),
};

it('evidence of another directory is marked on the screen', async () => {
  const { ctx, runId, propose } = await held({ approval_class: 'single' }, 0);
  await resumeRun(at(ctx, ASIDE), runId, ASIDE);
  const answer = await propose(undefined, at(ctx, ASIDE));
  expect(JSON.stringify(answer)).not.toContain('ALLOW');
  const run = (await proposalsOf(ctx, runId)).at(-1)!;
  const screen = await screenNow(at(ctx, ASIDE), runId, run.hash);
  expect(screen?.evidence[0]?.place).toEqual({ host: 'first', directory: '/srv/site' });
});

it('evidence of another directory is not enough where no person approves', async () => {
  const ctx = await makeContext({ over: { place: HERE } });
  const policy = { version: 1, rules: [{ match: { action_types: ['write'] } }] };
  const { runId, shown, propose } = await walkToGuard({ ctx, policy });
  const draft = shown.challenge!.proposal_draft;
  expect(await propose(draft)).toMatchObject({ decision: 'ALLOW' });
  await resumeRun(at(ctx, ASIDE), runId, ASIDE);
  const answer = await propose(draft, at(ctx, ASIDE));
  expect(answer).toMatchObject({ decision: 'DENY', reasons: [{ code: 'K-PROP-121' }] });
});

describe.each(CLASSES)('a step of class %s', (_, rule, needed) => {
  it.each(Object.keys(SITUATIONS))(
    'is not allowed with an approval too few when the run is %s',
    async (name) => {
      const walk = await held(rule, needed - 1);
      const ctx = await SITUATIONS[name]!(walk);
      const draft = walk.shown.challenge!.proposal_draft;
      for (const proposal of [undefined, draft]) {
        expect((await walk.propose(proposal, ctx)).decision).not.toBe('ALLOW');
        await walk.consume(ctx);
      }
      expect(await walk.kinds()).not.toContain('permit.consumed');
    },
  );

  it.each(Object.keys(SITUATIONS).filter((name) => name !== 'resumed'))(
    'does not keep its approvals when the run is %s',
    async (name) => {
      const walk = await held(rule, needed);
      const ctx = await SITUATIONS[name]!(walk);
      expect((await walk.propose(undefined, ctx)).decision).not.toBe('ALLOW');
      await walk.consume(ctx);
      expect(await walk.kinds()).not.toContain('permit.consumed');
    },
  );

  it.each([
    ['here', HERE],
    ['on another machine', THERE],
    ['in another directory', ASIDE],
  ])('is not rolled back %s with the approvals for the step itself', async (_where, place) => {
    const walk = await held(rule, needed);
    expect(await walk.propose()).toMatchObject({ decision: 'ALLOW' });
    const opened = await walk.consume();
    await walk.solve(2, opened.challenge, shellBad);
    const ctx = at(walk.ctx, place);
    const plan = await planRollback(ctx, walk.runId, 2, place === HERE ? null : place);
    const { answer, order } = await beginRollback(ctx, plan, false);
    expect(order).toBeNull();
    expect(answer.decision).toBe(place === THERE ? 'DENY' : 'HOLD');
  });
});
