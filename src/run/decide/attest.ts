import { canonical } from '../../base/canonical.ts';
import { cleanText, type EntryData } from '../../ledger/entry.ts';
import { claimsOnly } from '../../proof/demand.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { RunBegunData, RunRebasedData, RunSealedData } from '../entry-data.ts';
import type { RunPlace } from '../ports.ts';
import { countAssurance, initialState, pendingStation, type RunState, stationsOf } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import { type DecideEnv, type Decision, DecisionBuilder, type Submission } from './draft.ts';
import { stepsNotRolledBack } from './rollback.ts';
import { decideAttestSolution, decideClosingMessage } from './solve.ts';

interface Attestation {
  /** URI as called; any of the chain's. */
  uri: string;
  outcome: 'success' | 'failure';
  message: string;
  /** As asked for; clamped to ±1 here. */
  qualityBonus: number;
  llmModelId: string | null;
  submission: Submission | null;
  /** Where the message came from. */
  assurance: Submission['assurance'];
}

/**
 * `kairos_attest` (SPEC 3.6). Failure always seals. Success needs every demand met and a closing comment: the one
 * already given through `kairos_next`, else the solution, else the message.
 */
export function decideAttest(draft: DecisionBuilder, attestation: Attestation): Decision {
  const { state } = draft;
  const refused = draft.refuseClosedOrRunning();
  if (refused !== null) return refused;
  if (attestation.outcome === 'failure') return seal(draft, attestation);

  if (attestation.submission !== null) {
    const solved = decideAttestSolution(draft, attestation.submission);
    if (solved !== null && (solved.problem !== null || solved.reads !== null)) return solved;
  }
  const pending = pendingStation(state);
  if (pending !== null && pending.kind !== 'closing') {
    draft.showPending();
    return draft.done({
      code: 'MISSING_PROOF',
      message: MESSAGES.attestMissing(pending.step, state.content.steps.length),
    });
  }
  const source: Submission = { raw: null, assurance: attestation.assurance };
  const lacking = decideClosingMessage(draft, attestation.message, source);
  if (lacking !== null) {
    draft.showPending();
    return draft.done(lacking);
  }
  return seal(draft, attestation);
}

/** Gives up an optional step, with a reason; a required one cannot be skipped. */
export function decideSkip(draft: DecisionBuilder, reason: string): Decision {
  const { state } = draft;
  const pending = pendingStation(state);
  if (pending === null || pending.kind !== 'proof' || pending.demand.required) {
    return draft.done({ code: 'MISSING_PROOF', message: MESSAGES.cannotSkip });
  }
  const data: EntryData = {
    step: pending.step,
    station: state.at,
    uri: stepUri(state.chainId, pending.step),
    reason,
  };
  draft.write('step.skipped', data);
  draft.showPending();
  return draft.done();
}

function seal(draft: DecisionBuilder, attestation: Attestation): Decision {
  const { state } = draft;
  const assurance = countAssurance(state);
  const data: RunSealedData = {
    outcome: attestation.outcome,
    message: attestation.message,
    uri: attestation.uri,
    quality_bonus: String(clamp(attestation.qualityBonus)),
    llm_model_id: attestation.llmModelId,
    assurance: { ...assurance },
    self_reported: claimsOnly(assurance),
  };
  draft.write('run.sealed', data);
  return draft.done();
}

function clamp(bonus: number): number {
  return Number.isFinite(bonus) ? Math.max(-1, Math.min(1, Math.round(bonus * 1000) / 1000)) : 0;
}

/** Makes a run pinned to one revision and shows its first step. */
export function decideBegin(
  runId: string,
  content: ChainContent,
  begun: RunBegunData,
  env: DecideEnv,
): Decision {
  const draft = new DecisionBuilder(initialState(content), env, runId);
  draft.write('run.begun', { ...begun, ...contentData(content, env.redact) });
  draft.showPending();
  return draft.done();
}

/**
 * The text of a revision as its record has it: the canonical JSON that the digest is of, so that who has the record alone can
 * read what was run. Nothing where the text would have to be changed for an entry: it contains a secret, or DEL.
 */
function contentData(
  content: ChainContent,
  redact: (text: string) => string = (text) => text,
): { content_json?: string } {
  const text = canonical(content);
  return cleanText(text) === text && redact(text) === text ? { content_json: text } : {};
}

/** Puts on record that the run works elsewhere from now on. */
export function writeMove(draft: DecisionBuilder, to: RunPlace, by: string, digests: EntryData = {}): void {
  const { place } = draft.state;
  draft.write('run.moved', {
    from: place === null ? null : placeData(place),
    ...placeData(to),
    ...digests,
    by,
  });
}

/** A place as entries have it. */
function placeData({ host, workdir, roots, names = [] }: RunPlace) {
  return { host, workdir, roots: [...roots], ...(names.length === 0 ? {} : { names: [...names] }) };
}

/** Resumes an open run: records who, where to if it moves, and shows what is pending with a fresh nonce. */
export function decideResume(
  draft: DecisionBuilder,
  by: EntryData & { by: string },
  moveTo: RunPlace | null = null,
  digests: EntryData = {},
): Decision {
  if (moveTo !== null) writeMove(draft, moveTo, by.by, digests);
  draft.write('run.resumed', by);
  draft.tellStep();
  draft.showPending();
  return draft.done();
}

/** A step because of which a run can't be carried over to another revision. */
export interface RebaseObstacle {
  step: number;
  label: string;
  /** To follow the step. */
  what: string;
  /** The step isn't proven, but may have done something: that has to be settled first. */
  inDoubt: boolean;
}

/**
 * The first step that keeps an open run from following this content: one that was passed, or may have done something that is
 * neither proven nor rolled back, and isn't the same in the same place. Null: no step does.
 */
export function rebaseObstacle(state: RunState, content: ChainContent): RebaseObstacle | null {
  const { template, at, gate, inDoubt } = state;
  const carried = carriedSteps(state);
  const doubted = [inDoubt?.step, gate.open?.step, gate.openRollback?.step, ...stepsNotRolledBack(state)];
  const bound = [...carried, ...doubted.filter((step) => step !== undefined)].sort((a, b) => a - b);
  for (const step of bound) {
    const what = stepDifference(template, content, step);
    const label = template.steps[step - 1]!.label;
    if (what !== null) return { step, label, what, inDoubt: !carried.includes(step) };
  }
  // A step without a block demands more or less, depending on whether it is the first or the last.
  const [before, after] = [stationsOf(template), stationsOf(content)];
  const moved = before.slice(0, at).find((station, index) => !isSame(station, after[index] ?? null));
  if (moved === undefined) return null;
  const what = 'asks for something else in its new place, because the number of steps is another';
  return { step: moved.step, label: template.steps[moved.step - 1]!.label, what, inDoubt: false };
}

/** The steps that a run has passed, each as a whole or in part. */
export function carriedSteps({ stations, at }: RunState): number[] {
  const passed = stations.slice(0, at).filter(({ kind }) => kind !== 'closing');
  return [...new Set(passed.map(({ step }) => step))];
}

/** To follow the step; null when it is the same in both. */
function stepDifference(before: ChainContent, after: ChainContent, step: number): string | null {
  const old = before.steps[step - 1]!;
  const now = after.steps[step - 1];
  if (now !== undefined && isSame(old, now)) return null;
  const place = after.steps.findIndex((other) => isSame(old, other));
  if (place !== -1) return `is step ${place + 1} now`;
  if (now === undefined) return 'is missing';
  const parts = [
    ...(old.label === now.label ? [] : ['title']),
    ...(old.body === now.body ? [] : ['text']),
    ...(isSame(old.block, now.block) ? [] : ['step block']),
  ];
  return `has another ${parts.join(' and another ')}`;
}

/** A revision that a run followed: its content, if it is known, and the steps that were carried over to it. */
export interface FollowedRevision {
  content: ChainContent | null;
  carried: readonly number[];
}

/**
 * For each revision that a run followed, a function from the number of a step to its number in the last revision. Null: the last
 * one has no such step. A step is the same if it was carried over, or has the same content or title.
 */
export function placesInLast(revisions: readonly FollowedRevision[]): ((step: number) => number | null)[] {
  const places = [(step: number): number | null => step];
  for (let at = revisions.length - 2; at >= 0; at -= 1) {
    const next = places[0]!;
    const { content } = revisions[at]!;
    const { content: after, carried } = revisions[at + 1]!;
    places.unshift((step) => {
      const found = carried.includes(step) ? step : placeIn(content, after, step);
      return found === null ? null : next(found);
    });
  }
  return places;
}

function placeIn(before: ChainContent | null, after: ChainContent | null, step: number): number | null {
  const old = before?.steps[step - 1];
  const steps = after?.steps ?? [];
  if (old === undefined) return null;
  type Step = typeof old;
  for (const isSameStep of [isSame, (a: Step, b: Step) => a.label === b.label]) {
    const places = steps.flatMap((other, at) => (isSameStep(old, other) ? [at + 1] : []));
    if (places.length > 0) return places.includes(step) ? step : (places[0] ?? null);
  }
  return null;
}

function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** Lets an open run follow another revision from now on, of which the state knows the content. */
export function decideRebase(
  draft: DecisionBuilder,
  content: ChainContent,
  rebase: Omit<RunRebasedData, 'from' | 'carried'> & { digest: string },
): Decision {
  const { state, env } = draft;
  draft.write('run.rebased', {
    from: { digest: state.digest },
    carried: carriedSteps(state),
    ...rebase,
    ...contentData(content, env.redact),
  });
  return draft.done();
}
