import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { format as prettier } from 'prettier';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
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
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), json, { maxKeys: 4 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

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
