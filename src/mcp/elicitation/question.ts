import type { CreateMessageRequest } from '@modelcontextprotocol/server';
import type * as z from 'zod/mini';
import { isObject } from '../../base/json.ts';
import { parseJson } from '../../formats/json/parse.ts';
import type { PatternTools } from '../../proof/verdict.ts';
import type { SamplingDefinition, userInputDefinition } from '../../protocol/schema.ts';
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
  if (!isObject(content)) return { kind: 'invalid' };
  if (Object.keys(content).join() !== 'confirmation') return { kind: 'invalid' };
  const { confirmation } = content as { confirmation: unknown };
  if (typeof confirmation !== 'string' || confirmation.trim() === '') return { kind: 'invalid' };
  if (confirmation === 'rejected') return { kind: 'declined' };
  const { pattern } = definition;
  const listed = choicesOf(definition)?.includes(confirmation) ?? true;
  const matches = pattern === undefined || patterns.fullMatch(pattern, confirmation) === true;
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

export type SamplingParams = CreateMessageRequest['params'];

/**
 * The request of a sampling step to its client's model (`sampling/createMessage`): exactly what the author
 * wrote. `top_p` and the approval mode are not MCP fields and are sent as metadata; the client decides how to
 * use them.
 */
export function samplingForStep(definition: SamplingDefinition, { auto }: { auto: boolean }): SamplingParams {
  const { system, prompt, temperature, top_p, max_tokens, approval_mode } = definition;
  return {
    systemPrompt: system,
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    temperature,
    maxTokens: max_tokens,
    metadata: { top_p, approval_mode: approval_mode === 'auto' && auto ? 'auto' : 'user' },
  };
}

/** Enough for the longest answer that a form accepts. */
const MAX_TOKENS = 1024;

/** A user's answer by way of the client's model: it is to show the prompt, and the user approves what is sent. */
export function samplingForUser(definition: UserInputDefinition): SamplingParams {
  return {
    systemPrompt: [
      'Show the following prompt to the user and wait for their own reply. Never answer in their place.',
      'Return only JSON, without any other text: {"confirmation": <their reply>}.',
      answersInWords(definition),
    ].join(' '),
    messages: [{ role: 'user', content: { type: 'text', text: definition.prompt } }],
    temperature: 0,
    maxTokens: MAX_TOKENS,
    metadata: { approval_mode: 'user' },
  };
}

function answersInWords(definition: UserInputDefinition): string {
  const choices = choicesOf(definition);
  if (choices !== null)
    return `The reply is exactly one of ${JSON.stringify(choices)}; if they refuse it is "rejected".`;
  return `The reply is a text that matches the pattern ${JSON.stringify(definition.pattern)} as a whole; if they refuse it is "rejected".`;
}

/** What a model gave for a user's answer. */
export function readSampledConfirmation(
  definition: UserInputDefinition,
  result: unknown,
  patterns: PatternTools,
): ElicitationOutcome {
  const output = readSampledOutput(result);
  return output.kind === 'answered' ? readConfirmation(definition, output.answer, patterns) : output;
}

/** A model's output: one text of only JSON, without duplicate keys. */
export function readSampledOutput(result: unknown): ElicitationOutcome {
  const text = textOf(result);
  const read = text === null ? undefined : parseJson(text);
  if (read === undefined || read.hasDuplicates) return { kind: 'invalid' };
  return { kind: 'answered', answer: read.value };
}

/** A message of a single text; a list with one block is the same (revision 2025-11-25). */
function textOf(result: unknown): string | null {
  const { content } = (result ?? {}) as { content?: unknown };
  const blocks = (Array.isArray(content) ? content : [content]) as { type?: unknown; text?: unknown }[];
  const [block] = blocks;
  return blocks.length === 1 && block?.type === 'text' && typeof block.text === 'string' ? block.text : null;
}
