import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { format as prettier } from 'prettier';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { prettify } from '../../../src/lint/rewrite/block-edit.ts';
import { formatSource } from '../../../src/lint/rewrite/format-source.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';
import { runs } from '../../support/thorough.ts';

const fmt = async (source: string) => formatSource(await parseProtocol(source));
const pretty = (source: string) => prettier(source, { parser: 'markdown' });

const FOLDER = new URL('../../../protocols/', import.meta.url);
const SHIPPED = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')] as const);

describe('fmt and Prettier', () => {
  it.each(SHIPPED)('agree on the step blocks and frontmatter of %s', async (_, source) => {
    expect(await fmt(source)).toBe(source);
    const other = await pretty(source);
    expect(await fmt(other)).toBe(other);
  });

  it('agree on generated protocols', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (source) => {
        const once = await fmt(source);
        expect(await fmt(once)).toBe(once);
        const both = await fmt(await pretty(source));
        expect(await pretty(both)).toBe(both);
        expect(await fmt(both)).toBe(both);
      }),
      { numRuns: runs(200) },
    );
  }, 240_000);

  it('agree on every JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, async (argument) => {
        const block = { proof_of_work: { type: 'mcp', mcp: { tool_name: 'tool', arguments: { argument } } } };
        const source = `# Title\n\n## Step\n\n\`\`\`json\n${broken(block, '')}\n\`\`\`\n`;
        expect(await fmt(source)).toBe(await pretty(source));
      }),
      { numRuns: runs(300) },
    );
  }, 240_000);

  it('lay out each text once', async () => {
    const text = 'once: { a: 1 }';
    expect(prettify(text, 'yaml')).toBe(prettify(text, 'yaml'));
    expect(await prettify(text, 'yaml')).toBe('once: { a: 1 }');
    expect(await prettify(text, 'json')).toBe(text);
  });

  it.each(['1E+05', '-0.50', '1.00', '1e0', '2.50E-010', '1234567.8900'])(
    'agree on the number %s',
    async (number) => {
      const block = `{\n  "proof_of_work": {\n    "type": "mcp",\n    "mcp": {\n      "tool_name": "tool",\n      "arguments": {\n        "a": ${number}\n      }\n    }\n  }\n}`;
      const source = `# Title\n\n## Step\n\n\`\`\`json\n${block}\n\`\`\`\n`;
      expect(await fmt(source)).toBe(await pretty(source));
    },
  );
});

const word = fc.constantFrom(
  'npm',
  'test',
  'it’s',
  '"quoted"',
  'a: b',
  '# no comment',
  '{{x}}',
  '東京',
  '--flag=1',
  '\\d+',
  "it's",
);
const text = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(' '));
const names = fc.uniqueArray(fc.stringMatching(/^[A-Z][A-Z_]{0,12}$/), { maxLength: 9 });
const key = fc.stringMatching(/^[a-z]{1,8}$/);
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value;
const object = fc.dictionary(key, json, { maxKeys: 4 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** JSON in which what is wide, and what isn't ASCII, decides the layout. */
const wide = fc.oneof(
  text,
  fc.string({ maxLength: 90 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('a'.repeat(36), 'a'.repeat(76), '👍🏽', '東京'.repeat(9)),
);
const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    wide,
    fc.integer().map((number) => number / 1000),
    fc.constantFrom(null, true, 0),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.integer(), { maxLength: 40 }),
    fc.dictionary(fc.oneof(key, wide), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** JSON with a line for each value: Prettier keeps an object's lines. */
function broken(value: unknown, margin: string): string {
  const inner = `${margin}  `;
  const lines = (each: string[], open: string, close: string) =>
    each.length === 0
      ? open + close
      : `${open}\n${each.map((line) => inner + line).join(',\n')}\n${margin}${close}`;
  if (Array.isArray(value))
    return lines(
      value.map((item) => broken(item, inner)),
      '[',
      ']',
    );
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return lines(
    Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${broken(item, inner)}`),
    '{',
    '}',
  );
}

const proof = fc.oneof(
  fc.record({
    shell: fc.record({ timeout_seconds: fc.integer({ min: 1, max: 900 }), cmd: text, env: optional(names) }),
    type: fc.constant('shell'),
  }),
  fc.record({
    required: fc.boolean(),
    type: fc.constant('comment'),
    comment: fc.record({ min_length: fc.integer({ min: 1, max: 90 }) }),
  }),
  fc.record({
    user_input: fc.record({
      choices: optional(fc.uniqueArray(text, { minLength: 1, maxLength: 4 })),
      prompt: text,
    }),
    type: fc.constant('user_input'),
  }),
  fc.record({
    mcp: fc.record({ arguments: object, tool_name: fc.constant('tool') }),
    type: fc.constant('mcp'),
  }),
);
const block = fc.record({
  outputs: optional(
    fc.array(fc.record({ exists: fc.boolean(), path: fc.constant('a.txt') }), { minLength: 1, maxLength: 2 }),
  ),
  proof_of_work: proof,
});

/** A block as people write it: in either language, laid out in one of many ways, with blank lines and comments. */
const written = fc
  .tuple(
    block,
    fc.constantFrom('json', 'json-wide', 'json-flat', 'yaml', 'yaml-flow', 'yaml-loose'),
    fc.nat(9),
  )
  .map(([value, how, at]) => {
    const plain = JSON.parse(JSON.stringify(value));
    if (how.startsWith('json')) {
      const indent = how === 'json-flat' ? 0 : how === 'json-wide' ? 4 : 2;
      return `\`\`\`json\n${JSON.stringify(plain, null, indent)}\n\`\`\``;
    }
    const yaml = stringify(plain, {
      lineWidth: 0,
      indent: how === 'yaml-loose' ? 4 : 2,
      collectionStyle: how === 'yaml-flow' ? 'flow' : 'any',
    });
    const lines = yaml.trimEnd().split('\n');
    const isWhole = lines.every((line) => !/[|>][-+]?$/.test(line));
    if (how === 'yaml-loose' && isWhole) lines.splice(Math.min(at, lines.length), 0, '', '# a comment');
    return `\`\`\`yaml\n${lines.join('\n')}\n\`\`\``;
  });

const document = fc
  .tuple(
    fc.constantFrom('', '---\nversion: 1.0.0\n\nslug:   a-slug\ntags: [ a,b ]\n---\n'),
    fc.array(written, { minLength: 1, maxLength: 3 }),
  )
  .map(
    ([head, blocks]) =>
      `${head}# Title\n\n${blocks.map((each, at) => `## Step ${at}\n\nDo it.\n\n${each}`).join('\n\n')}\n`,
  );
