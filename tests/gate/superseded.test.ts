import { describe, expect, it } from 'vitest';
import { MESSAGES } from '../../src/run/wording.ts';
import { as } from '../support/context.ts';
import { shellBad, shellOk } from '../support/walk.ts';
import { type GuardedWalk, walkToGuard } from './support/walk.ts';

const draftOf = (walk: GuardedWalk) => walk.shown.challenge!.proposal_draft!;

/** A proposal of its own that the gate denies. */
const deniedOf = (walk: GuardedWalk) => ({ ...draftOf(walk), proposal_id: 'another', action_type: 'delete' });

describe('an allowed proposal that a later one has superseded', () => {
  it.each([
    ['denied', deniedOf],
    ['not even readable', () => '{'],
  ])('is reported when the later one is %s, until it is submitted again', async (_, later) => {
    const walk = await walkToGuard();
    const first = await walk.propose(draftOf(walk));
    const denied = await walk.propose(later(walk));
    expect(denied).toMatchObject({ decision: 'DENY', error_code: 'PROPOSAL_DENIED' });
    expect(denied.message).toContain(MESSAGES.superseded);
    const refused = await walk.consume();
    expect(refused).toMatchObject({ error_code: 'PROPOSAL_REQUIRED' });
    expect(refused.message).toContain(MESSAGES.superseded);
    const guessed = await walk.solve(2, refused.challenge, shellOk);
    expect(guessed.message).toContain(MESSAGES.superseded);

    const again = await walk.propose(draftOf(walk));
    expect(again).toMatchObject({ decision: 'ALLOW', permit_id: first.permit_id });
    expect(again.message ?? '').not.toContain(MESSAGES.superseded);
    expect((await walk.consume()).challenge?.type).toBe('shell');
  });

  it('is not reported where it would not be allowed any more', async () => {
    const walk = await walkToGuard();
    await walk.propose(draftOf(walk));
    walk.ctx.clock.advance(300_000);
    expect((await walk.propose(deniedOf(walk))).message).not.toContain(MESSAGES.superseded);
    expect((await walk.consume()).message).not.toContain(MESSAGES.superseded);
  });

  it("is not reported where it doesn't exist or belongs to another actor", async () => {
    const walk = await walkToGuard();
    expect((await walk.propose(deniedOf(walk))).message).not.toContain(MESSAGES.superseded);
    await walk.propose(draftOf(walk));
    const eve = as(walk.ctx, { actor: 'eve' });
    expect((await walk.propose(deniedOf(walk), eve)).message).not.toContain(MESSAGES.superseded);
    expect((await walk.consume(eve)).message).not.toContain(MESSAGES.superseded);
    // Whose it is hears of it, whoever has come in between.
    expect((await walk.consume()).message).toContain(MESSAGES.superseded);
  });

  it('is not reported once something may have been done: that needs a new proposal', async () => {
    const walk = await walkToGuard();
    await walk.propose(draftOf(walk));
    await walk.propose({ ...draftOf(walk), proposal_id: 'second' });
    const opened = await walk.consume();
    expect((await walk.consume()).message).not.toContain(MESSAGES.superseded);
    await walk.solve(2, opened.challenge, shellBad);
    expect((await walk.consume()).message).not.toContain(MESSAGES.superseded);
  });
});

describe('a permit whose window is not open', () => {
  it('is waited for, and asks for no approval', async () => {
    const walk = await walkToGuard();
    const from = walk.ctx.clock() + 60_000;
    const window = { valid_from_ms: from, valid_until_ms: from + 60_000, max_duration_ms: 30_000 };
    const allowed = await walk.propose({ ...draftOf(walk), time_window: window });
    expect(allowed).toMatchObject({ decision: 'ALLOW', message: MESSAGES.permitTooEarly(from) });
    expect(await walk.consume()).toMatchObject({
      error_code: 'PROPOSAL_ON_HOLD',
      message: MESSAGES.permitTooEarly(from),
      next_action: `wait until the permit is valid, then call kairos_next with ${walk.uris[2]}; run_id ${walk.runId}`,
    });
    expect(MESSAGES.permitTooEarly(from)).toContain(new Date(from).toISOString());
    walk.ctx.clock.advance(60_000);
    expect((await walk.consume()).challenge?.type).toBe('shell');
  });
});
