import { describe, expect, it } from 'vitest';
import { digest, toContent } from '../../src/protocol/identity.ts';
import { inputFault, nameFault, referencesIn, withReferences } from '../../src/protocol/inputs.ts';
import { withLazyModules } from '../../src/protocol/late.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { renderChain } from '../../src/protocol/render.ts';

const document = (inputs: string, body = 'Drain {{HOST}}.') =>
  `---\nslug: drain\ninputs:\n${inputs}\n---\n# Drain\n\n## Drain\n\n${body}\n`;

const errors = async (source: string) =>
  (await parseProtocol(source)).messages.map(({ code, args }) => `${code} ${args.issue ?? args.name}`);

describe('inputs', () => {
  it('are read in their order, with defaults as the text that a command gets', async () => {
    const source = document(
      "  HOST: { description: Load balancer, pattern: '[a-z0-9.-]+' }\n  RETRIES: { type: number, default: 3 }\n  FORCE: { type: boolean, default: false }\n  ZONE: { choices: [eu, us] }\n  TOKEN: { secret: true }\n  NOTE:",
    );
    const { document: read, messages } = await parseProtocol(source);
    expect(messages).toEqual([]);
    expect(Object.entries(read.chains[0]!.inputs)).toEqual([
      ['HOST', { description: 'Load balancer', pattern: '[a-z0-9.-]+' }],
      ['RETRIES', { type: 'number', default: '3' }],
      ['FORCE', { type: 'boolean', default: 'false' }],
      ['ZONE', { choices: ['eu', 'us'] }],
      ['TOKEN', { secret: true }],
      ['NOTE', {}],
    ]);
    const content = toContent(read.chains[0]!);
    const again = await parseProtocol(renderChain(content));
    expect(again.messages).toEqual([]);
    expect(digest(toContent(again.document.chains[0]!))).toBe(digest(content));
  });

  it('do not change the content of a protocol without inputs', async () => {
    const { document: read } = await parseProtocol('# A\n\n## B\n\nText.\n');
    expect(Object.keys(toContent(read.chains[0]!))).not.toContain('inputs');
  });

  it.each([
    ['  host: {}', 'name-form'],
    ['  PATH: {}', 'name-reserved'],
    ['  KAIROS_X: {}', 'name-reserved'],
    ['  LD_PRELOAD: {}', 'name-reserved'],
    ['  LC_ALL: {}', 'name-reserved'],
    ['  NODE_OPTIONS: {}', 'name-reserved'],
    ['  HOST: text', 'input-type'],
    ['  HOST: { patern: a }', 'unknown-key'],
    ['  HOST: { pattern: "(" }', 'pattern'],
    ['  HOST: { pattern: a, choices: [b] }', 'several-limits'],
    ['  HOST: { choices: [] }', 'choices-type'],
    ['  HOST: { type: date }', 'type-type'],
    ['  HOST: { default: [a] }', 'default-type'],
    ['  HOST: { choices: [a], default: b }', 'default-fits-not'],
    ['  HOST: { type: number, default: three }', 'default-fits-not'],
    ['  HOST: { secret: true, default: x }', 'secret-default'],
  ])('are refused: %s', async (inputs, issue) => {
    expect(await errors(document(inputs, 'Do it.'))).toEqual([`frontmatter-bad-inputs ${issue}`]);
  });

  it('are rejected unless they are a mapping', async () => {
    expect(await errors('---\ninputs: [HOST]\n---\n# A\n\n## B\n\nText.\n')).toEqual([
      'frontmatter-bad-inputs inputs-type',
    ]);
  });

  it.each(['BACKUP_PATH', 'GIT_TAG', 'PYTHON_VERSION', 'X', 'A'.repeat(64)])('may be named %s', (name) => {
    expect(nameFault(name)).toBeNull();
  });

  it('are checked by their definition, patterns on the whole value', async () => {
    const fault = (definition: object, value: string) => withLazyModules(() => inputFault(definition, value));
    expect(await fault({ pattern: '[a-z]+' }, 'abc')).toBeNull();
    expect(await fault({ pattern: '[a-z]+' }, 'abc;')).toBe('pattern');
    expect(await fault({ pattern: '[a-z]+' }, 'abc\n')).toBe('pattern');
    expect(await fault({ type: 'number' }, '1.5e3')).toBeNull();
    expect(await fault({ type: 'number' }, '0x10')).toBe('number');
    expect(await fault({ type: 'boolean' }, 'yes')).toBe('boolean');
    expect(await fault({ choices: ['a'] }, 'b')).toBe('choices');
    expect(await fault({}, 'a\0')).toBe('nul');
  });
});

describe('references', () => {
  it('are names in double braces, but not those of other tools', () => {
    expect(referencesIn('{{HOST}} {{ ZONE }} {{host}} {{.Name}} ${{ SECRET }} {{A-B}}')).toEqual([
      'HOST',
      'ZONE',
    ]);
    expect(withReferences('{{HOST}}: {{OTHER}} {{ HOST }}', { HOST: '{{OTHER}} $&' })).toBe(
      '{{OTHER}} $&: {{OTHER}} {{OTHER}} $&',
    );
  });

  const capture = (extra: object, from: string) =>
    `\`\`\`json\n${JSON.stringify({
      proof_of_work: { type: 'shell', shell: { cmd: 'git describe' } },
      captures: [{ name: 'TAG', from, ...extra }],
    })}\n\`\`\``;

  it.each([
    ['an unknown name', 'Drain {{HOTS}}.', ['reference-unknown HOTS']],
    ['a name in a command', 'Do.\n\n```sh proof\ndrain {{HOST}}\n```', ['reference-in-command HOST']],
    ['an input', 'Drain {{HOST}}.\n\n```sh proof\ndrain "$HOST"\n```', []],
    ['a capture in its own step', `See {{TAG}}.\n\n${capture({}, 'stdout')}`, ['reference-unknown TAG']],
    ['a capture in a later step', `See.\n\n${capture({}, 'stdout')}\n\n## Next\n\nSee {{TAG}}.`, []],
    ['a capture from nothing', `See.\n\n${capture({}, 'result')}`, ['capture-unusable capture-from']],
    [
      'a capture with the name of an input',
      `See.\n\n${capture({ name: 'HOST' }, 'stdout')}`,
      ['capture-unusable name-taken'],
    ],
    [
      'a capture with two places',
      `See.\n\n${capture({ pattern: 'a', json_pointer: '/a' }, 'stdout')}`,
      ['capture-unusable capture-both'],
    ],
    [
      'a capture with a bad pattern',
      `See.\n\n${capture({ pattern: '(' }, 'stdout')}`,
      ['block-bad-pattern undefined'],
    ],
  ])('and %s', async (_, body, expected) => {
    expect(await errors(document('  HOST: {}', body))).toEqual(expected);
  });

  it('of documents without inputs and captures are text', async () => {
    expect(await errors('# A\n\n## B\n\nWrite {{NAME}}.\n')).toEqual([]);
  });
});

describe('references outside of step bodies', () => {
  const HOST = '  HOST: { description: Host }';
  const proof = (mcp: object) =>
    `\`\`\`json\n${JSON.stringify({ proof_of_work: { type: 'mcp', mcp } })}\n\`\`\``;

  it.each([
    ['a step title', '# Drain\n\n## Drain {{NOPE}}\n\nDo {{HOST}}.\n'],
    ['the title', '# Drain {{NOPE}}\n\n## Drain\n\nDo {{HOST}}.\n'],
    ['the description', '# Drain\n\nAbout {{NOPE}}.\n\n## Drain\n\nDo {{HOST}}.\n'],
    ['the completion rule', '# Drain\n\n## Drain\n\nDo {{HOST}}.\n\n## Completion Rule\n\nOnce {{NOPE}}.\n'],
  ])('to an unknown name are errors in %s', async (_where, text) => {
    const source = `---\nslug: drain\ninputs:\n${HOST}\n---\n${text}`;
    expect(await errors(source)).toEqual(['reference-unknown NOPE']);
    expect(await errors(source.replaceAll('NOPE', 'HOST'))).toEqual([]);
  });

  it.each([
    ['the name of a tool', { tool_name: 'drain_{{HOST}}' }],
    ['the key of an argument', { tool_name: 'drain', arguments: { '{{HOST}}': 1 } }],
  ])('are errors in %s, which is exact', async (_where, mcp) => {
    expect(await errors(document(HOST, proof(mcp)))).toEqual(['reference-in-command HOST']);
  });
});
