import type * as z from 'zod/mini';
import type { PatternTools } from '../../proof/verdict.ts';
import type { userInputDefinition } from '../../protocol/schema.ts';
import type { Outcome } from './plan.ts';

export type UserInputDefinition = z.infer<typeof userInputDefinition>;

/** Where a step names neither choices nor a pattern, these are the answers. */
export const APPROVALS = ['approved', 'rejected'] as const;

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
): Outcome {
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
