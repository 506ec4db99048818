import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../../src/base/canonical.ts';
import { applyEdits, fixText } from '../../../src/lint/fix.ts';
import { lintSource } from '../../../src/lint/lint-source.ts';
import { digestsOf } from '../../../src/lint/rewrite/format-source.ts';
import { LEGACY_RULES, migrateSource } from '../../../src/lint/rewrite/migrate-source.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';
import { renderBlock } from '../../../src/protocol/render.ts';
import { runs } from '../../support/thorough.ts';
import { document } from './support/documents.ts';

const fence = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
const shell = (cmd: string, timeout = '1m') => `\`\`\`sh proof timeout=${timeout}\n${cmd}\n\`\`\``;
const doc = (...steps: string[]) =>
  `# A title\n\n${steps.map((body, at) => `## Step ${at + 1}\n\n${body}\n`).join('\n')}`;
const told = async (source: string) =>
  (await migrateSource(source)).decisions.map(({ code, place }) => [code, place.start.line]);

/** The document with each block rewritten into its shortest form. */
async function inShortForms(text: string): Promise<string> {
  const { document } = await parseProtocol(text);
  const blocks = document.chains.flatMap(({ steps }) => steps.flatMap(({ block }) => block ?? []));
  const edits = blocks.map(({ place, value }) => ({
    range: [place.start.offset, place.end.offset] as [number, number],
    replacement: renderBlock(value),
    safe: true,
  }));
  return applyEdits(text, edits).text;
}

describe('migrateSource', () => {
  it.each([
    ['a line', 'Do it.\n\nPROOF OF WORK: timeout 30s npm test', `Do it.\n\n${shell('npm test', '30s')}`],
    [
      'a line of a paragraph',
      'Do it.\nProof of work: make\nThen go on.',
      `Do it.\n\n${shell('make')}\n\nThen go on.`,
    ],
    ['a bold line', '**PROOF OF WORK: make check**', shell('make check')],
    ['an item of a list', '* one\n* Proof of work: `make`\n* two', `* one\n\n${shell('make')}\n\n* two`],
    [
      'a tool',
      'PROOF OF WORK: mcp list_items state=open n=3',
      fence({
        proof_of_work: { type: 'mcp', mcp: { tool_name: 'list_items', arguments: { state: 'open', n: 3 } } },
      }),
    ],
    [
      'a question',
      'PROOF OF WORK: user_input "Go on?"',
      fence({ proof_of_work: { type: 'user_input', user_input: { prompt: 'Go on?' } } }),
    ],
    [
      'a comment',
      'PROOF OF WORK: comment min_length=50',
      fence({ proof_of_work: { type: 'comment', comment: { min_length: 50 } } }),
    ],
    [
      'a line before other code, whose place is the end',
      'PROOF OF WORK: make\n\nLook:\n\n```sh\nls\n```',
      `Look:\n\n\`\`\`sh\nls\n\`\`\`\n\n${shell('make')}`,
    ],
    ['words after the command', 'Proof of work: `make` shows green', `shows green\n\n${shell('make')}`],
    ['words that would be markdown', 'Proof of work: `make` # or so', `\\# or so\n\n${shell('make')}`],
    ['the key challenge', fence({ challenge: { shell: { cmd: 'make' }, type: 'shell' } }), shell('make')],
    [
      'the key contract',
      fence({ contract: { type: 'comment', comment: { min_length: 20 } } }),
      fence({ proof_of_work: { type: 'comment', comment: { min_length: 20 } } }),
    ],
    [
      'a missing type',
      fence({ proof_of_work: { comment: {} } }),
      fence({ proof_of_work: { type: 'comment', comment: {} } }),
    ],
    ['a flat command', fence({ proof_of_work: { cmd: 'make', timeout_seconds: 5 } }), shell('make', '5s')],
    [
      'a flat command with a hidden character, which stays an escape',
      '```json\n{"proof_of_work": {"cmd": "echo \\u202e"}}\n```',
      '```json\n{"proof_of_work": {"type": "shell", "shell": {"cmd": "echo \\u202e"}}}\n```',
    ],
    [
      'a flat command in YAML with a comment, which stays in YAML',
      '```yaml\nproof_of_work:\n  cmd: make # all\n```',
      '```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: make # all\n```',
    ],
    [
      'a flat command with another key in it',
      fence({ challenge: { timeout_seconds: 5, required: false, cmd: 'make' } }),
      fence({
        proof_of_work: { type: 'shell', shell: { timeout_seconds: 5, cmd: 'make' }, required: false },
      }),
    ],
    [
      'a flat command on one line',
      '```json\n{"proof_of_work": {"cmd": "make", "required": false, "timeout_seconds": 5}}\n```',
      '```json\n{"proof_of_work": {"type": "shell", "shell": {"cmd": "make", "timeout_seconds": 5}, "required": false}}\n```',
    ],
    [
      'a flat command in YAML',
      '```yaml\nproof_of_work:\n  cmd: make # all\n  required: false\n  timeout_seconds: 5\n```',
      '```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: make # all\n    timeout_seconds: 5\n  required: false\n```',
    ],
    [
      'a flat command in YAML in braces',
      '```yaml\nproof_of_work: {cmd: make, required: false, timeout_seconds: 5}\n```',
      '```yaml\nproof_of_work: {type: shell, shell: {cmd: make, timeout_seconds: 5}, required: false}\n```',
    ],
  ])('rewrites %s', async (_name, before, after) => {
    expect((await migrateSource(doc(before, 'The end.'))).text).toBe(doc(after, 'The end.'));
  });

  it('leaves a current block unchanged, in any layout', async () => {
    const source = doc('```json\n{"proof_of_work":{"type":"comment"}}\n```');
    expect(await migrateSource(source)).toEqual({ text: source, decisions: [] });
  });

  it.each([
    ['a sentence', doc('Proof of work: the team has seen the plan.'), [['not-a-command', 5]]],
    ['backticks inside', doc('Proof of work: run `make` and look.'), [['not-a-command', 5]]],
    ['two lines in a step', doc('Proof of work: make a\n\nProof of work: make b'), [['block-duplicate', 5]]],
    ['a line in a quote', doc('> Proof of work: make'), [['block-nested', 5]]],
    ['a line in a table', doc('| a |\n|---|\n| Proof of work: make |'), [['block-nested', 7]]],
    ['a line in a comment', doc('<!-- Proof of work: make -->'), [['block-nested', 5]]],
    ['a line in a comment in a text', doc('Do it. <!--\nProof of work: make -->'), [['block-nested', 6]]],
    ['a line that is all of indented code', doc('    Proof of work: make'), [['block-nested', 5]]],
    ['a gap', doc('Proof of work: kubectl get pod <name>'), [['placeholder', 5]]],
    [
      'a block that cannot be used',
      doc('```json\n{"proof_of_work": {"type": "shel"}}\n```'),
      [['block-invalid', 6]],
    ],
  ])('leaves to a human: %s', async (_name, source, expected) => {
    expect(await told(source)).toEqual(expected);
  });

  it('does not touch a sentence', async () => {
    const source = doc('Proof of work: the team has seen the plan.');
    expect((await migrateSource(source)).text).toBe(source);
  });

  it.each([
    ['a step without a demand', 'Do it.'],
    ['a line that a fence shows', '```text\nProof of work: make\n```'],
    ['a line that indented code shows', '    # before\n    Proof of work: make'],
    ['a cell that names proofs', '| Proof of work: | make |\n|---|---|'],
  ])('reports nothing about %s', async (_name, body) => {
    expect(await migrateSource(doc(body))).toEqual({ text: doc(body), decisions: [] });
  });

  it('keeps line endings and a BOM', async () => {
    const written = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const { text } = await migrateSource(written(doc('Do.\nPROOF OF WORK: make\nGo on.', 'Look.')));
    expect(text).toBe(written(doc(`Do.\n\n${shell('make')}\n\nGo on.`, 'Look.')));
  });

  const line = fc.constantFrom(
    'PROOF OF WORK: make',
    '- Proof of work: `npm test` is green',
    '1. proof of work: timeout 2m make check',
    '**Proof of work:** mcp tool a=1',
    'Proof of work: comment',
    'proof of work: see the log of it.',
  );
  const old = fc
    .tuple(document, line, fc.nat(3))
    .map(([source, proof, at]) =>
      source.replace(/\nDo it\./g, (text, offset) => (offset % 4 === at ? `\n${proof}` : text)),
    );

  const lonely = fc
    .tuple(
      line,
      fc.constantFrom('', 'Do it.', '* one', 'A | B\n--|--\n1 | 2'),
      fc.constantFrom('', 'Go on.', '```sh\nls\n```', '> said'),
      fc.constantFrom('\n', '\n\n'),
      fc.constantFrom('\n', '\r\n', '\r'),
    )
    .map(([proof, before, after, gap, ending]) =>
      doc([before, proof, after].filter((part) => part !== '').join(gap)).replaceAll('\n', ending),
    );

  it('gives the same as the fixes of the rules except the form of blocks, and every chain keeps its content', async () => {
    await fc.assert(
      fc.asyncProperty(old, async (source) => {
        const { text } = await migrateSource(source);
        const mended = await fixText(
          source,
          async (each) => (await lintSource(each, { settings: { rules: LEGACY_RULES } })).messages,
          { unsafe: false },
        );
        expect(mended.gaveUp).toBeNull();
        expect(await inShortForms(text)).toBe(await inShortForms(mended.text));
        expect(digestsOf(await parseProtocol(text))).toBe(digestsOf(await parseProtocol(source)));
      }),
      { numRuns: runs(100) },
    );
  });

  it('gives the same bytes as all of lint for a protocol whose only fault is a line', async () => {
    await fc.assert(
      fc.asyncProperty(lonely, async (source) => {
        const lint = async (text: string) => (await lintSource(text)).messages;
        const { text, count } = await fixText(source, lint, { unsafe: false });
        expect((await migrateSource(source)).text).toBe(text);
        expect(text === source).toBe(count === 0);
      }),
      { numRuns: runs(100) },
    );
  });

  it('keeps every demand, and has nothing more to do the second time', async () => {
    await fc.assert(
      fc.asyncProperty(old, async (source) => {
        const { text, decisions } = await migrateSource(source);
        const [before, after] = await Promise.all([source, text].map((each) => parseProtocol(each)));
        const demands = (parsed: typeof before) =>
          parsed!.document.chains.flatMap(({ steps }) =>
            steps.map(({ block }) => block && canonical(block.value)),
          );
        expect(demands(after)).toEqual(demands(before));
        expect((await migrateSource(text)).text).toBe(text);
        const sentences = decisions.filter(({ code }) => code === 'not-a-command').length;
        const errors = after!.messages.some(({ severity }) => severity === 'error');
        const left = after!.messages.filter(({ code }) => code.startsWith('legacy-'));
        if (!errors) expect(left).toHaveLength(sentences);
      }),
      { numRuns: runs(100) },
    );
  });
});
