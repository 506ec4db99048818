import * as fc from 'fast-check';
import { stringify } from 'yaml';

const word = fc.constantFrom(
  'build',
  'a "b"',
  'naïve',
  '端末',
  '\u202e',
  'x: y',
  '# no',
  "it's",
  '1.0',
  'true',
  '\\n',
  'a\nb',
);
const optional = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const json = fc.jsonValue({ maxDepth: 2, noUnicodeString: true });
const args = fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,4}$/), json, { maxKeys: 3 });

const shell = fc.record(
  {
    cmd: word,
    timeout_seconds: fc.integer({ min: 1, max: 86_400 }),
    workdir: word,
    env: fc.array(fc.constantFrom('HOME', 'CI'), { maxLength: 2 }),
    expect_exit_code: fc.integer({ min: 0, max: 255 }),
    interactive: fc.boolean(),
  },
  { requiredKeys: ['cmd'] },
);
const mcp = fc.record(
  { tool_name: word, server: word, arguments: args, expected_result: json, result_schema: args },
  { requiredKeys: ['tool_name'] },
);
const userInput = fc.record(
  { prompt: word, choices: fc.array(word, { minLength: 1, maxLength: 3 }) },
  { requiredKeys: ['prompt'] },
);
const comment = fc.record({ min_length: fc.integer({ min: 1, max: 65_536 }) }, { requiredKeys: [] });

const common = {
  required: optional(fc.boolean()),
  assurance: optional(fc.constantFrom('claimed', 'client', 'observed')),
};
const proofOf = (type: string, body: fc.Arbitrary<unknown>) =>
  fc.record({ type: optional(fc.constant(type)), [type]: body, ...common });
const flat = fc.record({ cmd: word, timeout_seconds: optional(fc.integer({ min: 1, max: 100 })), ...common });
const proof = fc.oneof(
  proofOf('shell', shell),
  proofOf('mcp', mcp),
  proofOf('user_input', userInput),
  proofOf('comment', comment),
  flat,
);
const outputs = fc.array(
  fc.record({ path: word, exists: fc.boolean(), equals: json }, { requiredKeys: ['path'] }),
  { minLength: 1, maxLength: 2 },
);

/** Step blocks as people write them: today's and older spellings, keys in any order. */
export const block: fc.Arbitrary<unknown> = fc
  .tuple(fc.constantFrom('proof_of_work', 'challenge'), proof, optional(outputs))
  .chain(([key, demand, files]) => shuffled({ [key]: demand, outputs: files }));

/** The same value with the keys of every object in another order, and without what is undefined. */
function shuffled(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.tuple(...value.map(shuffled)).map((items) => [...items]);
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return fc
    .tuple(
      fc.shuffledSubarray(entries, { minLength: entries.length }),
      fc.tuple(...entries.map(([, item]) => shuffled(item))),
    )
    .map(([order, items]) =>
      Object.fromEntries(order.map(([key]) => [key, items[entries.findIndex(([name]) => name === key)]])),
    );
}

/** JSON with what does not change it: white space, escapes. */
const asJson = (value: unknown) =>
  fc.tuple(fc.constantFrom(undefined, 1, 4, '\t'), fc.boolean()).map(([space, escaped]) => {
    const text = JSON.stringify(value, null, space).replace('\u202e', '\\u202e');
    return escaped
      ? text.replace(/[^\x00-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text;
  });
const asYaml = (value: unknown) =>
  fc
    .constantFrom(2, 4)
    .map(
      (indent) => `# what shows it\n${stringify(value, { indent, aliasDuplicateObjects: false }).trimEnd()}`,
    );

const fence = fc.constantFrom('```', '````', '~~~', '~~~~~');
const margin = fc.constantFrom('', ' ', '   ');

const fenced = block.chain((value) =>
  fc
    .constantFrom('json', 'yaml')
    .chain((language) =>
      fc
        .tuple(language === 'json' ? asJson(value) : asYaml(value), fence, margin)
        .map(([text, marker, space]) =>
          [`${marker}${language}`, ...text.split('\n'), marker].map((line) => space + line).join('\n'),
        ),
    ),
);

const body = fc.constantFrom(
  'Do it.',
  'Do\tit  \nwith care.',
  '* one\n* two',
  '> said',
  '```sh\nls\n```',
  'A | B\n--|--\n1 | 2',
);
const step = fc
  .tuple(body, optional(fenced), optional(fc.constantFrom('Then go on.', '')))
  .map(([text, demand, after]) => [text, demand, after].filter((part) => part !== undefined).join('\n\n'));

const frontmatter = fc
  .shuffledSubarray([
    'slug: a-slug',
    'version: 1.2.3',
    '# about tags\ntags: [a, b]',
    'title: "x: y"',
    'notes: |\n  one\n\n  two',
  ])
  .map((keys) => (keys.length === 0 ? '' : `---\n${keys.join('\n')}\n---\n`));

/** Whole documents, with any line ending, with and without BOM. */
export const document = fc
  .tuple(
    frontmatter,
    fc.array(step, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom('', '\n'),
  )
  .map(([front, steps, ending, bom, end]) => {
    const text = `${front}# A title\n\n${steps.map((content, at) => `## Step ${at + 1}\n\n${content}`).join('\n\n')}${end}`;
    return bom + text.replaceAll('\n', ending);
  });
