import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenInDocument, misplacedHiddenInProse } from '../../src/protocol/hidden.ts';
import type { ProtocolDocument } from '../../src/protocol/model.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { THOROUGH } from '../support/thorough.ts';

const documentOf = async (source: string) => (await parseProtocol(source)).document;

/** `code point line:column` of what is found; places in a step block are those of its value. */
async function hidden(source: string): Promise<string[]> {
  return hiddenIn(await documentOf(source));
}

function hiddenIn(document: ProtocolDocument): string[] {
  return hiddenInDocument(document, ({ valuePlace }) => valuePlace).map(told);
}

async function inProse(source: string): Promise<string[]> {
  return misplacedHiddenInProse(await documentOf(source)).map(told);
}

const told = ({ codePoint, place: { start } }: Awaited<ReturnType<typeof hiddenInDocument>>[number]) =>
  `${codePoint} ${start.line}:${start.column}`;

const block = (value: unknown) => `# T\n\n## S\n\nText.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`;
const shell = (shell: object) => block({ proof_of_work: { type: 'shell', shell } });
const ask = (user_input: object) => block({ proof_of_work: { type: 'user_input', user_input } });
const call = (mcp: object) => block({ proof_of_work: { type: 'mcp', mcp } });
/** Written as escapes, as a JSON encoder does that leaves nothing but ASCII. */
const escaped = (source: string) =>
  source.replace(/[^ -~\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const BIDI_CONTROLS = [
  0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
];
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const INVISIBLE = [
  ...[0x00ad, 0x034f, 0x115f, 0x1160, 0x180e, 0x200b, 0x200c, 0x200d, 0x2028, 0x2029, 0x2800, 0x3164],
  ...[0xfeff, 0xffa0, ...range(0x2060, 0x2064), ...range(0xfff9, 0xfffb), ...range(0xfe00, 0xfe0f)],
  ...range(0xe0100, 0xe01ef),
];
const name = (point: number) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;

describe('hiddenInDocument', () => {
  it('finds every Bidi_Control of Unicode, marks among them, at its place', async () => {
    const property = async (point: number, before: string) => {
      const found = await hidden(`# T\n\n## S\n\n${before}${String.fromCodePoint(point)}tail`);
      expect(found).toEqual([`${name(point)} 5:${before.length + 1}`]);
    };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...BIDI_CONTROLS), fc.stringMatching(/^[a-z]{0,20}$/), property),
    );
  });

  it('leaves alone text written from right to left, which needs no mark', async () => {
    expect(await hidden('# שלום\n\n## مرحبا\n')).toEqual([]);
  });

  it('finds what only comes about by reading: references in headings, escapes in tags', async () => {
    expect(await hidden('---\ntags: ["a\\u202e"]\n---\n# T&#x202e;\n\n## S&#x200f;\n')).toEqual([
      'U+202E 1:1',
      'U+202E 4:1',
      'U+200F 6:1',
    ]);
  });

  it.each(INVISIBLE.map((point) => [name(point), point] as const))(
    'allows %s nowhere in commands, names, patterns, paths and keys, raw or as an escape',
    async (code, point) => {
      const bad = `a${String.fromCodePoint(point)}b`;
      const documents = [
        shell({ cmd: `make ${bad}` }),
        shell({ cmd: 'make', workdir: bad }),
        shell({ cmd: 'make', stdout_matches: bad }),
        ask({ prompt: 'Done?', pattern: bad }),
        ask({ prompt: 'Done?', choices: ['yes', bad] }),
        call({ tool_name: bad }),
        call({ tool_name: 'a', server: bad }),
        call({ tool_name: 'a', arguments: { [bad]: 1 } }),
        call({ tool_name: 'a', arguments: { path: bad } }),
        block({ outputs: [{ path: bad }] }),
        block({ proposal: { action_type: 'write', target: { resource_id: bad } } }),
      ];
      // Each kind of document with some of the characters, or with all.
      for (const source of documents.filter((_, at) => THOROUGH || at % 5 === point % 5)) {
        const column = source.split('\n')[7]!.indexOf(bad) + 2;
        const document = await documentOf(source);
        expect(hiddenIn(document)).toEqual([`${code} 8:${column}`]);
        expect(await hidden(escaped(source))).toEqual([`${code} 8:1`]);
        expect(misplacedHiddenInProse(document)).toEqual([]);
      }
    },
  );

  it.each([
    ['an emoji with its selector', 'Is ⚠️ gone?'],
    ['a family', 'Ask 👨‍👩‍👧 and ❤️‍🔥 and 👩🏽‍💻.'],
    ['a keycap', 'Press 1️⃣'],
    ['Persian', 'می‌خواهم'],
    ['Hindi', 'क्‍ष'],
    ['a name in its own form', '葛\u{e0100}城'],
  ])('accepts %s in what people read or a tool gets, and nowhere else', async (_, text) => {
    const arguments_ = { text, nested: [{ text }] };
    for (const source of [
      ask({ prompt: text, choices: [text] }),
      call({ tool_name: 'a', arguments: arguments_ }),
    ]) {
      expect(await hidden(source)).toEqual([]);
      expect(await hidden(escaped(source))).toEqual([]);
    }
    expect(await hidden(shell({ cmd: `echo ${text}` }))).not.toEqual([]);
  });

  it.each([
    ['a joiner between Latin letters', 'y\u200des'],
    ['a selector behind a letter', 'yes\ufe0f'],
    ['a second selector', '⚠\ufe0f\ufe0f'],
    ['a soft hyphen', 'pub\u00adlish'],
  ])('refuses %s in a choice', async (_, text) => {
    expect(await hidden(ask({ prompt: 'Go on?', choices: [text] }))).not.toEqual([]);
  });

  it('reads step blocks in YAML: raw, as escapes, in keys and outside its texts', async () => {
    const yaml = (line: string) =>
      `# T\n\n## S\n\n\`\`\`yaml\nproof_of_work:\n  type: shell\n  shell:\n${line}\n\`\`\`\n`;
    expect(await hidden(yaml('    cmd: make \u200ball'))).toEqual(['U+200B 9:15']);
    expect(await hidden(yaml('    cmd: "make \\u200ball"'))).toEqual(['U+200B 6:1']);
    expect(await hidden(yaml('    cmd: "make \\Lall"'))).toEqual(['U+2028 6:1']);
    expect(await hidden(yaml('    cmd: "make \\eall"'))).toEqual(['U+001B 6:1']);
    expect(await hidden(yaml('    cmd: make all # as\u2060ever'))).toEqual(['U+2060 9:23']);
  });

  it('reads older proof lines', async () => {
    expect(await hidden('# T\n\n## S\n\nPROOF OF WORK: timeout 30s make\u200b all\n')).toEqual([
      'U+200B 5:32',
    ]);
  });

  it('reports each character once with its place', async () => {
    const source = shell({ cmd: 'a\u202eb\u200bc\u202ed' });
    const at = source.split('\n')[7]!.indexOf('a\u202e') + 2;
    expect(await hidden(source)).toEqual([`U+202E 8:${at}`, `U+200B 8:${at + 2}`, `U+202E 8:${at + 4}`]);
  });
});

describe('invisibleInProse', () => {
  const WARNED = INVISIBLE.filter((point) => point !== 0x200c && point !== 0x200d);

  it.each(WARNED.map((point) => [name(point), point] as const))(
    'finds %s in headings, text and frontmatter',
    async (code, point) => {
      const bad = `a${String.fromCodePoint(point)}b`;
      const found = await inProse(`---\ntags: [${bad}]\n---\n# T ${bad}\n\n## S ${bad}\n\n${bad}\n`);
      expect(found).toEqual([`${code} 2:9`, `${code} 4:6`, `${code} 6:7`, `${code} 8:2`]);
    },
  );

  it('finds what a heading makes of a character reference', async () => {
    expect(await inProse('# T\n\n## S&#x200b;\n')).toEqual(['U+200B 3:1']);
  });

  it.each([
    ['emoji', '⚠️ 👨‍👩‍👧 ❤️‍🔥 1️⃣ ☎︎ ✔︎ 🏳️‍🌈'],
    ['a joiner between letters', 'Auf\u200clage and می‌خواهم'],
    ['a joiner at the end of a word of a script that needs it', 'അവന്‍ പോയി'],
    ['Mongolian', 'ᠬᠠᠷ᠎ᠠ'],
    ['forms of Chinese characters', '葛\u{e0100}城'],
    ['text in any script', 'Перевірити 確認する สวัสดี 안녕 שלום'],
  ])('accepts %s', async (_, text) => {
    expect(await inProse(`\ufeff# ${text}\n\n## S ${text}\n\n${text}\n`)).toEqual([]);
  });

  it.each([
    ['a joiner at the end of a word', 'end\u200d of'],
    ['two joiners', 'a\u200d\u200db'],
    ['a message in selectors behind an emoji', '😀\u{e0148}\u{e0149}'],
    ['a byte order mark inside', 'a\ufeffb'],
  ])('finds %s', async (_, text) => {
    expect((await inProse(`# T\n\n## S\n\n${text}\n`)).length).toBeGreaterThan(0);
  });
});

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['protocols', 'docs', '../shared/corpus/runbooks', '../shared/corpus/protocols'];

describe.each(FOLDERS.filter((folder) => existsSync(join(ROOT, folder))))('the documents of %s', (folder) => {
  const files = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));

  it.each(files)('%s contains only visible characters', async (file) => {
    const source = readFileSync(join(ROOT, folder, file), 'utf8');
    expect([await hidden(source), await inProse(source)]).toEqual([[], []]);
  });
});
