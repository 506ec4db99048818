import { KairosError } from '../../base/errors.ts';
import type { LedgerEntry } from '../../ledger/entry.ts';
import { sealWith } from '../../ledger/seal.ts';
import type { OutputReader, OutputReading } from '../../proof/outputs.ts';
import { loadProofTools } from '../../proof/tools.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { OutputCheck } from '../../protocol/schema.ts';
import { type DecideEnv, type Decision, DecisionBuilder } from '../../run/decide/draft.ts';
import { templateOf } from '../../run/decide/guard.ts';
import { dataOf, followedDigests, type RunBegunData } from '../../run/entry-data.ts';
import { evolve } from '../../run/evolve.ts';
import { capturesOf } from '../../run/inputs.ts';
import { noticesOf } from '../../run/notices.ts';
import { type HandoverNote, isSamePlace, type RunPlace } from '../../run/ports.ts';
import { present } from '../../run/present/present.ts';
import { countAssurance, forkState, initialState, pendingStation, type RunState } from '../../run/state.ts';
import { MESSAGES } from '../../run/wording.ts';
import { requireIntactLedger } from '../../store/intact.ts';
import type { Revision, RunMemory, RunRow } from '../../store/port.ts';
import { callerIdentity, type OperationContext } from '../context.ts';
import { adoptPolicy, gateEnvOf, isPermitUse, usePermits } from './gate-env.ts';
import { learnSecrets, redactAlso } from './inputs.ts';
import { followedRevisions, noRun } from './locate.ts';

/** Writers that lose the race for an entry number decide again; this many times before giving up. */
const ATTEMPTS = 64;

export interface LoadedRun {
  revision: Revision;
  /** Not to be changed: the next call may be given the same one. */
  state: RunState;
  entryCount: number;
}

/**
 * Returns a run of the caller's space with its pinned revision, or null. A given row is not read again. Throws NOT_FOUND when the
 * revision is missing, STORE_DAMAGED for a changed ledger.
 */
export async function loadRun(ctx: OperationContext, run: string | RunRow): Promise<LoadedRun | null> {
  return (await cachedRun(ctx, run, 0))?.run ?? null;
}

/** A run of this space by its whole id, with its pinned revision. Throws RUN_NOT_FOUND. */
export async function requireRun(ctx: OperationContext, runId: string): Promise<LoadedRun> {
  const run = await loadRun(ctx, runId);
  if (run === null) throw noRun(ctx, runId);
  return run;
}

/** The same, with the cache for a later state. `before`: the number of entries at the last read. */
async function cachedRun(
  ctx: OperationContext,
  run: string | RunRow,
  before: number,
): Promise<{ run: LoadedRun; memory: RunMemory } | null> {
  const { store, caller } = ctx;
  const memory = await store.cachedRun(typeof run === 'string' ? run : run.runId);
  let kept = memory.fold as RunState | null;
  let from = kept === null ? 0 : kept.tip!.seq + 1;
  // The row is read before the entries, because other processes can append in between. A row older than the cached state
  // can't detect lost entries, so it is read again.
  const isStale = typeof run === 'string' || (kept !== null && run.entryCount < from);
  const row = isStale ? await store.findRun(typeof run === 'string' ? run : run.runId) : run;
  if (row === null || row.space !== caller.space) return null;
  const { runId } = row;
  let entries = kept !== null && row.entryCount === from ? [] : await store.readEntries(row, from);
  if (kept !== null && entries.some(isRebase)) {
    [kept, from] = [null, 0];
    entries = await store.readEntries(row);
  }
  requireIntactLedger(row, kept?.tip ?? null, entries, Math.max(before, from));
  const pinned = kept ?? pinnedBy(entries);
  // A row that was moved to this space does not open the run to it.
  if (pinned.space !== caller.space) return null;
  const digests = kept === null ? followedDigests(entries) : [kept.digest];
  const followed = await followedRevisions(ctx, { runId, chainId: pinned.chainId }, digests);
  const revision = followed.at(-1)!;
  const entryCount = from + entries.length;
  if (kept !== null && entries.length === 0) return { run: { revision, state: kept, entryCount }, memory };
  const state = entries.reduce(
    evolve,
    kept === null
      ? initialState(
          followed[0]!.content,
          new Map(followed.slice(1).map(({ digest, content }) => [digest, content])),
        )
      : forkState(kept),
  );
  memory.keep(state);
  return { run: { revision, state, entryCount }, memory };
}

/** What a run is of, by its first entry. */
function pinnedBy([first]: readonly LedgerEntry[]): Pick<RunState, 'space' | 'chainId'> {
  const { space, chain_id: chainId } = dataOf<RunBegunData>(first!);
  return { space, chainId };
}

const isRebase = ({ kind }: LedgerEntry) => kind === 'run.rebased';

/**
 * Reads the run, decides and appends the entries with a compare-and-swap on the entry number. On a conflict, decides again
 * on the new state, so that a late answer gets CONFLICT. Calls without entries never conflict. When the decision needs files,
 * reads them and decides again. Throws RUN_NOT_FOUND.
 */
export async function transact<D extends Decision>(
  ctx: OperationContext,
  located: string | RunRow,
  decide: (draft: DecisionBuilder) => D,
): Promise<D> {
  const runId = typeof located === 'string' ? located : located.runId;
  let outputs: DecideEnv['outputs'];
  let read = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const cached = await cachedRun(ctx, attempt === 0 ? located : runId, read);
    if (cached === null) throw noRun(ctx, runId);
    const { run, memory } = cached;
    read = run.entryCount;
    const pending = pendingStation(run.state);
    const tools =
      pending === null || pending.kind === 'none'
        ? await loadProofTools(null)
        : await loadProofTools(pending.demand, pending.block.outputs, capturesOf(pending.block));
    const wasSealed = run.state.sealed !== null;
    const gated = run.state.stations.some((station) => templateOf(station) !== undefined);
    const gate = gated ? await gateEnvOf(ctx, run.state) : null;
    const captures = pending?.kind === 'proof' ? capturesOf(pending.block) : [];
    const digest = captures.length === 0 ? undefined : await ctx.valueDigest?.();
    const draft = new DecisionBuilder(forkState(run.state), {
      now: Math.max(ctx.clock(), gate?.notBefore ?? 0, Date.parse(run.state.tip?.at ?? '') || 0),
      random: ctx.random,
      tools,
      actor: ctx.caller.actor,
      identity: callerIdentity(ctx.caller),
      commandLine: ctx.commandLine,
      redact: ctx.redact,
      redactAlso: redactAlso(ctx),
      ...(outputs === undefined ? {} : { outputs }),
      ...(digest === undefined ? {} : { digest }),
      ...(gate === null ? {} : { gate }),
      // Last, with nothing to wait for before the decision: what begins after it loses or wins the race for the entry number.
      running: ctx.running?.(runId) === run.state.at,
    });
    const adopted = gate !== null && ctx.adoptsPolicy === true && !wasSealed ? adoptPolicy(draft, gate) : 0;
    const station = run.state.at;
    const decision = decide(draft);
    if (decision.reads !== null) {
      outputs = { station, readings: await readOutputs(ctx, decision.reads, run.state.place) };
      continue;
    }
    // The files that were read are used for the next decision only: after a conflict they are read again.
    outputs = undefined;
    // A call that has no effect adopts nothing either.
    if (decision.entries.length === adopted) return decision;
    if (decision.entries.some(isPermitUse)) await ctx.permitMarks?.prepare();
    const seal = wasSealed || decision.state.sealed === null ? undefined : await sealOf(ctx, decision);
    if (await ctx.store.appendEntries(runId, run.entryCount, decision.entries, seal)) {
      // The next call folds the run over all its revisions.
      if (!decision.entries.some(isRebase)) memory.keep(decision.state);
      await usePermits(ctx, decision);
      learnSecrets(ctx, runId, decision.state.template, decision.secretValues);
      notify(ctx, run.state, decision);
      if (hasAdvanced(decision, station, wasSealed)) await handOver(ctx, decision);
      return decision;
    }
  }
  throw new KairosError('STORE_UNAVAILABLE', `run ${runId} is changed continuously by other writers`, {
    hint: 'Try again in a moment.',
  });
}

/** Notifies people of what these entries mean to them. What fails here changes nothing about the run. */
export function notify(
  { notify: send, commandLine }: OperationContext,
  before: RunState | null,
  { state, entries }: Pick<Decision, 'state' | 'entries'>,
): void {
  if (send === undefined) return;
  for (const notice of noticesOf(before, state, entries, commandLine)) send(notice);
}

/** Others may continue from another place now, or in another session. */
function hasAdvanced({ state, entries }: Decision, station: number, wasSealed: boolean): boolean {
  if (state.sealed !== null) return !wasSealed;
  return state.at !== station || entries.some(({ kind }) => kind === 'run.resumed');
}

async function sealOf(ctx: OperationContext, { state, entries }: Decision) {
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  return sealWith(state.runId, last.hash, last.seq + 1, await ctx.sealingKey());
}

/** Reads the files of outputs within the folders of this interface; file names are redacted, because they are recorded. */
async function readOutputs(
  ctx: Pick<OperationContext, 'outputs' | 'outputsAt' | 'place' | 'roots' | 'redact'>,
  outputs: readonly OutputCheck[],
  place: RunPlace | null,
): Promise<OutputReading[]> {
  const { roots, redact } = ctx;
  const reader = readerAt(ctx, place);
  if (reader === undefined) return outputs.map(() => ({ files: [], others: false, fault: 'no-folder' }));
  const readings = await reader.read(outputs, (await roots?.()) ?? null);
  return readings.map(({ files, ...reading }) => ({
    ...reading,
    files: files.map((file) => ({ ...file, path: redact(file.path) })),
  }));
}

/** A file elsewhere proves nothing about a run: its outputs are read where it works. */
function readerAt(
  { outputs, outputsAt, place: here }: Pick<OperationContext, 'outputs' | 'outputsAt' | 'place'>,
  place: RunPlace | null,
): OutputReader | undefined {
  if (place === null || here === undefined || isSamePlace(place, here)) return outputs;
  return place.host === here.host ? outputsAt?.(place) : undefined;
}

/**
 * Writes a note on the state of a run that has advanced, or removes it once the run is sealed. The decision is on record
 * already, so the answer reports a note that can't be written, and nothing is lost.
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
