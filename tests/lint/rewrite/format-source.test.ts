import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestsOf, formatSource } from '../../../src/lint/rewrite/format-source.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';
import { runs } from '../../support/thorough.ts';
import { document } from './support/documents.ts';

const format = async (source: string) => formatSource(await parseProtocol(source));

const DOCUMENT = `---
title: Anything
# how it is found
tags: [a]
slug: a-slug
---
# A title

## One

Do it.  

~~~json
{"outputs":[{"exists":true,"path":"x"}],
 "challenge":{"required":false,"shell":{"timeout_seconds":5,"cmd":"echo \\u202e é \\u00e9"}}}
~~~

## Two

\`\`\`yaml
# what shows it
proof_of_work:
    timeout_seconds: 3   # seconds
    cmd: echo
\`\`\`

The end.`;

const FORMATTED = `---
# how it is found
slug: a-slug
tags: [a]
title: Anything
---
# A title

## One

Do it.  

~~~json
{
  "proof_of_work": {
    "type": "shell",
    "shell": {
      "cmd": "echo \\u202e é \\u00e9",
      "timeout_seconds": 5
    },
    "required": false
  },
  "outputs": [
    {
      "path": "x",
      "exists": true
    }
  ]
}
~~~

## Two

\`\`\`yaml
# what shows it
proof_of_work:
  type: shell
  shell:
    cmd: echo
    timeout_seconds: 3 # seconds
\`\`\`

The end.`.replace('# how it is found\nslug: a-slug\ntags: [a]', 'slug: a-slug\n# how it is found\ntags: [a]');

describe('formatSource', () => {
  it.each([
    ['```sh proof', '```sh proof'],
    ['~~~~ python   proof env=B,A timeout=600 exit=0', '~~~~python3 proof timeout=10m env=B,A'],
    ['```bash proof exit=2 timeout=90s workdir=a/b', '```bash proof timeout=90s exit=2 workdir=a/b'],
    ['``` SH PROOF timeout=60', '```sh proof timeout=1m'],
  ])('writes the first line of shorthand in its shortest spelling: %s', async (written, formatted) => {
    const end = /^[`~]+/.exec(written)![0];
    const source = (line: string) => `# A\n\n## One\n\n${line}\nmake\n${end}\n`;
    expect(await format(source(written))).toBe(source(formatted));
    expect(await format(source(formatted))).toBe(source(formatted));
  });

  it('orders keys, indents by two, spells as today, and leaves the rest alone', async () => {
    expect(await format(DOCUMENT)).toBe(FORMATTED);
  });

  it.each([
    ['CRLF', '\r\n', ''],
    ['CR', '\r', ''],
    ['a BOM', '\n', '\ufeff'],
  ])('keeps %s', async (_name, ending, bom) => {
    const written = (text: string) => bom + text.replaceAll('\n', ending);
    expect(await format(written(DOCUMENT))).toBe(written(FORMATTED));
  });

  it('keeps the indentation of a fence', async () => {
    const source = '# T\n\n## One\n\n  ```json\n  {"proof_of_work": {"type": "comment"}}\n  ```\n';
    expect(await format(source)).toBe(
      '# T\n\n## One\n\n  ```json\n  {\n    "proof_of_work": {\n      "type": "comment"\n    }\n  }\n  ```\n',
    );
  });

  it('leaves the keys of tool arguments and schemas where their author put them', async () => {
    const source = `# T\n\n## One\n\n\`\`\`json
{"proof_of_work": {"mcp": {"arguments": {"b": 1.0, "10": 1e2, "a": []}, "tool_name": "t"}, "type": "mcp"}}
\`\`\`\n`;
    expect(await format(source)).toContain(`    "mcp": {
      "tool_name": "t",
      "arguments": {
        "b": 1.0,
        "10": 1e2,
        "a": []
      }
    }`);
  });

  it('leaves numbers in YAML as their author wrote them', async () => {
    const numbers = [
      '0x1F',
      '0XFF',
      '0o17',
      '1e3',
      '1E+03',
      '+5',
      '.5',
      '5.',
      '1.50',
      '-0',
      '1.0',
      '007',
      '~',
      'True',
    ];
    const source = `# T\n\n## One\n\n\`\`\`yaml
proof_of_work:
  mcp:
      arguments: {a: [${numbers.join(', ')}]}
      tool_name: t
  type: mcp
\`\`\`\n`;
    const { messages } = await parseProtocol(source);
    expect(messages).toEqual([]);
    const once = await format(source);
    expect(once).toContain(numbers.map((number) => `            ${number},\n`).join(''));
    expect(await format(once)).toBe(once);
    const timeout =
      '```yaml\nproof_of_work:\n  shell:\n    timeout_seconds: 0x3C\n    cmd: make\n  type: shell\n```';
    expect(await format(`# T\n\n## One\n\n${timeout}\n`)).toContain('timeout_seconds: 0x3C\n');
  });

  it('does not show characters that YAML escapes hide', async () => {
    const source =
      '# T\n\n## One\n\n```yaml\nproof_of_work:\n    shell: {cmd: "\\u202e"}\n    type: shell\n```\n';
    expect(await format(source)).toBe(
      source.replace('    shell: {cmd: "\\u202e"}\n    type', '  shell: { cmd: "\\u202e" }\n  type'),
    );
  });

  it('changes no digest, and nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (source) => {
        const parsed = await parseProtocol(source);
        fc.pre(parsed.messages.every(({ severity }) => severity !== 'error'));
        const once = await formatSource(parsed);
        const again = await parseProtocol(once);
        expect(digestsOf(again)).toBe(digestsOf(parsed));
        expect(again.messages.filter(({ code }) => code.startsWith('legacy-'))).toEqual([]);
        expect(await formatSource(again)).toBe(once);
        expect(outside(once)).toBe(outside(source));
      }),
      { numRuns: runs(50) },
    );
  }, 120_000);

  /** The text without what stands between fences, white space at the ends of frontmatter lines aside. */
  function outside(source: string): string {
    return source
      .replace(/^(\ufeff?)---[\s\S]*?\n?---/, '$1')
      .replace(/^( {0,3})(`{3,}|~{3,})(json|yaml)(?:\r\n|\n|\r)[\s\S]*?^ {0,3}\2/gm, '');
  }
});

const CORPUS = fileURLToPath(new URL('../../../../shared/corpus/', import.meta.url));

describe.skipIf(!existsSync(CORPUS))('formatSource on the corpus', () => {
  const folders = existsSync(CORPUS) ? ['protocols', 'runbooks'] : [];
  const files = folders.flatMap((folder) =>
    readdirSync(`${CORPUS}${folder}`).map((name) => `${folder}/${name}`),
  );

  it.each(files)('%s', async (name) => {
    const parsed = await parseProtocol(readFileSync(CORPUS + name, 'utf8'));
    const once = await formatSource(parsed);
    const again = await parseProtocol(once);
    expect(digestsOf(again)).toBe(digestsOf(parsed));
    expect(await formatSource(again)).toBe(once);
  });
});

describe('what means the same left out', () => {
  const inFence = (language: string, text: string) =>
    `# A\n\n## B\n\nDo it.\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;

  it.each([
    [
      'json',
      '{"proof_of_work": {"type": "shell", "shell": {"cmd": "make", "expect_exit_code": 0}, "required": true}}',
      '{\n  "proof_of_work": {\n    "type": "shell",\n    "shell": {\n      "cmd": "make"\n    }\n  }\n}',
    ],
    [
      'yaml',
      'proof_of_work:\n  type: comment\n  required: true\n  comment: { min_length: 20 }',
      'proof_of_work:\n  type: comment\n  comment: { min_length: 20 }',
    ],
    [
      'yaml',
      'proof_of_work:\n  type: shell\n  shell:\n    cmd: make\n    expect_exit_code: 0\n    stdout_matches: ok\n  required: true',
      'proof_of_work:\n  type: shell\n  shell:\n    cmd: make\n    stdout_matches: ok',
    ],
  ])('goes from %s', async (language, written, expected) => {
    expect(await format(inFence(language, written))).toBe(inFence(language, expected));
    expect(await format(inFence(language, expected))).toBe(inFence(language, expected));
  });

  it.each([
    ['yaml', 'proof_of_work:\n  type: comment\n  # the auditor asked for it\n  required: true'],
    ['yaml', 'proof_of_work:\n  type: comment\n  required: true # the auditor asked for it'],
    ['json', '{\n  "proof_of_work": {\n    "type": "comment",\n    "required": false\n  }\n}'],
  ])('stays where it means something: %s', async (language, text) => {
    expect(await format(inFence(language, text))).toBe(inFence(language, text));
  });
});

it('ends between two blocks when others throw', async () => {
  const stopped = new Error('stopped');
  let turns = 0;
  const turn = async () => {
    turns += 1;
    if (turns === 2) throw stopped;
  };
  await expect(formatSource(await parseProtocol(DOCUMENT.repeat(3)), turn)).rejects.toBe(stopped);
  expect(turns).toBe(2);
});
