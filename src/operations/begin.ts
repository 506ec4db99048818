import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { KairosError } from '../base/errors.ts';
import { VERSION } from '../base/package-root.ts';
import type { EntryData } from '../ledger/entry.ts';
import { meets } from '../proof/demand.ts';
import { loadProofTools } from '../proof/tools.ts';
import { isReservedChain, stepUri } from '../protocol/identity.ts';
import { decideBegin } from '../run/decide/attest.ts';
import type { Decision } from '../run/decide/draft.ts';
import { templateOf } from '../run/decide/guard.ts';
import { inputsOf } from '../run/inputs.ts';
import { initialState, stationsOf } from '../run/state.ts';
import type { RunFields } from '../run/walk-fields.ts';
import { MESSAGES, NEXT } from '../run/wording.ts';
import { requireIntactContent } from '../store/intact.ts';
import type { Revision } from '../store/port.ts';
import { callerIdentity, isTrusted, type OperationContext } from './context.ts';
import { DEPRECATED, parseInput } from './input.ts';
import { handedOver, resumeRun } from './resume.ts';
import { answerOf } from './run/answer.ts';
import { gateEnvOf } from './run/gate-env.ts';
import { hiddenNotes, inputsNeeded, readGiven, requireNoFaults, takeInputs } from './run/inputs.ts';
import { isSameProtocol, resolveUri, revisionBySlug } from './run/locate.ts';
import { handOver, notify } from './run/transact.ts';
import { type SearchOutput, search } from './search.ts';

export const beginInput = z.strictObject({
  uri: z.optional(z.string()),
  key: z.optional(z.string()),
  /** Values of the protocol's inputs by name. */
  inputs: z.optional(z.record(z.string(), z.unknown())),
  resume: z.optional(z.boolean()),
  /** Deprecated alias: returns search results. */
  query: z.optional(z.string()),
});
export type BeginInput = z.input<typeof beginInput>;

/**
 * `kairos_begin`: creates a run of the protocol named by URI or slug and shows its first step. `settled`: the id that the run
 * is to have, where an answer may come twice.
 */
export async function begin(
  ctx: OperationContext,
  raw: BeginInput,
  settled: { runId?: string } = {},
): Promise<RunFields | SearchOutput> {
  const input = parseInput(beginInput, raw);
  if (input.query !== undefined && input.uri === undefined && input.key === undefined) {
    // The meaning of `kairos_begin` before `kairos_search` existed.
    const answer = await search(ctx, { query: input.query });
    return { ...answer, message: `${answer.message} ${DEPRECATED.beginQuery}` };
  }
  if (input.resume === true && input.uri === undefined && input.key === undefined) return takeUp(ctx);
  const revision = await namedRevision(ctx, input);
  if (revision === 'not-first') return notFirstStep((await resolveUri(ctx, input.uri!)).chainId);
  const given = { ...settled, ...(input.inputs === undefined ? {} : { inputs: input.inputs }) };
  return input.resume === true ? resumeOrBegin(ctx, revision, given) : beginRun(ctx, revision, given);
}

/** `resume` alone: the run that another session or client handed over. */
async function takeUp(ctx: OperationContext): Promise<RunFields> {
  const runId = await handedOver(ctx);
  if (runId !== null) return resumeRun(ctx, runId);
  throw new KairosError('INVALID_INPUT', 'no run was handed over: uri or key is required', {
    hint: 'An open run is handed over with the file that KAIROS_HANDOVER_FILE names.',
  });
}

async function namedRevision(
  ctx: OperationContext,
  { uri, key }: { uri?: string | undefined; key?: string | undefined },
): Promise<Revision | 'not-first'> {
  if (uri !== undefined && key !== undefined && (await isSameProtocol(ctx, uri, key)))
    return namedRevision(ctx, { uri });
  if ((uri === undefined) === (key === undefined)) {
    throw new KairosError('INVALID_INPUT', 'exactly one of uri and key is needed', {
      hint: 'uri is the kairos://mem/… of a first step, key the slug of a protocol.',
    });
  }
  if (key !== undefined) return revisionBySlug(ctx, key);
  const { chainId, index } = await resolveUri(ctx, uri!);
  if (index !== 1) return 'not-first';
  const head = await ctx.store.head(chainId);
  if (head === null) {
    throw new KairosError('NOT_FOUND', `the protocol at ${uri} was deleted`, {
      hint: 'Its runs can still be shown and verified, but no new run can begin.',
    });
  }
  return head;
}

/** A URI that is not the first step of its chain begins nothing. */
function notFirstStep(chainId: string): RunFields {
  return {
    must_obey: true,
    next_action: NEXT.begin(stepUri(chainId, 1)),
    protocol_status: 'blocked',
    message: MESSAGES.notFirstStep,
    error_code: 'NOT_FIRST_STEP',
  };
}

/** Makes a run of this revision, always a new one. `runId`: the id that it is to have, where that was settled before. */
export async function beginRun(
  ctx: OperationContext,
  revision: Revision,
  given: GivenAtBegin = {},
): Promise<RunFields> {
  requireIntactContent(revision);
  // What ships with the tool changes with the tool; a run keeps the words that it began with.
  if (given.unstored === true || isReservedChain(revision.chainId))
    await ctx.store.putRevision({ ...revision, listed: false }, null);
  const trusted = await isTrusted(ctx, revision);
  if (!trusted && ctx.requireTrust) {
    throw new KairosError('UNTRUSTED', `revision ${revision.digest} is not trusted on this machine`, {
      hint: `A human reads it and trusts it with: ${ctx.commandLine(['trust', revision.content.slug])}`,
    });
  }
  const declared = inputsOf(revision.content);
  const { values, missing, faults } = await readGiven(declared, given.inputs ?? {});
  requireNoFaults(faults, 'Nothing was begun. Correct the inputs.');
  if (missing.length > 0) return inputsNeeded(revision, declared, missing);
  const runId = given.runId ?? randomUUID();
  if (given.runId !== undefined && (await ctx.store.findRun(runId)) !== null) {
    throw new KairosError('INVALID_INPUT', `run ${runId} has already begun`, {
      hint: 'One answer begins one run. Call kairos_begin again for another.',
    });
  }
  const recorded = await takeInputs(ctx, runId, revision.content, values);
  const decision = await createRun(ctx, revision, trusted, runId, recorded);
  const hidden = hiddenNotes(revision.content, recorded.secret_inputs ?? []);
  decision.notes.push(...(await remarks(ctx, revision, trusted)), ...hidden);
  return answerOf(ctx, decision, 'kairos_begin');
}

/** What a caller gives when it begins a run. */
interface GivenAtBegin {
  /** The id that the run is to have, where that was settled before. */
  runId?: string;
  /** Values of inputs by name. */
  inputs?: Readonly<Record<string, unknown>>;
  /** The revision of a file: the store gets it, unlisted. */
  unstored?: boolean;
}

/** Resumes the run that was handed over, else the caller's newest open run of the chain, or begins a new one. */
async function resumeOrBegin(
  ctx: OperationContext,
  revision: Revision,
  given: GivenAtBegin = {},
): Promise<RunFields> {
  const handed = await handedOver(ctx, revision.chainId);
  if (handed !== null) return resumeRun(ctx, handed);
  const { actor, space } = ctx.caller;
  const [open] = await ctx.store.findRuns({
    spaces: [space],
    chainId: revision.chainId,
    actor,
    open: true,
    limit: 1,
  });
  if (open !== undefined) return resumeRun(ctx, open.runId);
  const answer = await beginRun(ctx, revision, given);
  return { ...answer, message: [MESSAGES.nothingToResume, answer.message].filter(Boolean).join(' ') };
}

async function createRun(
  ctx: OperationContext,
  revision: Revision,
  trusted: boolean,
  runId: string,
  inputs: EntryData,
): Promise<Decision> {
  const { caller, store, place, storeName } = ctx;
  const tools = await loadProofTools(null);
  const policy = (await ctx.policy?.()) ?? null;
  const state = initialState(revision.content);
  const gated = state.stations.some((station) => templateOf(station) !== undefined);
  const gate = gated ? { gate: await gateEnvOf(ctx, state) } : {};
  for (;;) {
    const previous = await store.lastRun();
    const storeSeq = (previous?.storeSeq ?? 0) + 1;
    const decision = decideBegin(
      runId,
      revision.content,
      {
        chain_id: revision.chainId,
        slug: revision.content.slug,
        title: revision.content.title,
        digest: revision.digest,
        space: caller.space,
        step_count: revision.content.steps.length,
        actor: caller.actor,
        ...(caller.actorOrigin === undefined ? {} : { actor_origin: caller.actorOrigin }),
        ...(callerIdentity(caller) === caller.actor ? {} : { actor_account: callerIdentity(caller) }),
        face: caller.interface,
        session: caller.session,
        tool_version: VERSION,
        policy_digest: policy?.digest ?? null,
        policy_origin: policy?.origin ?? null,
        host: place?.host ?? null,
        workdir: place?.workdir ?? null,
        roots: [...(place?.roots ?? [])],
        ...(place?.names === undefined ? {} : { names: [...place.names] }),
        store: storeName ?? null,
        ...inputs,
        trusted,
        store_seq: storeSeq,
        previous_head: previous?.head ?? null,
      },
      {
        now: ctx.clock(),
        random: ctx.random,
        tools,
        ...gate,
        commandLine: ctx.commandLine,
        redact: ctx.redact,
      },
    );
    if (!(await store.createRun(runId, storeSeq, decision.entries))) continue;
    notify(ctx, null, decision);
    await handOver(ctx, decision);
    return decision;
  }
}

/** What an agent or user should know before the first step, in fixed words. */
export async function remarks(
  { caller, outputs, leaves }: OperationContext,
  revision: Revision,
  trusted: boolean,
): Promise<string[]> {
  const notes: string[] = [];
  if (!trusted) notes.push(MESSAGES.untrusted(plain(revision.author), plain(revision.space)));
  if (revision.weakened !== null) notes.push(MESSAGES.weakened(revision.number));
  for (const station of stationsOf(revision.content)) {
    if (station.kind === 'proof' && station.block.outputs !== undefined) {
      const folders = (await outputs?.folders()) ?? [];
      if (folders.length === 0) notes.push(MESSAGES.noFolder(station.step));
    }
    if (station.kind !== 'proof' || station.demand.assurance === undefined) continue;
    const { type, assurance } = station.demand;
    // A command that will run once its content is trusted needs no other remark.
    const left = trusted && type === 'shell' ? await leaves?.(station.demand.shell) : null;
    if (!meets(left == null ? caller.maximumAssurance[type] : 'claimed', assurance)) {
      notes.push(MESSAGES.unmetAssurance(station.step, assurance));
    }
  }
  return [...new Set(notes)];
}

/** Names of people and spaces are shown in a message that agents obey, so only name characters get through. */
function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9._@/-]/g, '?').slice(0, 64);
}
