import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExportKind, exportProtocol } from '../../src/operations/export-protocol.ts';
import { importProtocols } from '../../src/operations/import.ts';
import { chainId, digest, toContent } from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { lineIndex } from '../../src/protocol/position.ts';
import { scan } from '../../src/protocol/scan/scan.ts';
import { runs } from '../support/thorough.ts';

async function contentOf(source: string): Promise<ChainContent> {
  const { document, messages } = await parseProtocol(source);
  expect(messages.filter(({ severity }) => severity === 'error')).toEqual([]);
  return toContent(document.chains[0]!);
}

function exported(content: ChainContent, kind: ExportKind) {
  return exportProtocol(
    { content, chainId: chainId('default', content.slug), digest: digest(content) },
    kind,
  );
}

/** Writes an export into a fresh folder and imports that folder. */
async function roundTrip(content: ChainContent, kind: ExportKind) {
  const cwd = mkdtempSync(join(tmpdir(), 'kairos-export-'));
  try {
    for (const { path, text } of await exported(content, kind)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    }
    return await importProtocols(['.'], { dryRun: true }, { cwd, stdin: Readable.from([]) });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const KEPT_FROM = { shell: 'stdout', mcp: 'result' };

const PROTOCOL = `---
slug: drain-a-host
version: 1.2.0
inputs:
  TARGET_HOST:
    description: Host to drain
    default: lb1
  TOKEN: { description: Token of the balancer, secret: true }
---
# Drain a host

Take a host out of <service>.

## Natural Language Triggers

- "drain the host"
- "take it out"

## Drain it

Drain {{TARGET_HOST}}.

\`\`\`sh proof timeout=5m
drain "$TARGET_HOST" --as \`whoami\` --token "$TOKEN"
\`\`\`

## Ask

Ask the owner.

\`\`\`json
{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is it quiet?"}}}
\`\`\`

## Completion Rule

The host takes no calls.
`;

describe('exportProtocol', () => {
  it('writes a skill by the rules of its specification', async () => {
    const content = await contentOf(PROTOCOL);
    const [skill, protocol] = await exported(content, 'skill');
    expect([skill!.path, protocol!.path]).toEqual([
      'drain-a-host/SKILL.md',
      'drain-a-host/references/protocol.md',
    ]);
    const { document } = await parseProtocol(skill!.text);
    const { name, description, metadata } = document.frontmatter!.data as Record<string, unknown>;
    expect(name).toBe('drain-a-host');
    expect(description).toBe(
      'Drain a host. Take a host out of service . Use it when the request is like this: drain the host; take it out.',
    );
    expect(metadata).toEqual({
      'kairos-protocol': 'references/protocol.md',
      'kairos-uri': expect.stringMatching(/^kairos:\/\/mem\//),
      'kairos-digest': digest(content),
      version: '1.2.0',
    });
    expect(skill!.text).toContain('`kairos_begin` with `{"key": "drain-a-host"}`');
    expect(skill!.text).toContain('`` drain "$TARGET_HOST" --as `whoami` --token "$TOKEN" ``');
    expect(skill!.text).toContain('Ask the user: Is it quiet?');
  });

  it.each([
    [
      'its title without triggers and description',
      '# Tidy the yard!\n\n## Sweep\n\n```sh proof\nls\n```\n',
      'Tidy the yard! Use it when the request is like this: Tidy the yard!',
    ],
    [
      'the first text, not a heading or code',
      '# Tidy\n\n### Purpose\n\n```text\nx\n```\n\nSweep the\nyard\n\nMore.\n\n## Natural Language Triggers\n\nThe yard is dirty\n\n## Sweep\n\nx\n',
      'Tidy. Sweep the yard. Use it when the request is like this: The yard is dirty.',
    ],
  ])('describes a skill by %s', async (_, source, wanted) => {
    const [skill] = await exported(await contentOf(source), 'skill');
    expect((await parseProtocol(skill!.text)).document.frontmatter!.data).toMatchObject({
      description: wanted,
    });
  });

  it('keeps when a skill is used in a long description', async () => {
    const phrases = Array.from({ length: 90 }, (_, at) => `- "the yard is dirty ${at}"`).join('\n');
    const content = await contentOf(
      `# Tidy\n\n${'Sweep 🧹 it. '.repeat(200)}\n\n## Natural Language Triggers\n\n${phrases}\n\n## Sweep\n\nx\n`,
    );
    const [skill] = await exported(content, 'skill');
    const { description } = (await parseProtocol(skill!.text)).document.frontmatter!.data as {
      description: string;
    };
    expect([...description].length).toBe(1024);
    expect(description).toMatch(
      /^Tidy\. Sweep .*… Use it when the request is like this: the yard is dirty 0; .*\d\.$/,
    );
  });

  it('adds nothing to a step that demands nothing, but a constraint of an SOP', async () => {
    const content = await contentOf(
      '# Tell\n\n## Call ops\n\nTell them.\n\n## Wait\n\nAn hour.\n\n## Completion Rule\n\nTold.\n',
    );
    const [skill] = await exported(content, 'skill');
    expect(skill!.text).toContain(
      '### 1. Call ops\n\nTell them.\n\n### 2. Wait\n\nAn hour.\n\n## When it is done',
    );
    const [sop] = await exported(content, 'sop');
    expect(sop!.text).toContain('An hour.\n\n**Constraints:**\n\n- You MUST do the whole step.\n');
  });

  it('writes an agent SOP with parameters and constraints', async () => {
    const [sop] = await exported(await contentOf(PROTOCOL), 'sop');
    expect(sop!.path).toBe('drain-a-host.sop.md');
    expect(sop!.text).toContain('## Overview\n');
    expect(sop!.text).toContain('- **TARGET_HOST** (optional, default: "lb1"): Host to drain');
    expect(sop!.text).toContain('- **TOKEN** (required, secret): Token of the balancer');
    expect(sop!.text).toContain('### 1. Drain it\n');
    expect(sop!.text).toContain('- You MUST do this: Ask the user: Is it quiet?');
  });

  it.each(['skill', 'sop'] as const)('gives the same protocol back from a %s', async (kind) => {
    const content = await contentOf(PROTOCOL);
    const { imported, failures } = await roundTrip(content, kind);
    expect(failures).toEqual([]);
    expect(imported.map(({ carrier, steps, proofs }) => [carrier, steps, proofs])).toEqual([
      ['protocol', 2, 2],
    ]);
    expect(digest(await contentOf(imported[0]!.text))).toBe(digest(content));
  });

  it('states what inputs, answers and output must be, and keeps captures, tools and whole commands', async () => {
    const content = await contentOf(`---
inputs:
  TARGET: { description: "Where\\n to", choices: [test, "a b"], default: test }
  RELEASE: { pattern: 'v[0-9]+\`' }
  COUNT: { type: number }
---
# Ship *it*

## Build \\*

### Why

Ship {{RELEASE}} to {{TARGET}}, {{COUNT}} times.

\`\`\`json
{"proof_of_work": {"type": "shell", "shell": {"cmd": "if true\\nthen echo ok\\nfi", "timeout_seconds": 5, "stdout_matches": "o."}}, "captures": [{"name": "TAG", "from": "stdout"}]}
\`\`\`

## Ask

\`\`\`json
{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is {{TAG}}\\nright?", "choices": ["yes", "no"]}}}
\`\`\`

## Call

\`\`\`json
{"proof_of_work": {"type": "mcp", "mcp": {"tool_name": "ship", "arguments": {"n": 1}}}}
\`\`\`
`);
    const inputs = [
      '- **TARGET** (optional, default: "test"): Where to. One of: `test`, `a b`.',
      '- **RELEASE** (required): The whole value must match `` v[0-9]+` ``.',
      '- **COUNT** (required): Its value is a number.',
    ].join('\n');
    const [skill] = await exported(content, 'skill');
    expect(skill!.text.slice(skill!.text.indexOf('## Inputs'))).toBe(
      `## Inputs\n\n${inputs}\n\n## Steps\n\n### 1. Build \\*\n\n#### Why\n\nShip {{RELEASE}} to {{TARGET}}, {{COUNT}} times.\n\nRun this command with sh. It must end with 0 within 5 s:\n\n\`\`\`sh\nif true\nthen echo ok\nfi\n\`\`\`\n\nWhat it prints must match \`o.\`.\n\nKeep what it prints as \`TAG\` for later steps.\n\n### 2. Ask\n\nAsk the user: Is {{TAG}} right? One of: \`yes\`, \`no\`.\n\n### 3. Call\n\nCall the tool \`ship\` with \`{"n":1}\`. It must succeed.\n`,
    );
    const [sop] = await exported(content, 'sop');
    expect(sop!.text).toContain(inputs);
    expect(sop!.text).toContain(
      '**Constraints:**\n\n- You MUST do this: Run this command with sh. It must end with 0 within 5 s:\n\n  ```sh\n  if true\n  then echo ok\n  fi\n  ```\n\n- You MUST do this: What it prints',
    );
  });

  it('states the variables of a command, the parts that are kept, and what files must be', async () => {
    const block = {
      proof_of_work: { type: 'shell', shell: { cmd: 'make', timeout_seconds: 5, env: ['HOME', 'CI'] } },
      captures: [
        { name: 'TAG', from: 'stdout', pattern: 'v(.*)' },
        { name: 'ID', from: 'stdout', json_pointer: '/id', secret: true },
        { name: 'ALL', from: 'stdout', json_pointer: '' },
      ],
      outputs: [
        { path: 'old', exists: false },
        { path: 'a', sha256: 'a'.repeat(64), matches: 'ok' },
        { path: 'b', json_pointer: '/n', equals: { m: 1 } },
        { path: 'c', schema: { type: 'array' } },
      ],
    };
    const content = await contentOf(`# A\n\n## B\n\nDo.\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`);
    const lines = [
      'Run this command with sh. It must end with 0 within 5 s: `make`',
      'The command gets these variables of your environment: `HOME`, `CI`.',
      'Keep what matches `v(.*)` in what it prints as `TAG` for later steps.',
      'Keep the JSON value at `/id` of what it prints as `ID` for later steps. It is secret.',
      'Keep the JSON value of what it prints as `ALL` for later steps.',
      'The file `old` must not exist.',
      `The file \`a\` must exist, its SHA-256 must be \`${'a'.repeat(64)}\`, its text must match \`ok\`.`,
      'The file `b` must exist, its JSON value at `/n` must be `{"m":1}`.',
      'The file `c` must exist, its JSON value must fit the schema `{"type":"array"}`.',
    ];
    const [skill] = await exported(content, 'skill');
    expect(skill!.text.slice(skill!.text.indexOf('Do.\n'))).toBe(`Do.\n\n${lines.join('\n\n')}\n`);
    const [sop] = await exported(content, 'sop');
    for (const line of lines) expect(sop!.text).toContain(`- You MUST do this: ${line}\n`);
  });

  it('gives every generated protocol back', async () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/);
    const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
    const limits = fc.oneof(
      fc.constant({}),
      fc.record({ choices: fc.uniqueArray(words, { minLength: 1, maxLength: 3 }) }),
      fc.constantFrom({ pattern: '[a-z `)"]+' }, { pattern: '.*' }),
    );
    const proof = fc.oneof(
      fc
        .record({ words, env: fc.constantFrom({}, { env: ['HOME', 'LANG'] }) })
        .map(({ words: cmd, env }) => ({
          type: 'shell',
          shell: { cmd: `echo '${cmd}' \`date\`\necho done`, stdout_matches: cmd, ...env },
        })),
      words.map((text) => ({
        type: 'mcp',
        mcp: { tool_name: 'ship `it`', arguments: { text }, expected_result: { ok: text } },
      })),
      fc
        .record({ words, limits })
        .map(({ words: prompt, limits: limit }) => ({
          type: 'user_input',
          user_input: { prompt: `Is ${prompt}\n"right"?`, ...limit },
        })),
      fc.constant({ type: 'comment', comment: { min_length: 12 } }),
    );
    const input = fc
      .record({ limit: limits, value: words, hasDefault: fc.boolean(), description: words })
      .map(({ limit, value, hasDefault, description }) => {
        const own = 'choices' in limit ? (limit.choices as string[])[0] : value;
        return {
          description: `${description}\n# ${value}`,
          ...limit,
          ...(hasDefault ? { default: own } : {}),
        };
      });
    const inputs = fc.dictionary(fc.constantFrom('TARGET', 'RELEASE', 'COUNT'), input);
    const heading = fc.constantFrom('### more', '#### deeper', '###### deepest', '###', '> ### quoted');
    const part = fc.oneof(words, heading, fc.constant('```sh\n### code\n```'), fc.constant('- ### item'));
    const body = fc.array(part, { minLength: 1, maxLength: 4 });
    const output = fc.constantFrom(
      { path: 'a `b`', exists: false },
      { path: 'a', sha256: '0'.repeat(64) },
      { path: 'a', matches: 'a`|b' },
      { path: 'a.json', json_pointer: '/a', equals: { b: [1, 'c'] } },
      { path: 'a.json', schema: { type: 'object', required: ['a'] } },
    );
    const step = fc.record({
      ...{ label: words, body, proof, isKept: fc.boolean() },
      outputs: fc.array(output, { maxLength: 2 }),
      limits: fc.constantFrom(
        ...[
          {},
          { pattern: 'v([0-9]+)`?' },
          { secret: true },
          { json_pointer: '/a~1b/`0' },
          { json_pointer: '' },
        ],
      ),
    });
    const steps = fc.uniqueArray(step, { minLength: 1, maxLength: 4, selector: ({ label }) => label });
    const kinds = fc.constantFrom<ExportKind>('skill', 'sop');
    await fc.assert(
      fc.asyncProperty(words, words, steps, kinds, inputs, async (title, text, list, kind, given) => {
        const parts = list.map(
          ({ label, body: own, proof, isKept, outputs, limits: kept }, at) =>
            `## step ${label}\n\n${own.join('\n\n')}\n\n\`\`\`json\n${JSON.stringify({
              proof_of_work: proof,
              ...(isKept
                ? {
                    captures: [
                      { name: `KEPT_${at}`, from: KEPT_FROM[proof.type as 'shell'] ?? 'answer', ...kept },
                    ],
                  }
                : {}),
              ...(outputs.length === 0 ? {} : { outputs }),
            })}\n\`\`\`\n`,
        );
        const source = `---\ninputs: ${JSON.stringify(given)}\n---\n# ${title}\n\n${text}\n\n## Natural Language Triggers\n\n- "${text}: \\\\ <b>"\n\n${parts.join('\n')}`;
        const content = await contentOf(source);
        const [file] = await exported(content, kind);
        const rows = file!.text.split('\n');
        const { blocks } = await scan(file!.text, lineIndex(file!.text));
        const headings = blocks.flatMap(({ type, first }) => (type === 'heading' ? [rows[first]!] : []));
        const below = headings.slice(headings.indexOf('## Steps') + 1);
        expect(below.filter((row) => !row.startsWith('####'))).toEqual(
          list.map(({ label }, at) => `### ${at + 1}. step ${label}`),
        );
        const { imported, failures } = await roundTrip(content, kind);
        expect(failures).toEqual([]);
        expect(imported).toHaveLength(1);
        expect(digest(await contentOf(imported[0]!.text))).toBe(digest(content));
      }),
      { numRuns: runs(60) },
    );
  });
});
