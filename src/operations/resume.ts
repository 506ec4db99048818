import { KairosError } from '../base/errors.ts';
import { placeAt, readerOf, realFolder } from '../host/outputs/place.ts';
import type { EntryData } from '../ledger/entry.ts';
import { stepUri } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { InputDefinition } from '../protocol/schema.ts';
import { decideRebase, decideResume, rebaseObstacle } from '../run/decide/attest.ts';
import { filledContent, inputsOf } from '../run/inputs.ts';
import { type HandoverNote, isSamePlace, type RunPlace } from '../run/ports.ts';
import type { RunState } from '../run/state.ts';
import type { RunFields } from '../run/walk-fields.ts';
import { MESSAGES } from '../run/wording.ts';
import { requireIntactContent } from '../store/intact.ts';
import type { Revision } from '../store/port.ts';
import { isTrusted, type OperationContext } from './context.ts';
import { answerOf } from './run/answer.ts';
import { readGiven, requireNoFaults, requireUsable, takeInputs } from './run/inputs.ts';
import { loadRun, requireRun, transact } from './run/transact.ts';

/**
 * Shows what is pending in an open run and records who resumed it. `moveTo`: where it works from now on; `digests`: of its secrets,
 * bound there.
 */
export async function resumeRun(
  ctx: OperationContext,
  runId: string,
  moveTo: RunPlace | null = null,
  digests: EntryData = {},
): Promise<RunFields> {
  const { actor, interface: face, session } = ctx.caller;
  const decision = await transact(ctx, runId, (draft) => {
    if (draft.state.sealed !== null) return draft.done({ code: 'RUN_CLOSED', message: MESSAGES.runClosed });
    draft.notes.push(MESSAGES.resumed);
    return decideResume(draft, { by: actor, face, session }, moveTo, digests);
  });
  return answerOf(ctx, decision, 'kairos_begin');
}

/**
 * Carries an open run over to another revision of its protocol, on record; it is resumed afterwards. `given`: values of the inputs
 * that only this revision declares. Throws INVALID_INPUT, and changes nothing, where a step that counts already isn't the same.
 */
export async function rebaseRun(
  ctx: OperationContext,
  runId: string,
  revision: Revision,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { chainId, digest, content } = requireIntactContent(revision);
  const run = await requireRun(ctx, runId);
  await requireCarried(ctx, run.state, revision);
  const declared = furtherInputs(run.state, revision);
  const { values, missing, faults } = await readGiven(declared, given);
  requireNoFaults(
    [...faults, ...missing.map((name) => `${name} is missing.`)],
    'Nothing was changed. Give the inputs that the newer revision declares.',
  );
  if (run.state.digest === digest) return;
  // Before the entry that names it: if this process ends in between, the run has its content.
  await ctx.store.putRevision({ ...revision, listed: false }, null);
  const recorded = await takeInputs(ctx, runId, content, values);
  const trusted = await isTrusted(ctx, revision);
  await transact(ctx, runId, (draft) => {
    const { state } = draft;
    const refused = refusedRebase(ctx, state, { chainId, content });
    if (refused !== null) throw refused;
    if (state.digest === digest) return draft.done();
    state.revisions = new Map([...state.revisions, [digest, content]]);
    return decideRebase(draft, content, {
      digest,
      title: content.title,
      step_count: content.steps.length,
      ...recorded,
      trusted,
      by: ctx.caller.actor,
    });
  });
}

/** The inputs that a run would need in addition. What it has on record stays. */
export function furtherInputs(state: RunState, { content }: Revision): Record<string, InputDefinition> {
  const isNew = (name: string) => !Object.hasOwn(state.values, name) && !state.secrets.has(name);
  return Object.fromEntries(Object.entries(inputsOf(content)).filter(([name]) => isNew(name)));
}

/**
 * The content of a revision as an open run will show it, with the values on record. Throws INVALID_INPUT with the reason
 * why the run can't be carried over to it.
 */
export async function requireCarried(
  ctx: OperationContext,
  state: RunState,
  revision: Revision,
): Promise<ChainContent> {
  const refused = refusedRebase(ctx, state, revision);
  if (refused !== null) throw refused;
  const secrets = [...state.secrets.keys()];
  requireUsable(revision.content, state.values, secrets);
  const declared = inputsOf(revision.content);
  const recorded = Object.entries(state.values).filter(([name]) => Object.hasOwn(declared, name));
  const { faults } = await readGiven(declared, Object.fromEntries(recorded));
  requireNoFaults(
    faults,
    'The run keeps the inputs that it has on record. Change the document, or begin a new run.',
  );
  return filledContent(revision.content, state.values, secrets);
}

function refusedRebase(
  { commandLine }: OperationContext,
  state: RunState,
  { chainId, content }: Pick<Revision, 'chainId' | 'content'>,
): KairosError | null {
  const { runId } = state;
  const resume = commandLine(['resume', runId]);
  if (state.sealed !== null)
    return new KairosError('INVALID_INPUT', `run ${runId} is sealed, so it follows no other revision`, {
      hint: 'Begin a new run.',
    });
  if (state.chainId !== chainId)
    return new KairosError(
      'INVALID_INPUT',
      `run ${runId} is a run of ${state.template.slug}, and this is ${content.slug}`,
      {
        hint: `A run is carried over to another revision of the same protocol only: keep the slug. ${resume}`,
      },
    );
  const obstacle = rebaseObstacle(state, content);
  if (obstacle === null) return null;
  const { step, label, what, inDoubt } = obstacle;
  return new KairosError('INVALID_INPUT', `step ${step} ${JSON.stringify(label)} ${what}`, {
    hint: inDoubt
      ? `It may have done something that is neither proven nor rolled back. Settle that first: ${resume}, or ${commandLine(['rollback', runId, String(step)])}. Nothing was changed.`
      : `A proven step must be the same, in the same place. Nothing was changed. To continue with the old content: ${resume}`,
  });
}

/**
 * The run that the note hands over, to be resumed; null when there is no note (about this chain). Throws HANDOVER_REFUSED for a note that
 * doesn't match the current state of an open run of the caller: with the reason and what to do.
 */
export async function handedOver(ctx: OperationContext, chainId?: string): Promise<string | null> {
  const note = (await ctx.handover?.read()) ?? null;
  if (note === null || (chainId !== undefined && note.chainUri !== stepUri(chainId, 1))) return null;
  const { runId, state } = note;
  if (state.actor !== ctx.caller.actor) throw refused(note, "it is about another user's run");
  const run = state.space === ctx.caller.space ? await loadRun(ctx, runId) : null;
  if (run === null)
    throw refused(
      note,
      `run ${runId} is not in this store and space`,
      'Name the store with --store or KAIROS_STORE and the space with --space, or remove the file.',
    );
  if (run.state.sealed !== null)
    throw refused(note, `run ${runId} is sealed`, 'Remove the file, and begin a new run.');
  if (run.state.at !== state.passed || run.state.echo !== state.echo || run.state.digest !== state.digest)
    throw refused(
      note,
      `run ${runId} has moved on since`,
      `See its state and continue with: ${ctx.commandLine(['resume', runId])} (kairos_next with its run_id); then remove the file.`,
    );
  return runId;
}

function refused(
  note: HandoverNote,
  reason: string,
  hint = 'Remove the file, or name your run.',
): KairosError {
  return new KairosError('HANDOVER_REFUSED', `the handover of ${note.updatedAt} is rejected: ${reason}`, {
    hint,
  });
}

/** Options for the place where a run works. */
interface PlaceOptions {
  workdir?: string;
  root?: string[];
  /** `--here`: continue on this machine and, without `--workdir`, in the current directory. */
  here?: boolean;
}

/** Where a run works now, and where an option moves it. */
export interface SettledPlace {
  place: RunPlace & { workdir: string };
  moveTo: RunPlace | null;
}

/** Where a new run works: `--workdir`, else the current directory. Throws FILE_UNREADABLE for a missing folder. */
export async function newPlace(
  { cwd }: { cwd: string },
  host: string,
  { workdir = '.', root = [] }: PlaceOptions,
): Promise<SettledPlace> {
  const place = await placeAt(cwd, host, workdir, root);
  return { place: place as SettledPlace['place'], moveTo: null };
}

/**
 * Where an existing run works: in the place on record, wherever the command is typed. Only `--workdir`, `--root` and `--here`
 * change it. Throws INVALID_INPUT on another machine, FILE_UNREADABLE for a missing folder; the hint has the command.
 */
export async function settlePlace(
  ctx: OperationContext,
  io: { cwd: string },
  options: PlaceOptions,
  {
    runId,
    recorded,
    words = ['resume', runId],
  }: { runId: string; recorded: RunPlace | null; words?: string[] },
): Promise<SettledPlace> {
  const host = ctx.place?.host ?? recorded?.host ?? '';
  const again = (...flags: string[]) => ctx.commandLine([...words, ...flags]);
  if (recorded !== null && recorded.host !== host && options.here !== true)
    throw new KairosError('INVALID_INPUT', `run ${runId} works on ${recorded.host}, and this is ${host}`, {
      hint: `To continue here, in the current directory: ${again('--here')}`,
    });
  const isHere = options.here === true || recorded === null || recorded.workdir === null;
  const named = options.workdir ?? (isHere ? '.' : undefined);
  const given = await placeAt(io.cwd, host, named ?? null, options.root ?? []);
  const workdir =
    given.workdir ??
    (await realFolder(recorded!.workdir!, `Name another with: ${again('--workdir', 'DIR')}`));
  if (given.workdir === null && workdir !== recorded!.workdir)
    throw new KairosError(
      'INVALID_INPUT',
      `run ${runId} works in ${recorded!.workdir}, and a link there leads to ${workdir} now`,
      { hint: `To continue in that directory: ${again('--workdir', workdir)}` },
    );
  const roots = options.root === undefined ? (recorded?.roots ?? []) : given.roots;
  const names = [...new Set([...(recorded?.names ?? []), ...(given.names ?? [])])];
  const place = { host, workdir, roots, ...(names.length === 0 ? {} : { names }) };
  return { place, moveTo: recorded !== null && isSamePlace(recorded, place) ? null : place };
}

/** The context of a run in its place: outputs are read there. */
export function inPlace(ctx: OperationContext, { place }: Pick<SettledPlace, 'place'>): OperationContext {
  return { ...ctx, place, outputs: readerOf(place) };
}
