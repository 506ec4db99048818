import type { EntryData } from '../../ledger/entry.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { RunBegunData } from '../entry-data.ts';
import { initialState } from '../state.ts';
import { type DecideEnv, type Decision, Draft } from './draft.ts';

/** Makes a run pinned to one revision and shows its first step. */
export function decideBegin(
  runId: string,
  content: ChainContent,
  begun: RunBegunData,
  env: DecideEnv,
): Decision {
  const draft = new Draft(initialState(content), env, runId);
  draft.write('run.begun', begun);
  draft.showPending();
  return draft.done();
}

/** Takes an open run up again: says who, and shows what is pending with a fresh nonce. */
export function decideResume(draft: Draft, by: EntryData): Decision {
  draft.write('run.resumed', by);
  draft.showPending();
  return draft.done();
}
