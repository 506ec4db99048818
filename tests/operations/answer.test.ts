import { describe, expect, it } from 'vitest';
import { answerRun } from '../../src/operations/answer.ts';
import { next } from '../../src/operations/next.ts';
import { as, makeContext } from '../support/context.ts';
import { protocolOf, type StepKind } from '../support/protocols.ts';
import { startWalk } from '../support/walk.ts';

/** A run that asks a person first, whose agent has called for the answer; the person answers elsewhere. */
async function answered(...after: StepKind[]) {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['user_input', ...after], 'Asked'));
  const answer = await answerRun(as(ctx, { actor: 'grace', session: null }), walk.runId, 'Yes.');
  return { ctx, ...walk, answer };
}

describe('after a person answered elsewhere', () => {
  it.each(['shell', 'user_input', 'none'] as const)(
    'a call without a solution shows the next step, %s, and lacks nothing',
    async (kind) => {
      const { show, uris, runId } = await answered(kind, 'none');
      const shown = await show(2);
      expect(shown).toMatchObject({
        protocol_status: 'continue',
        next_action: `call kairos_next with ${uris[2]} and solution matching challenge; run_id ${runId}`,
        current_step: { uri: uris[1], content: 'Do part 2.' },
      });
      expect(shown).not.toHaveProperty('error_code');
      // From now on a solution is missing.
      expect(await show(2)).toMatchObject({ error_code: 'MISSING_PROOF' });
    },
  );

  it('the call that asks the user again shows the next step, and counts for nothing', async () => {
    const { ctx, uris, runId } = await answered('shell', 'none');
    const placeholder = { uri: uris[1]!, run_id: runId, solution: { type: 'user_input' } };
    const shown = await next(ctx, placeholder);
    expect(shown).toMatchObject({ protocol_status: 'continue', challenge: { type: 'shell' } });
    expect(await next(ctx, placeholder)).toMatchObject({ error_code: 'MISSING_PROOF', retry_count: 0 });
  });

  it('the answer itself names the call that shows the next step', async () => {
    const { answer, uris, runId } = await answered('shell', 'none');
    expect(answer).toMatchObject({
      next_action: `call kairos_next with ${uris[2]}; run_id ${runId}`,
      challenge: null,
    });
  });

  it('leads to attest where nothing is left', async () => {
    const { answer, show, uris, runId } = await answered();
    const attest = `call kairos_attest with ${uris[0]} and outcome (success or failure) and message to complete the protocol; run_id ${runId}`;
    expect(answer.next_action).toBe(attest);
    expect(await show(1)).toMatchObject({ protocol_status: 'completed', next_action: attest });
  });
});
