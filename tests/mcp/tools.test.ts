import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { instructions } from '../../src/mcp/server/create-server.ts';
import { toolsFor } from '../../src/mcp/tools/index.ts';
import { listing } from '../../src/mcp/tools/listing.ts';

const tools = toolsFor({ readOnly: false });
const listed = tools.map((tool) => listing(tool, { execute: false }));
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the tools', () => {
  it('are listed exactly so', () => {
    expect({ tools: listed }).toMatchSnapshot();
  });

  it('fit into a client: at most ten, 10 KB of names, descriptions and inputs, 24 KB in all', () => {
    expect(listed.length).toBeLessThanOrEqual(10);
    expect(
      bytes(listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
    ).toBeLessThanOrEqual(10 * 1024);
    // Room is left for the tenth tool.
    expect(bytes({ tools: listed })).toBeLessThanOrEqual(24 * 1024);
  });

  it.each(listed)('$name describes what, when and what next, and gives every hint', (tool) => {
    expect(Buffer.byteLength(tool.description!)).toBeGreaterThan(180);
    expect(Buffer.byteLength(tool.description!)).toBeLessThanOrEqual(330);
    expect(tool.description).toContain('Next:');
    expect(Object.keys(tool.annotations!).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
      'title',
    ]);
    expect(tool.title).toBeTruthy();
  });

  it.each(listed)(
    '$name has object schemas without a union at the root, closed for arguments',
    ({ inputSchema, outputSchema }) => {
      expect(inputSchema).toMatchObject({ additionalProperties: false });
      // A result may have what has no single type, and so cannot be listed.
      expect(outputSchema).not.toHaveProperty('additionalProperties');
      for (const schema of [inputSchema, outputSchema] as Record<string, unknown>[]) {
        expect(schema).toMatchObject({ type: 'object' });
        for (const union of ['anyOf', 'oneOf', 'allOf', '$ref']) expect(schema).not.toHaveProperty(union);
        expect(new Ajv2020({ strict: true }).compile(schema)).toBeTypeOf('function');
      }
    },
  );

  it.each(listed)('$name has only schemas that strict clients accept', ({ inputSchema, outputSchema }) => {
    const KEYWORDS = [
      'type',
      'properties',
      'required',
      'additionalProperties',
      'items',
      'enum',
      'description',
    ];
    const check = (schema: Record<string, unknown>) => {
      expect(schema.type).toBeTypeOf('string');
      expect(Object.keys(schema).filter((key) => !KEYWORDS.includes(key))).toEqual([]);
      if (schema.items !== undefined) check(schema.items as Record<string, unknown>);
      for (const property of Object.values((schema.properties ?? {}) as object)) check(property);
    };
    check(inputSchema);
    check(outputSchema as Record<string, unknown>);
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
    const places = ['kairos_search', 'kairos_begin', 'kairos_next', 'kairos_attest'].map((name) =>
      text.indexOf(name),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });
});
