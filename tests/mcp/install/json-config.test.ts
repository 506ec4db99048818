import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { editJson } from '../../../src/mcp/install/json-config.ts';

const ENTRY = { command: 'kairos', args: ['serve', '--space', 'team'] };
const edit = (text: string, entry: Record<string, unknown> | null = ENTRY) =>
  editJson(text, ['mcpServers', 'kairos'], entry, 'config.json');

describe('a JSON configuration', () => {
  it('keeps comments, order, unknown keys and its indentation', () => {
    const before = `{
    // my servers
    "mcpServers": {
        "other": { "command": "x" }, // keep
    },
    "theme": "dark" /* mine */
}
`;
    const after = edit(before);
    expect(after).toBe(`{
    // my servers
    "mcpServers": {
        "kairos": {
            "command": "kairos",
            "args": [
                "serve",
                "--space",
                "team"
            ]
        },
        "other": { "command": "x" }, // keep
    },
    "theme": "dark" /* mine */
}
`);
    expect(edit(after, null)).toBe(before);
  });

  it.each(['', '  \n', '{}', '{"mcpServers":{}}', '{"mcpServers":{"kairos":{"command":"old"}}}', '\ufeff{}'])(
    'gets the server: %j',
    (text) => {
      const after = edit(text);
      expect(parse(after.replace(/^\ufeff/, ''))).toEqual({ mcpServers: { kairos: ENTRY } });
      expect(after.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'));
    },
  );

  it.each([
    ['{"mcpServers": ', /in line 1/],
    ['{\n "a": 1\n "b": 2 }', /in line 3/],
    ['[]', /not a JSON object/],
    ['{"mcpServers": []}', /not an object/],
  ])('is left alone when it cannot be read: %j', (text, reason) => {
    expect(() => edit(text)).toThrow(reason);
  });

  it('takes the server out without breaking a comment before it', () => {
    expect(edit('{"mcpServers": { // c\n "kairos": {}, "b": 2}}', null)).toBe(
      '{"mcpServers": { // c\n  "b": 2}}',
    );
    expect(parse(edit('{"mcpServers": {"a": 1, "kairos": {}}}', null))).toEqual({ mcpServers: { a: 1 } });
  });

  it('changes in nothing but the server, is the same when done twice, and as before when taken out', () => {
    const key = fc
      .string({ minLength: 1, maxLength: 8 })
      .filter((name) => name !== '__proto__' && name !== 'mcpServers');
    const document = fc.record(
      {
        mcpServers: fc.dictionary(
          key.filter((name) => name !== 'kairos'),
          fc.jsonValue({ maxDepth: 2 }),
        ),
      },
      { requiredKeys: [] },
    );
    const others = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(document, others, fc.constantFrom(undefined, 2, '\t'), (servers, rest, indent) => {
        const before = JSON.stringify({ ...rest, ...servers }, null, indent);
        const value = JSON.parse(before);
        const after = edit(before);
        expect(JSON.parse(after)).toEqual({ ...value, mcpServers: { ...value.mcpServers, kairos: ENTRY } });
        expect(edit(after)).toBe(after);
        const removed = JSON.parse(edit(after, null));
        expect(removed).toEqual({ ...value, mcpServers: value.mcpServers ?? {} });
        expect(edit(before, null)).toBe(before);
      }),
      { numRuns: 200 },
    );
  });
});
