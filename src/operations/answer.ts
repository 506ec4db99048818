import { KairosError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { readJsonStrictly } from '../gate/json/read.ts';
import { type Demand, meets, type SamplingDemand } from '../proof/demand.ts';
import { loadProofTools, loadTools } from '../proof/tools.ts';
import { validateSolution } from '../proof/validate.ts';
import type { PatternTools, ProofFacts, ProofTools, Verdict } from '../proof/verdict.ts';
import { stepUri } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { InputDefinition } from '../protocol/schema.ts';
import { inputValueFault } from '../run/inputs.ts';
import { compareDigests } from '../run/ports.ts';
import { pendingStation, type RunState } from '../run/state.ts';
import type { RunFields } from '../run/walk-fields.ts';
import { orDamaged } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { next } from './next.ts';
import { loadRun, requireRun } from './run/transact.ts';

/** What an open run asks a person, and what distinguishes this question from a later one. */
export interface RunQuestion {
  station: number;
  step: number;
  label: string;
  type: 'user_input' | 'comment';
  prompt: string;
  choices: readonly string[] | null;
  /** The least number of characters of an answer; null without a limit. */
  minLength: number | null;
  /** The whole answer must match it (RE2); null without one. */
  pattern: string | null;
  /** The person declined it. An answer replaces that. */
  declined: boolean;
}

/** The answer by which a person declines a question, with any choices. */
export const DECLINED = 'rejected';

/** The question of the pending step; null where it asks a person nothing. */
export function questionOf(state: RunState): RunQuestion | null {
  const pending = pendingStation(state);
  if (state.sealed !== null || pending === null || pending.kind === 'none') return null;
  const { demand, step, kind } = pending;
  const label = state.content.steps[step - 1]?.label ?? '';
  const base = { station: state.at, step, label, pattern: null, declined: state.declined.has(state.at) };
  if (kind === 'proof' && demand.type === 'user_input') {
    const { prompt, choices = null, pattern = null } = demand.user_input;
    return { ...base, type: 'user_input', prompt, choices, minLength: null, pattern };
  }
  if (demand.type === 'comment') {
    const prompt =
      kind === 'closing' ? 'How did it go? This closes the protocol.' : 'What was done in this step?';
    return { ...base, type: 'comment', prompt, choices: null, minLength: demand.comment.min_length ?? null };
  }
  return null;
}

/** What a stored run asks a person now; null for a damaged one too. */
export async function pendingQuestion(ctx: OperationContext, run: RunRow): Promise<RunQuestion | null> {
  const loaded = await orDamaged(loadRun(ctx, run));
  return loaded === null || loaded === 'damaged' ? null : questionOf(loaded.state);
}

/** Where an answer came from: typed at a prompt or on the page (`client`), or given as text that any program can give. */
export interface GivenAnswer {
  text: string;
  assurance: 'client' | 'claimed';
  /** The station whose question was shown. */
  station?: number;
}

/**
 * Submits a person's answer to the question of a run, also of an agent's run. An answer that doesn't fit is refused here, in
 * a person's words, and isn't a failed attempt. Throws RUN_NOT_FOUND. Throws INVALID_INPUT when the run asks another question
 * or none, and for an answer that doesn't fit the step.
 */
export async function answerRun(
  ctx: OperationContext,
  runId: string,
  { text, assurance, station }: GivenAnswer,
): Promise<RunFields> {
  const run = await requireRun(ctx, runId);
  const question = questionOf(run.state);
  if (station !== undefined && run.state.at !== station) {
    throw new KairosError('INVALID_INPUT', `run ${runId} has moved on: this question is answered already`, {
      hint: 'Show the run again; it may ask another question now.',
    });
  }
  if (question === null) {
    throw new KairosError('INVALID_INPUT', `run ${runId} doesn't ask a person anything now`, {
      hint: `Show its state with: ${ctx.commandLine(['runs', 'show', runId])}`,
    });
  }
  const given =
    question.type === 'user_input' ? { user_input: { confirmation: text } } : { comment: { text } };
  await requireFitting(ctx, run.state, given[question.type]!, assurance);
  const uri = stepUri(run.state.chainId, question.step);
  const shown = await next(ctx, { uri, run_id: runId });
  const { challenge } = shown;
  if (challenge == null || challenge.type !== question.type) return shown;
  const { nonce, proof_hash } = challenge;
  const solution = { type: question.type, nonce, proof_hash, ...given };
  return next(ctx, { uri, run_id: runId, solution }, { assurance, aside: true });
}

async function requireFitting(
  ctx: OperationContext,
  state: RunState,
  payload: object,
  assurance: GivenAnswer['assurance'],
): Promise<void> {
  const pending = pendingStation(state);
  if (pending === null || pending.kind === 'none') return;
  const { demand } = pending;
  if (demand.assurance !== undefined && !meets(assurance, demand.assurance)) {
    throw new KairosError(
      'INVALID_INPUT',
      'this step accepts only an answer that a person types at a prompt or on the page',
      {
        hint: `At a terminal: ${ctx.commandLine(['answer', state.runId])}. In a browser: ${ctx.commandLine(['view', '--open'])}`,
      },
    );
  }
  const verdict = checkAnswer(demand, payload, await loadAnswerTools(state.content), factsOf(state));
  // The run judges a refusal.
  if (verdict.ok || verdict.code === 'USER_DECLINED') return;
  throw new KairosError('INVALID_INPUT', `the answer can't be used: ${toPerson(verdict.message, demand)}`, {
    hint: `It counts for nothing. See the question with: ${ctx.commandLine(['answer', state.runId])}`,
  });
}

/** What a comment is compared with. */
function factsOf(state: RunState): ProofFacts {
  const step = state.content.steps[(pendingStation(state)?.step ?? 0) - 1];
  return { stepText: `${step?.label ?? ''}\n${step?.body ?? ''}`, previousComment: state.previousComment };
}

/** Rewrites an engine message for a person: names the answer instead of solution fields, the choices and the pattern. */
export function toPerson(message: string, demand: Demand): string {
  const { pattern = '', choices = [] } = demand.type === 'user_input' ? demand.user_input : {};
  return message
    .replace(
      /^(The text of )?solution\.(?:user_input\.confirmation|comment\.text|sampling\.result)/,
      'The answer',
    )
    .replace('challenge.sampling.output_schema', 'the schema')
    .replace(', see violations', '')
    .replace('challenge.user_input.choices', () => `these: ${choices.join(', ')}`)
    .replace('challenge.user_input.pattern', () => pattern);
}

/** Loads what answers to the questions of a protocol are checked with. Without a protocol: what no check needs. */
export function loadAnswerTools(content: Pick<ChainContent, 'steps'> | null): Promise<ProofTools> {
  const schemas = content?.steps.some(({ block }) => block?.sampling !== undefined) === true;
  return loadTools({ patterns: content !== null, schemas });
}

/** Loads RE2 if an answer has to match a pattern. */
export async function loadAnswerPatterns(pattern: string | undefined): Promise<PatternTools> {
  return (await loadTools({ patterns: pattern !== undefined, schemas: false })).patterns;
}

/** Checks the payload of an answer as the run will, before it is submitted. Nonce and proof_hash are not checked. */
export function checkAnswer(
  demand: Demand,
  payload: object,
  tools: ProofTools,
  facts: ProofFacts = { stepText: '', previousComment: null },
): Verdict {
  const solution = { type: demand.type, nonce: null, proof_hash: null, [demand.type]: payload };
  return validateSolution(demand, solution, facts, tools);
}

/** Whether a model's output satisfies the schema of its step. */
export async function isValidSample(sampling: SamplingDemand['sampling'], result: unknown): Promise<boolean> {
  const demand = { type: 'sampling', sampling, required: true } as const;
  return checkAnswer(demand, { result }, await loadProofTools(demand)).ok;
}

/**
 * Returns a check of secrets that are given again for an open run: whether the run has another value. It is false where the record can't
 * show that.
 */
export async function otherSecrets(
  { valueDigest }: Pick<OperationContext, 'valueDigest'>,
  { runId, secrets }: RunState,
): Promise<(name: string, value: string) => boolean> {
  const digest = secrets.size === 0 ? undefined : await valueDigest?.();
  return (name, value) => {
    const recorded = secrets.get(name) ?? null;
    return (
      digest !== undefined &&
      recorded !== null &&
      compareDigests(recorded, digest(runId, name, value)) === 'other'
    );
  };
}

/** What is wrong with the text of a proposal before the gate judges it; null for a JSON object. */
export function proposalFault(text: string): string | null {
  const { value, violations } = readJsonStrictly(text);
  const [problem] = violations;
  if (problem !== undefined) return `${problem.pointer} ${problem.message}`.trim();
  return isObject(value) ? null : 'Expected a JSON object; {} accepts the draft unchanged.';
}

/** What is expected of the value of an input that has another one; null for a valid value. */
export function answerFault(
  input: InputDefinition,
  value: string,
  { patterns }: Pick<ProofTools, 'patterns'>,
): string | null {
  return inputValueFault(input, value, patterns);
}
