import type { EntryData } from '../../ledger/entry.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { RunBegunData } from '../entry-data.ts';
import type { RunPlace } from '../ports.ts';
import { initialState } from '../state.ts';
import { type DecideEnv, type Decision, DecisionBuilder } from './draft.ts';

/** Makes a run pinned to one revision and shows its first step. */
export function decideBegin(
  runId: string,
  content: ChainContent,
  begun: RunBegunData,
  env: DecideEnv,
): Decision {
  const draft = new DecisionBuilder(initialState(content), env, runId);
  draft.write('run.begun', begun);
  draft.showPending();
  return draft.done();
}

/** Puts on record that the run works elsewhere from now on. */
export function writeMove(draft: DecisionBuilder, to: RunPlace, by: string): void {
  const { place } = draft.state;
  draft.write('run.moved', {
    from: place === null ? null : placeData(place),
    ...placeData(to),
    by,
  });
}

/** A place as entries have it. */
export function placeData({ host, workdir, roots, names = [] }: RunPlace) {
  return { host, workdir, roots: [...roots], ...(names.length === 0 ? {} : { names: [...names] }) };
}

/** Resumes an open run: records who, where to if it moves, and shows what is pending with a fresh nonce. */
export function decideResume(
  draft: DecisionBuilder,
  by: EntryData & { by: string },
  moveTo: RunPlace | null = null,
): Decision {
  if (moveTo !== null) writeMove(draft, moveTo, by.by);
  draft.write('run.resumed', by);
  draft.showPending();
  return draft.done();
}
