import type * as z from 'zod/mini';
import type { PatternTools } from '../../proof/verdict.ts';
import type { userInputDefinition } from '../../protocol/schema.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import type { AskedProofType, ElicitationOutcome } from './plan.ts';

/**
 * What a run's result leaves for the server to ask: a sampling step that was reached without a solution, or
 * the user if the call asked for that. Null: nothing, or another fault comes first.
 */
export function questionIn(
  { challenge, error_code: code, run_id: runId, current_step: step }: RunFields,
  { forUser }: { forUser: boolean },
): AskedProofType | null {
  if (!challenge || !runId || !step) return null;
  const clear = (code ?? null) === null;
  if (challenge.type === 'sampling') return clear || code === 'MISSING_PROOF' ? 'sampling' : null;
  return challenge.type === 'user_input' && forUser && clear ? 'user_input' : null;
}

export type UserInputDefinition = z.infer<typeof userInputDefinition>;

/** Where a step names neither choices nor a pattern, these are the answers. */
const APPROVALS = ['approved', 'rejected'] as const;

/** What may be answered, if it is a list. */
export function choicesOf({ choices, pattern }: UserInputDefinition): readonly string[] | null {
  if (choices !== undefined) return choices;
  return pattern === undefined ? APPROVALS : null;
}

/**
 * Reads an answer that the server obtained, strictly (SPEC 6): an object with only `confirmation`, whose text
 * is one of the choices, or matches the pattern, or is exactly `approved`. `rejected` declines for all
 * choices.
 */
export function readConfirmation(
  definition: UserInputDefinition,
  content: unknown,
  patterns: PatternTools,
): ElicitationOutcome {
  if (content === null || typeof content !== 'object' || Array.isArray(content)) return { kind: 'invalid' };
  if (Object.keys(content).join() !== 'confirmation') return { kind: 'invalid' };
  const { confirmation } = content as { confirmation: unknown };
  if (typeof confirmation !== 'string' || confirmation.trim() === '') return { kind: 'invalid' };
  if (confirmation === 'rejected') return { kind: 'declined' };
  const { pattern } = definition;
  const listed = choicesOf(definition)?.includes(confirmation) ?? true;
  const matches = pattern === undefined || patterns.fullMatch(pattern, confirmation);
  return listed && matches ? { kind: 'answered', answer: confirmation } : { kind: 'invalid' };
}

/** With these codes the user has not answered yet. */
export const UNASKED = new Set(['ELICITATION_FAILED', 'SAMPLING_FAILED', 'SAMPLING_INVALID_OUTPUT']);

export function withNotes(answer: RunFields, ...notes: string[]): RunFields {
  return notes.length === 0
    ? answer
    : { ...answer, message: [answer.message, ...notes].filter(Boolean).join(' ') };
}

/** The name of the one question of an `input_required` result. */
export const ANSWER = 'answer';
