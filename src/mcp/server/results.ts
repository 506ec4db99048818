import type { CallToolResult } from '@modelcontextprotocol/server';
import { KairosError } from '../../base/errors.ts';

/** An operation's answer: the same object twice, for programs and for models. */
export function answerResult(answer: object): CallToolResult {
  const text = JSON.stringify(answer);
  // Keys that are undefined must not stand in either form.
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

/** An error that ends an operation: its code first, then what and what to do. No structured content: it has no such shape. */
export function errorResult(error: unknown): CallToolResult {
  const known =
    error instanceof KairosError
      ? error
      : new KairosError('INTERNAL', 'something went wrong in the server that should not.', {
          hint: 'Its log on standard error says more.',
        });
  const text = `${known.code}: ${known.message}${known.hint === undefined ? '' : `\n${known.hint}`}`;
  return { content: [{ type: 'text', text }], isError: true };
}
