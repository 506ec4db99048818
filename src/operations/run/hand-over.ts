import { stepUri } from '../../protocol/identity.ts';
import type { Decision } from '../../run/decide/draft.ts';
import type { HandoverNote } from '../../run/ports.ts';
import { present } from '../../run/present/present.ts';
import { countAssurance, pendingStation } from '../../run/state.ts';
import { MESSAGES } from '../../run/wording.ts';
import type { OperationContext } from '../context.ts';

/**
 * Leaves a note of where a run stands now that it has advanced, or removes it once the run is sealed. What was decided
 * is on record already: a note that cannot be written is told in the answer, and loses nothing.
 */
export async function handOver(ctx: OperationContext, decision: Decision): Promise<void> {
  const { handover } = ctx;
  if (handover === undefined) return;
  try {
    if (decision.state.sealed !== null) await handover.remove(decision.state.runId);
    else await handover.write(noteOf(ctx, decision));
  } catch {
    decision.notes.push(MESSAGES.notHandedOver);
  }
}

function noteOf(ctx: OperationContext, decision: Decision): HandoverNote {
  const { state } = decision;
  const { challenge } = present(decision, 'kairos_next');
  const { nonce: _, ...shown } = challenge ?? {};
  return {
    session: ctx.caller.session,
    runId: state.runId,
    chainUri: stepUri(state.chainId, 1),
    stepIndex: pendingStation(state)?.step ?? state.content.steps.length,
    currentChallenge: challenge == null ? null : (JSON.parse(JSON.stringify(shown)) as typeof shown),
    state: {
      space: state.space,
      actor: state.actor,
      digest: state.digest,
      stepCount: state.content.steps.length,
      passed: state.at,
      echo: state.echo,
      proofs: countAssurance(state),
    },
    updatedAt: new Date(ctx.clock()).toISOString(),
  };
}
