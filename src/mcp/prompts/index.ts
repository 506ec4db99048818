import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../run/context.ts';
import { authorProtocolPrompt } from './author-protocol.ts';
import type { Prompt } from './prompt.ts';
import { startProtocolPrompt } from './start-protocol.ts';

/** Every prompt. A new one is a new file and a line here. */
const PROMPTS: readonly Prompt[] = [startProtocolPrompt, authorProtocolPrompt];

export function findPrompt(name: string): Prompt | undefined {
  return PROMPTS.find((prompt) => prompt.name === name);
}

/** `prompts/list`; writing a protocol has no use where none can be stored. */
export function listPrompts({ readOnly }: OperationContext): ListPromptsResult {
  return {
    prompts: PROMPTS.filter((prompt) => !(readOnly && prompt === authorProtocolPrompt)).map(
      ({ name, title, description, arguments: args }) => ({ name, title, description, arguments: args }),
    ),
  };
}

/** `prompts/get`. Missing arguments and unknown names are errors of the call. */
export async function getPrompt(
  ctx: OperationContext,
  name: string,
  args: Record<string, string>,
): Promise<GetPromptResult> {
  const prompt = findPrompt(name);
  if (prompt === undefined) throw invalid(`Unknown prompt: ${name}`);
  const missing = prompt.arguments.find((argument) => argument.required && !args[argument.name]?.trim());
  if (missing !== undefined) throw invalid(`Missing argument: ${missing.name}`);
  const text = await prompt.text(ctx, args).catch((error: unknown) => {
    throw error instanceof KairosError ? invalid(`${error.code}: ${error.message}`) : error;
  });
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
