import type { CreateMessageRequest } from '@modelcontextprotocol/server';
import { parseJson } from '../../formats/json/parse.ts';
import type { PatternTools } from '../../proof/verdict.ts';
import type { SamplingDefinition } from '../../protocol/schema.ts';
import type { ElicitationOutcome } from './plan.ts';
import { choicesOf, readConfirmation, type UserInputDefinition } from './question.ts';

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
  const blocks = (Array.isArray(content) ? content : [content]) as {
    type?: unknown;
    text?: unknown;
  }[];
  const [block] = blocks;
  return blocks.length === 1 && block?.type === 'text' && typeof block.text === 'string' ? block.text : null;
}
