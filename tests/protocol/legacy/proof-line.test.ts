import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchProofLine, readProofLine } from '../../../src/protocol/legacy/proof-line.ts';
import { contentOf, detailsIn, oneStep, problemsIn, stepOf } from '../told.ts';

describe('matchProofLine', () => {
  it.each<[string, string]>([
    ['PROOF OF WORK: npm test', 'npm test'],
    ['Proof of work:npm test', 'npm test'],
    ['proof-of-work :  npm test', 'npm test'],
    ['**PROOF OF WORK:** npm test', 'npm test'],
    ['**Proof of work**: npm test', 'npm test'],
    ['__Proof of work: npm test__', 'npm test'],
    ['*Proof of work: a * b*', 'a * b'],
    ['Proof of work: **npm test**', '**npm test**'],
    ['PROOF OF WORK\uff1a npm test', 'npm test'],
    ['PROOF OF WORK:', ''],
  ])('%j commands %j', (line, command) => {
    const found = matchProofLine(line);
    expect(found?.command).toBe(command);
    expect(line.slice(found!.start, found!.start + command.length)).toBe(command);
  });

  it.each([
    'Proof of work = git commit',
    'Proof of work logging:',
    'A proof of work: x',
    '`PROOF OF WORK: x`',
    '- PROOF OF WORK: x',
    'proof_of_work: x',
    'Format: PROOF OF WORK: x',
  ])('%j is not one', (line) => expect(matchProofLine(line)).toBeNull());
});

describe('readProofLine', () => {
  const shell = (cmd: string, timeout_seconds?: number) => ({
    type: 'shell',
    shell: timeout_seconds === undefined ? { cmd } : { cmd, timeout_seconds },
  });

  it.each<[string, object]>([
    ['npm test', shell('npm test')],
    ['timeout 30s npm test', shell('npm test', 30)],
    ['timeout 30 npm test', shell('npm test', 30)],
    ['timeout 5m npm test', shell('npm test', 300)],
    ['timeout 2h npm test', shell('npm test', 7200)],
    ['timeout 1d npm test', shell('npm test', 86_400)],
    ['timeout -k 5 30s npm test', shell('timeout -k 5 30s npm test')],
    ['timeout 0.5s npm test', shell('timeout 0.5s npm test')],
    ['timeout 30s', shell('timeout 30s')],
    ['mcp create_release', { type: 'mcp', mcp: { tool_name: 'create_release' } }],
    [
      'MCP create_release tag=v1 draft=true n=2 note="a b" list=[1, {"a": "]"}]',
      {
        type: 'mcp',
        mcp: {
          tool_name: 'create_release',
          arguments: { tag: 'v1', draft: true, n: 2, note: 'a b', list: [1, { a: ']' }] },
        },
      },
    ],
    ['user_input "Release now?"', { type: 'user_input', user_input: { prompt: 'Release now?' } }],
    ['user_input “Release now?”', { type: 'user_input', user_input: { prompt: 'Release now?' } }],
    ['user_input \'Release "now"?\'', { type: 'user_input', user_input: { prompt: 'Release "now"?' } }],
    ['user_input Release now?', { type: 'user_input', user_input: { prompt: 'Release now?' } }],
    ['comment', { type: 'comment', comment: {} }],
    ['comment min_length=50', { type: 'comment', comment: { min_length: 50 } }],
    ['comment min_length: 50', { type: 'comment', comment: { min_length: 50 } }],
    ['comments --list', shell('comments --list')],
    ['mcpctl status', shell('mcpctl status')],
  ])('%j', (command, proof) => {
    expect(readProofLine(command)).toEqual({
      demand: { proof_of_work: proof },
      ignored: undefined,
      isDoubtful: false,
    });
  });

  it.each<[string, object]>([
    [
      '`timeout 5s npm test`',
      { demand: { proof_of_work: shell('npm test', 5) }, ignored: undefined, isDoubtful: false },
    ],
    ['``a `b` c``', { demand: { proof_of_work: shell('a `b` c') }, ignored: undefined, isDoubtful: false }],
    [
      '`npm test` and look',
      { demand: { proof_of_work: shell('npm test') }, ignored: 'and look', isDoubtful: false },
    ],
    [
      'run `npm test` here',
      { demand: { proof_of_work: shell('run `npm test` here') }, ignored: undefined, isDoubtful: true },
    ],
    [
      '`npm test` proof of work: a',
      { demand: { proof_of_work: shell('npm test') }, ignored: 'proof of work: a', isDoubtful: true },
    ],
    [
      '`npm test` ```json',
      { demand: { proof_of_work: shell('npm test') }, ignored: '```json', isDoubtful: true },
    ],
    ['`npm test', { demand: { proof_of_work: shell('`npm test') }, ignored: undefined, isDoubtful: true }],
  ])('%j is code', (command, reading) => expect(readProofLine(command)).toEqual(reading));

  it.each([
    ['', 'line-empty'],
    ['``` ```', 'line-empty'],
    ['comment on the plan', 'line-comment'],
    ['comment min_length=x', 'line-comment'],
    ['mcp', 'line-tool'],
    ['mcp =a', 'line-tool'],
    ['mcp tool argument', 'line-arguments'],
    ['mcp tool a=1 a=2', 'line-arguments'],
    ['mcp tool a="b', 'line-arguments'],
    ['mcp tool a={"b": 1', 'line-arguments'],
    ['mcp tool a={b: 1}', 'line-arguments'],
    ['mcp tool a="b"c', 'line-arguments'],
    ['mcp tool __proto__=1', 'line-arguments'],
  ])('%j is at fault', (command, fault) => expect(readProofLine(command)).toEqual({ fault }));

  it('reads any arguments back that were written as JSON', () => {
    const args = fc.dictionary(fc.stringMatching(/^[a-z_.-]{1,8}$/), fc.jsonValue(), {
      maxKeys: 4,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(args, (value) => {
        const text = Object.entries(value).map(([key, item]) => `${key}=${JSON.stringify(item)}`);
        fc.pre(text.length > 0);
        const reading = readProofLine(`mcp tool ${text.join(' ')}`);
        expect(reading).toMatchObject({
          demand: { proof_of_work: { mcp: { arguments: JSON.parse(JSON.stringify(value)) } } },
        });
      }),
    );
  });
});

describe('a proof line in a step', () => {
  it.each<[string, string, string, string]>([
    ['a paragraph', 'text\n\nPROOF OF WORK: npm test\n\nmore', 'text\n\nmore', 'PROOF OF WORK: npm test'],
    [
      'a line of a paragraph',
      'text\n  PROOF OF WORK: npm test\nmore',
      'text\n\nmore',
      'PROOF OF WORK: npm test',
    ],
    ['an item', '* a\n* **Proof of work:** `npm test`\n* b', '* a\n\n* b', '* **Proof of work:** `npm test`'],
    ['the only item', '1. proof of work: npm test', '', '1. proof of work: npm test'],
    ['a task', '- [ ] PROOF OF WORK: npm test', '', '- [ ] PROOF OF WORK: npm test'],
  ])('as %s', async (_, body, rest, line) => {
    expect(await problemsIn(oneStep(body))).toMatchObject([
      expect.stringMatching(/^warning legacy-proof-line \d+:\d+ /),
    ]);
    const source = oneStep(body);
    const step = await stepOf(source);
    expect(step.body).toBe(rest);
    expect(step.block).toMatchObject({
      format: 'line',
      spelling: 'proof_line',
      raw: { proof_of_work: { type: 'shell', shell: { cmd: 'npm test' } } },
      value: {
        proof_of_work: {
          type: 'shell',
          shell: { cmd: 'npm test', timeout_seconds: 60, expect_exit_code: 0 },
          required: true,
        },
      },
    });
    const { place, valuePlace } = step.block!;
    expect(source.slice(place.start.offset, place.end.offset)).toBe(line);
    expect(source.slice(valuePlace.start.offset, valuePlace.end.offset)).toMatch(/^`?npm test`?$/);
  });

  it('leaves the words behind its command to the user', async () => {
    const bodyOf = async (body: string) => (await stepOf(oneStep(body))).body;
    expect(await bodyOf('text\n\nProof of work: `a` shows b\nmore')).toBe('text\n\nshows b\n\nmore');
    expect(await bodyOf('- Proof of work: `a` - and b')).toBe('\\- and b');
  });

  it('is reported with what is not part of it', async () => {
    expect(await detailsIn(oneStep('Proof of work: `a` and b'))).toEqual([
      { code: 'legacy-proof-line', type: 'shell', ignored: 'and b' },
    ]);
    expect(await detailsIn(oneStep('Proof of work: run `a`'))).toEqual([
      { code: 'legacy-proof-line', type: 'shell', doubtful: true },
    ]);
  });

  it.each<[string, string, string[]]>([
    [
      'two of them',
      'PROOF OF WORK: a\n\nPROOF OF WORK: b',
      ['block-duplicate 5:1 PROOF OF WORK: a', 'warning legacy-proof-line 7:1 PROOF OF WORK: b'],
    ],
    [
      'a block and a line',
      'PROOF OF WORK: a\n\n```json\n{"outputs": [{"path": "a"}]}\n```',
      ['block-duplicate 5:1 PROOF OF WORK: a', 'warning legacy-proof-line 5:1 PROOF OF WORK: a'],
    ],
    ['a line without a command', '**Proof of work:**\n- a', ['block-invalid 5:1 **Proof of work:**']],
    [
      'a bad value',
      'PROOF OF WORK: timeout 0s a',
      [
        'block-invalid 5:1 PROOF OF WORK: timeout 0s a',
        'warning legacy-proof-line 5:1 PROOF OF WORK: timeout 0s a',
      ],
    ],
    [
      'no prompt',
      'PROOF OF WORK: user_input',
      [
        'block-invalid 5:1 PROOF OF WORK: user_input',
        'warning legacy-proof-line 5:1 PROOF OF WORK: user_input',
      ],
    ],
    [
      'a command that goes on',
      'PROOF OF WORK: npm test\n  --all',
      ['block-invalid 5:1 PROOF OF WORK: npm test'],
    ],
    [
      'a command that goes on after a backslash',
      'PROOF OF WORK: npm test \\\n--all',
      ['block-invalid 5:1 PROOF OF WORK: npm test \\'],
    ],
    ['in a nested list', '- a\n  - PROOF OF WORK: b', ['block-nested 6:5 PROOF OF WORK: b']],
    ['in an item with more text', '- PROOF OF WORK: b\n  more', ['block-nested 5:3 PROOF OF WORK: b']],
    ['in an item with an item', '- PROOF OF WORK: b\n  - more', ['block-nested 5:3 PROOF OF WORK: b']],
    ['in a quote', '> text\n> PROOF OF WORK: b', ['block-nested 6:3 PROOF OF WORK: b']],
    ['in a comment', '<!-- x\nPROOF OF WORK: b -->', ['block-nested 6:1 PROOF OF WORK: b -->']],
    ['in a comment on one line', '<!-- PROOF OF WORK: b -->', ['block-nested 5:6 PROOF OF WORK: b -->']],
    ['in a comment in a text', 'a <!-- PROOF OF WORK: b --> c', ['block-nested 5:8 PROOF OF WORK: b -->']],
    [
      'in a comment that begins in a text',
      'a <!-- x\nPROOF OF WORK: b\n-->',
      ['block-nested 6:1 PROOF OF WORK: b'],
    ],
    ['in a comment in a list', '- a <!-- PROOF OF WORK: b -->', ['block-nested 5:10 PROOF OF WORK: b -->']],
    ['in a cell', '| a | b |\n|---|---|\n| x | PROOF OF WORK: b |', ['block-nested 7:7 PROOF OF WORK: b']],
    [
      'in a row without pipes at its ends',
      'a | b\n--|--\nPROOF OF WORK: b | x',
      ['block-nested 7:1 PROOF OF WORK: b'],
    ],
    ['in the head of a table', 'text\nPROOF OF WORK: b | x\n--|--', ['block-nested 6:1 PROOF OF WORK: b']],
    ['as all of indented code', '    PROOF OF WORK: b', ['block-nested 5:5 PROOF OF WORK: b']],
    ['as indented code in a list', '- a\n\n      PROOF OF WORK: b', ['block-nested 7:7 PROOF OF WORK: b']],
    ['as a heading', '### PROOF OF WORK: b', ['block-nested 5:1 ### PROOF OF WORK: b']],
    ['with a rule right under it', 'PROOF OF WORK: b\n---', ['block-nested 5:1 PROOF OF WORK: b⏎---']],
  ])('%s is refused', async (_, body, problems) => {
    expect(await problemsIn(oneStep(body))).toEqual(problems);
    expect((await stepOf(oneStep(body))).block).toBeNull();
  });

  it('is refused outside a step', async () => {
    expect(
      await problemsIn('# T\n\nPROOF OF WORK: a\n\n## S\n\n## Completion Rule\n\nPROOF OF WORK: b\n'),
    ).toEqual(['block-outside-step 3:1 PROOF OF WORK: a', 'block-outside-step 9:1 PROOF OF WORK: b']);
  });

  it('is not a line among other code, no name in a table, and nothing in the middle of a sentence', async () => {
    const body =
      '```\nPROOF OF WORK: a\n```\n\n| PROOF OF WORK: | a |\n|---|---|\n\nSay PROOF OF WORK: a. `<!-- ` PROOF OF WORK: a\n\n    # a\n    PROOF OF WORK: a\n\n### Proof of work';
    expect(await contentOf(oneStep(body))).toMatchObject({ steps: [{ body, block: null }] });
  });
});
