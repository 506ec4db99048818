import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { editJson } from '../../../src/cli/commands/install/json-config.ts';
import { REMOTE_KEYS } from '../../../src/host/mcp-client/client-files.ts';
import { runs } from '../../support/thorough.ts';

const ENTRY = { command: 'kairos', args: ['serve', '--space', 'team'] };
const edit = (text: string, entry: Record<string, unknown> | null = ENTRY) =>
  editJson(text, { file: 'config.json', key: 'mcpServers', name: 'kairos', entry, once: ['tools'] });

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

  it('changes only its own values in an existing server', () => {
    const before = `{
  "mcpServers": {
    "kairos": {
      "command": "/old/kairos", // keep me
      "env": { "KAIROS_STORE": "/my/store.db" }, /* and me */
      "args": ["serve"],
      "autoApprove": ["kairos_search"], // and me
    }
  }
}
`;
    const after = before
      .replace('/old/kairos', 'kairos')
      .replace('["serve"]', '["serve", "--space", "team"]');
    expect(edit(before)).toBe(after);
    expect(edit(after)).toBe(after);
    const commented = after.replace('"serve", ', '"serve", // first\n');
    expect(edit(commented)).toBe(commented);
  });

  it.each([
    [
      '{\n "mcpServers": {\n  "kairos": {\n   // mine\n   "env": {}\n  }\n }\n}',
      '{\n "mcpServers": {\n  "kairos": {\n   "command": "kairos",\n   "args": [\n    "serve",\n    "--space",\n    "team"\n   ],\n   // mine\n   "env": {}\n  }\n }\n}',
    ],
    [
      '{\n "mcpServers": {\n  "kairos": { "args": [] }\n }\n}',
      '{\n "mcpServers": {\n  "kairos": { "command": "kairos", "args": ["serve", "--space", "team"] }\n }\n}',
    ],
    [
      '{"mcpServers":{"kairos":{"env":{}}}}',
      '{"mcpServers":{"kairos":{"command":"kairos","args":["serve","--space","team"],"env":{}}}}',
    ],
    [
      '{"mcpServers":{"kairos":{}}}',
      '{"mcpServers":{"kairos":{"command":"kairos","args":["serve","--space","team"]}}}',
    ],
  ])('adds what a server lacks, as the file is laid out: %j', (before, after) => {
    expect(edit(before)).toBe(after);
  });

  it('writes once what is the choice of the user from then on', () => {
    const entry = { command: 'kairos', tools: ['*'] };
    expect(parse(edit('', entry))).toEqual({ mcpServers: { kairos: entry } });
    const chosen = '{"mcpServers":{"kairos":{"command":"kairos","tools":["kairos_search"]}}}';
    expect(edit(chosen, entry)).toBe(chosen);
  });

  it.each([
    ['{"mcpServers": ', /in line 1/],
    ['{\n "a": 1\n "b": 2 }', /in line 3/],
    ['[]', /not a JSON object/],
    ['{"mcpServers": []}', /"mcpServers" is not an object/],
    ['{"mcpServers": {"kairos": "x"}}', /"kairos" is not an object/],
    ['{"mcpServers": {"kairos": {"url": "http://127.0.0.1:1/mcp"}}}', /a server with a "url"/],
    ['{\n"mcpServers": {},\n"mcpServers": {}}', /"mcpServers" occurs .* the lines 2 and 3/],
    ['{"mcpServers": {"kairos": {},\n"kairos": {}}}', /"kairos" occurs .* the lines 1 and 2/],
    ['{"mcpServers": {"kairos": {"args": [],\n"args": []}}}', /"args" occurs .* the lines 1 and 2/],
  ])('is left alone when it cannot be read: %j', (text, reason) => {
    expect(() => edit(text)).toThrow(reason);
  });

  it.each([2, 400, 600, 5000, 100_000])(
    'is left alone when it has more levels than are read: %d',
    (levels) => {
      const pairs = levels / 2;
      const text = `{"x": ${'[{"[": '.repeat(pairs)}/* [[ */ 1${'}]'.repeat(pairs)}}`;
      if (levels > 500) expect(() => edit(text)).toThrow(/config.json was not changed: .* nested too deeply/);
      else expect(edit(edit(text), null)).toContain(text.slice(1));
    },
  );

  it('removes the server without breaking a comment before it', () => {
    expect(edit('{"mcpServers": { // c\n "kairos": {}, "b": 2}}', null)).toBe(
      '{"mcpServers": { // c\n  "b": 2}}',
    );
    expect(parse(edit('{"mcpServers": {"a": 1, "kairos": {}}}', null))).toEqual({ mcpServers: { a: 1 } });
  });

  it('keeps all other keys of a server', () => {
    const own = fc.dictionary(
      fc.string({ maxLength: 8 }).filter((name) => !['__proto__', ...REMOTE_KEYS].includes(name)),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const ours = fc.record(
      { command: fc.string(), args: fc.array(fc.string(), { maxLength: 3 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(own, ours, fc.constantFrom(undefined, 2, '\t'), (rest, old, indent) => {
        const before = JSON.stringify({ mcpServers: { kairos: { ...rest, ...old } } }, null, indent);
        const after = edit(before);
        // As JSON has it: there is no -0 in a file that was written.
        const kept = JSON.parse(JSON.stringify(rest)) as object;
        expect(JSON.parse(after)).toEqual({ mcpServers: { kairos: { ...kept, ...ENTRY } } });
        expect(edit(after)).toBe(after);
      }),
      { numRuns: runs(200) },
    );
  });

  it('changes only the server, changes nothing the second time, and removes it without a trace', () => {
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
      { numRuns: runs(200) },
    );
  });
});
