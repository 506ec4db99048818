import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readParameters } from '../../../src/mcp/server/read-arguments.ts';
import { readMessage } from '../../../src/mcp/server/read-message.ts';
import { runs } from '../../support/thorough.ts';

describe('readMessage', () => {
  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kairos_propose","arguments":{"proposal":{"a":{"b":1},"b":1}}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kairos_propose","arguments":{"proposal":"{\\"a\\":1,\\"a\\":2}"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kairos_search","arguments":{"query":"a","query":"b"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}',
  ])('lets %s in', (line) => {
    expect(readMessage(line)).toEqual({ message: JSON.parse(line) });
  });

  it.each<[string, string | number | null, number, RegExp]>([
    ['{', null, -32700, /not JSON/],
    ['3', null, -32600, /a JSON object/],
    ['[]', null, -32600, /batches are part of revision 2025-03-26 alone/],
    ['{"id":4,"method":"ping"}', 4, -32600, /jsonrpc/],
    ['{"jsonrpc":"2.0","id":4,"method":5}', 4, -32600, /method must be/],
    ['{"jsonrpc":"2.0","id":4,"method":"ping","extra":1}', 4, -32600, /has no "extra"/],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600, /id must be/],
    ['{"jsonrpc":"2.0","id":"x","method":"ping","params":[]}', 'x', -32600, /params must be/],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":1}}', 7, -32600, /_meta/],
    ['{"jsonrpc":"2.0","id":7}', 7, -32600, /has a method/],
    ['{"jsonrpc":"2.0","id":1e300,"method":"ping"}', null, -32600, /id must be/],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null, -32600, /id must be/],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":1.5}}}', 7, -32600, /_meta/],
    [
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":null}}}',
      7,
      -32600,
      /_meta/,
    ],
    [
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}',
      7,
      -32022,
      /protocol version/i,
    ],
    ['{"jsonrpc":"1.0","id":7,"result":{}}', 7, -32600, /jsonrpc/],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"kairos_pr\\u006fpose","arguments":{"proposal":{"a":1,"a":2}}}}',
      7,
      -32600,
      /a key occurs twice/,
    ],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","name":"kairos_propose","arguments":{}}}',
      7,
      -32600,
      /a key occurs twice/,
    ],
  ])('answers %s', (line, id, code, message) => {
    expect(readMessage(line)).toEqual({
      refusal: {
        jsonrpc: '2.0',
        id,
        error: expect.objectContaining({ code, message: expect.stringMatching(message) }),
      },
    });
  });

  it('refuses nothing that the protocol has', () => {
    const json = fc.jsonValue();
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null)),
        method: fc.oneof(fc.string(), json),
        params: fc.oneof(fc.dictionary(fc.string(), json), json),
        result: fc.oneof(fc.dictionary(fc.string(), json), json),
        error: fc.record({ code: fc.integer(), message: fc.string() }),
      },
      { requiredKeys: ['jsonrpc'] },
    );
    fc.assert(
      fc.property(message, (value) => {
        const line = JSON.stringify(value);
        const message = JSON.parse(line);
        if (JSONRPCMessageSchema.safeParse(message).success)
          expect(readMessage(line)).toEqual({ message: readParameters(message) });
      }),
      { numRuns: runs(1000) },
    );
  });
});
