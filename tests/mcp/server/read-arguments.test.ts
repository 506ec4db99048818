import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { readArguments, readParameters } from '../../../src/mcp/server/read-arguments.ts';
import { toolsFor } from '../../../src/mcp/tools/index.ts';

const read = (name: string, args: unknown) =>
  readArguments(toolsFor({ readOnly: false }).find((tool) => tool.name === name)!.input, args);
const URI = 'kairos://mem/00000000-0000-4000-8000-000000000001';

describe('readArguments', () => {
  it.each(toolsFor({ readOnly: false }))('drops every absent argument of $name', ({ name, input }) => {
    const { shape } = input._zod.def as unknown as { shape: Record<string, z.ZodMiniType> };
    const required = Object.keys(shape).filter((key) => !z.safeParse(shape[key]!, undefined).success);
    for (const absent of [null, '', {}]) {
      const args = Object.fromEntries(Object.keys(shape).map((key) => [key, absent]));
      // A required one is then missing, which the error reports.
      expect(Object.keys(read(name, args)).sort()).toEqual(absent === null ? [] : required.sort());
    }
  });

  it('keeps one of two alternatives when the other one is empty', () => {
    expect(read('kairos_begin', { uri: URI, key: '' })).toEqual({ uri: URI });
    expect(read('kairos_search', { query: 'x', limit: null, space: null })).toEqual({ query: 'x' });
    expect(
      read('kairos_update', { uris: [URI], markdown_doc: null, updates: { label: null, text: 'x' } }),
    ).toEqual({ uris: [URI], updates: { text: 'x' } });
  });

  it('reads JSON text where an object or a list is meant', () => {
    const solution = { type: 'shell', nonce: 'a', proof_hash: 'b', shell: { exit_code: 0, stdout: '' } };
    expect(read('kairos_next', { uri: URI, solution: JSON.stringify(solution) })).toEqual({
      uri: URI,
      solution,
    });
    expect(read('kairos_delete', { uris: JSON.stringify([URI]) })).toEqual({ uris: [URI] });
    expect(read('kairos_begin', { uri: URI, inputs: '{"HOST": "lb1"}', resume: 'true' })).toEqual({
      uri: URI,
      inputs: { HOST: 'lb1' },
      resume: true,
    });
    expect(read('kairos_search', { query: 'x', limit: '5' })).toEqual({ query: 'x', limit: 5 });
  });

  it('keeps what a command printed, what a tool returned, and the text of a proposal', () => {
    const solution = { type: 'mcp', mcp: { tool_name: 't', result: null, success: true }, shell: null };
    expect(read('kairos_next', { uri: URI, solution })).toEqual({
      uri: URI,
      solution: { type: 'mcp', mcp: { tool_name: 't', result: null, success: true } },
    });
    const proposal = '{"preconditions": [{"value": null}], "value": 1, "value": 2}';
    expect(read('kairos_propose', { uri: URI, proposal })).toEqual({ uri: URI, proposal });
  });

  it.each<[string, string, unknown, unknown]>([
    ['kairos_begin', 'other spellings of names', { URI }, { uri: URI }],
    ['kairos_mint', 'other spellings of names', { markdownDoc: '# A' }, { markdown_doc: '# A' }],
    ['kairos_delete', 'one for a list of one', { uri: URI }, { uris: [URI] }],
    [
      'kairos_update',
      'a text for a list',
      { uris: URI, markdown_doc: 'x' },
      { uris: [URI], markdown_doc: ['x'] },
    ],
    ['kairos_search', 'phrasings in a list', { query: ['a b', 'c'] }, { query: 'a b | c' }],
    ['kairos_search', 'the only unknown for the only missing one', { q: 'tea' }, { query: 'tea' }],
    [
      'kairos_mint',
      'the only unknown for the only missing one',
      { markdown: '# A' },
      { markdown_doc: '# A' },
    ],
    ['kairos_mint', 'a list of one', { markdown_doc: ['# A'] }, { markdown_doc: '# A' }],
    [
      'kairos_mint',
      'a fence around a document',
      { markdown_doc: '```markdown\n# A\n\n```sh\nx\n```\n```\n' },
      { markdown_doc: '# A\n\n```sh\nx\n```\n' },
    ],
    ['kairos_dump', 'a URI with words around it', { uri: `call kairos_begin with <${URI}>.` }, { uri: URI }],
    ['kairos_dump', 'a bare id', { uri: URI.slice(13) }, { uri: URI }],
    [
      'kairos_next',
      'the id of a run with words around it',
      { uri: URI, run_id: `; run_id ${URI.slice(13)}` },
      { uri: URI, run_id: URI.slice(13) },
    ],
    [
      'kairos_next',
      'the parts of a solution',
      { uri: URI, type: 'shell', nonce: 'a', shell: { exit_code: 0 } },
      { uri: URI, solution: { type: 'shell', nonce: 'a', shell: { exit_code: 0 } } },
    ],
    [
      'kairos_begin',
      'inputs next to the URI',
      { uri: URI, HOST: 'lb1', PORT_2: 1 },
      { uri: URI, inputs: { HOST: 'lb1', PORT_2: 1 } },
    ],
  ])('of %s reads %s', (name, _, args, expected) => {
    expect(read(name, args)).toEqual(expected);
  });

  it.each<[string, string, unknown]>([
    [
      'kairos_dump',
      'two URIs in a text',
      { uri: `${URI} or kairos://mem/00000000-0000-4000-8000-000000000002` },
    ],
    ['kairos_search', 'two unknown names', { q: 'tea', text: 'tea' }],
    ['kairos_search', 'an unknown name where nothing is missing', { query: 'tea', q: 'tea' }],
    ['kairos_attest', 'a value of another type', { uri: URI, outcome: 'failure', text: 5 }],
    ['kairos_begin', 'a second spelling of an argument', { uri: URI, Uri: 'x' }],
    ['kairos_mint', 'a document with a fence at its end', { markdown_doc: '# A\n\n```\nx\n```' }],
    ['kairos_mint', 'a fence that closes early', { markdown_doc: '```\nx\n```\n# A' }],
  ])('of %s guesses nothing from %s', (name, _, args) => {
    expect(read(name, args)).toEqual(args);
  });

  it('keeps required and unknown arguments, so that they are refused by name', () => {
    expect(read('kairos_next', { uri: '', foo: null })).toEqual({ uri: '', foo: null });
    expect(read('kairos_next', null)).toEqual({});
  });
});

describe('readParameters', () => {
  const call = (params: unknown, method = 'tools/call') => ({ jsonrpc: '2.0', id: 1, method, params });

  it('drops parameters that are null, and reads arguments that are JSON text', () => {
    const read = call({ name: 'kairos_search', arguments: { query: 'x' } });
    expect(readParameters(call({ name: 'kairos_search', arguments: '{"query": "x"}', _meta: null }))).toEqual(
      read,
    );
    expect(readParameters(call({ name: 'kairos_spaces', arguments: null }))).toEqual(
      call({ name: 'kairos_spaces' }),
    );
    expect(readParameters([call({ cursor: null }, 'tools/list')])).toEqual([call({}, 'tools/list')]);
    expect(readParameters(call(null, 'tools/list'))).toEqual({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  });

  it('leaves responses, nulls inside arguments and the text of a proposal', () => {
    const kept = [
      { jsonrpc: '2.0', id: 1, result: { a: null }, params: null },
      call({ name: 'kairos_next', arguments: { uri: null } }),
      call({ name: 'kairos_propose', arguments: '{"proposal": {"a": 1, "a": 2}}' }),
      call({ name: 'kairos_search', arguments: 'query' }),
      ['x', null, []],
    ];
    for (const message of kept) expect(readParameters(message)).toEqual(message);
  });
});
