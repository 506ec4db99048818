import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import { authorProtocolPrompt } from './author-protocol.ts';
import type { Prompt } from './prompt.ts';
import { startProtocolPrompt } from './start-protocol.ts';

/** Every prompt. A new one is a new file and a line here. */
const PROMPTS: readonly Prompt[] = [startProtocolPrompt, authorProtocolPrompt];

/** Writing a protocol has no use where none can be stored. */
function offered({ readOnly }: Pick<OperationContext, 'readOnly'>): readonly Prompt[] {
  return readOnly ? PROMPTS.filter((prompt) => prompt !== authorProtocolPrompt) : PROMPTS;
}

export function findPrompt(ctx: Pick<OperationContext, 'readOnly'>, name: string): Prompt | undefined {
  return offered(ctx).find((prompt) => prompt.name === name);
}

/** `prompts/list`. */
export function listPrompts(ctx: Pick<OperationContext, 'readOnly'>): ListPromptsResult {
  return {
    prompts: offered(ctx).map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: args,
    })),
  };
}

/** `prompts/get`. Missing arguments and unknown names are errors of the call. */
export async function getPrompt(
  ctx: OperationContext,
  name: string,
  args: Record<string, string>,
): Promise<GetPromptResult> {
  const prompt = findPrompt(ctx, name);
  if (prompt === undefined) throw invalid(`Unknown prompt: ${name}`);
  const missing = prompt.arguments.find((argument) => argument.required && !args[argument.name]?.trim());
  if (missing !== undefined) throw invalid(`Missing argument: ${missing.name}`);
  const text = await prompt.text(ctx, args).catch((error: unknown) => {
    throw error instanceof KairosError
      ? invalid([`${error.code}: ${error.message}`, error.hint].filter(Boolean).join('\n'))
      : error;
  });
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
