import type { EntryData } from '../../ledger/entry.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { RollbackDoneData } from '../entry-data.ts';
import type { Decision, Draft } from './draft.ts';
import { templateOf } from './guard.ts';

/** The end of a rollback as observed. */
export interface RollbackReport {
  permitId: string;
  succeeded: boolean;
  assurance: Assurance;
  observed: EntryData;
  verify: RollbackDoneData['verify'];
}

/** Records the end of a rollback. False when the run was sealed, or the rollback begun again, meanwhile. */
export function decideRollbackDone(
  draft: Draft,
  { permitId, succeeded, assurance, observed, verify }: RollbackReport,
): Decision & { recorded: RollbackDoneData | null } {
  const { state, env } = draft;
  const { undoing, failed } = state.gate;
  if (state.sealed !== null || undoing === null || undoing.permitId !== permitId)
    return { ...draft.done(), recorded: null };
  const { step, proposalHash } = undoing;
  const station = state.stations.find((other) => other.step === step && templateOf(other) !== undefined);
  const { strategy, deadline_ms: deadline = null } = templateOf(station ?? null)!.rollback_semantics!;
  const { proposalHash: undoes, failedAt } = failed.get(step)!;
  const after = Math.max(0, env.now - Date.parse(failedAt));
  const data: RollbackDoneData = {
    step,
    permit_id: permitId,
    proposal_hash: proposalHash,
    undoes,
    strategy,
    succeeded,
    assurance,
    observed,
    verify,
    deadline_ms: deadline,
    after_ms: after,
    late: deadline === null ? null : after > deadline,
    by: env.gate?.actor ?? state.actor,
  };
  draft.write('rollback.done', data);
  return { ...draft.done(), recorded: data };
}
