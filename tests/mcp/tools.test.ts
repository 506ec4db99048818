import { describe, expect, it } from 'vitest';
import { instructions } from '../../src/mcp/server/create-server.ts';
import { listing, toolsFor } from '../../src/mcp/tools/index.ts';

const tools = toolsFor({ readOnly: false });
const listed = tools.map((tool) => listing(tool, { execute: false }));

describe('the tools', () => {
  it('are listed exactly so', () => {
    expect({ tools: listed }).toMatchSnapshot();
  });

  it('are at most ten', () => {
    expect(listed.length).toBeLessThanOrEqual(10);
  });

  it.each(listed)('$name has a short description and every hint', (tool) => {
    expect(Buffer.byteLength(tool.description!)).toBeGreaterThan(30);
    expect(Buffer.byteLength(tool.description!)).toBeLessThanOrEqual(200);
    expect(Object.keys(tool.annotations!).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
  });

  it('act outside of the store only where the server runs commands', () => {
    const open = (execute: boolean) =>
      tools.map((tool) => listing(tool, { execute })).filter((tool) => tool.annotations?.openWorldHint);
    expect(open(false)).toEqual([]);
    expect(open(true).map(({ name }) => name)).toEqual(['kairos_next']);
  });

  it('of a read-only server leave protocols unchanged', () => {
    expect(toolsFor({ readOnly: true }).map(({ name }) => name)).toEqual([
      'kairos_search',
      'kairos_begin',
      'kairos_next',
      'kairos_attest',
      'kairos_propose',
      'kairos_dump',
      'kairos_spaces',
    ]);
  });
});

describe('the instructions', () => {
  it.each([
    { readOnly: false, execute: false },
    { readOnly: true, execute: true },
  ])('carry the order of calls in at most 2 KB (%o)', (options) => {
    const text = instructions(options);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
    expect(text).toContain('several phrasings (a | b | c)');
    const places = ['kairos_search', 'kairos_begin', 'kairos_next', 'kairos_attest'].map((name) =>
      text.indexOf(name),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });
});
