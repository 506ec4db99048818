import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import type { Revision } from '../../../store/port.ts';
import type { Call } from '../../command.ts';
import type { ChosenRevision } from './choose-revision.ts';
import type { WalkOptions } from './options.ts';
import type { SettledPlace } from './settle-place.ts';
import { newPlace, settlePlace } from './settle-place.ts';

/** What is to be walked: a new run, or one that is open. `document`: what stands now where the run came from. */
export type Errand =
  | ({ kind: 'begin' } & ChosenRevision)
  | { kind: 'resume'; runId: string; document: Revision | null };

/** The call of `run` or `resume`. */
export type WalkCall = Call<unknown[], WalkOptions>;

/** The revision to be walked, and from where. */
export interface Subject extends ChosenRevision {
  /** Index of the station that the walk starts from. */
  from: number;
  /** Where it is walked, and where it moves to for that. */
  settled: SettledPlace;
}

/** What an errand is about: for a run that is open, the revision that it began with. */
export async function subjectOf(
  ctx: OperationContext,
  { io, options }: WalkCall,
  errand: Errand,
): Promise<Subject> {
  if (errand.kind === 'begin') {
    return { ...errand, from: 0, settled: await newPlace(io, ctx.place?.host ?? '', options) };
  }
  const run = await loadRun(ctx, errand.runId);
  if (run === null) throw new KairosError('RUN_NOT_FOUND', `there is no run ${errand.runId}`);
  const { runId } = errand;
  const settled = await settlePlace(ctx, io, options, { runId, recorded: run.state.place });
  return { revision: run.revision, kept: true, origin: `run ${runId}`, from: run.state.at, settled };
}
