import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { readArguments } from '../../../src/mcp/server/read-arguments.ts';
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

  it('keeps required and unknown arguments, so that they are refused by name', () => {
    expect(read('kairos_next', { uri: '', foo: null })).toEqual({ uri: '', foo: null });
    expect(read('kairos_next', null)).toEqual({});
  });
});
