import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { MAX_MESSAGE_DEPTH } from '../../../src/base/json.ts';
import { readBody } from '../../../src/mcp/http/body.ts';
import { readMessage } from '../../../src/mcp/server/read-message.ts';

function request(text: string): IncomingMessage {
  return Object.assign(Readable.from([Buffer.from(text)]), { headers: {} }) as unknown as IncomingMessage;
}

/** A call whose arguments nest so deep that the whole message has this many levels. */
function nested(levels: number): string {
  const inside = levels - 2;
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${'['.repeat(inside)}${']'.repeat(inside)}}}`;
}

describe('a deeply nested message', () => {
  test('is read up to the limit', async () => {
    expect(await readBody(request(nested(MAX_MESSAGE_DEPTH)))).toMatchObject({ ok: true });
    expect(readMessage(nested(MAX_MESSAGE_DEPTH))).toHaveProperty('message');
  });

  test.each([MAX_MESSAGE_DEPTH + 1, 50_000])('is refused by name with %d levels', async (levels) => {
    expect(await readBody(request(nested(levels)))).toEqual({ ok: false, reason: 'too-deep' });
    expect(readMessage(nested(levels))).toMatchObject({
      refusal: {
        error: { code: -32600, message: `a message nests at most ${MAX_MESSAGE_DEPTH} levels deep` },
      },
    });
  });
});
