import { describe, expect, it } from 'vitest';
import { checkText, compare, readExceptions, readWords, updated } from '../../scripts/prose.mjs';

const list = readWords(`
words:
  - { match: 'nobody', instead: 'name the subject' }
  - { match: 'tells?', instead: 'report' }
  - { match: 'hold', instead: 'keep' }
  - { match: 'as it is', instead: 'unchanged' }
fixed:
  - on hold
data:
  - src/probes.ts
`);

function found(path: string, source: string): string[] {
  return checkText(path, source, list).map(({ line, column, found }) => `${line}:${column} ${found}`);
}

describe('the prose check', () => {
  it('finds words in line and block comments', () => {
    expect(found('src/a.ts', '// Nobody reads it.\nconst a = 1; /* tells */\n')).toEqual([
      '1:4 Nobody',
      '2:17 tells',
    ]);
  });

  it('finds a phrase that continues on the next line of a comment', () => {
    expect(found('src/a.ts', '/**\n * The text as\n * it is.\n */\n')).toHaveLength(1);
  });

  it('finds words in strings and templates of several words', () => {
    expect(found('src/a.ts', "throw new Error('nobody is here');\n")).toEqual(['1:18 nobody']);
    expect(found('src/a.ts', 'const a = `x ${tell} nobody`;\n')).toEqual(['1:22 nobody']);
  });

  it('ignores identifiers, single-word strings, imports and code in backticks', () => {
    const source = [
      "import { tell } from './nobody hold.ts';",
      "const nobody = tell('hold', hold);",
      '// The function `tell` returns `nobody`.',
      'const rule = /nobody tells/;',
    ].join('\n');
    expect(found('src/a.ts', source)).toEqual([]);
  });

  it('ignores the strings of data files and of regular expressions', () => {
    expect(found('src/probes.ts', "// Nobody\nconst a = 'hold this text';\n")).toEqual(['1:4 Nobody']);
    expect(found('src/a.ts', "const a = new RegExp('\\\\bhold this text');\n")).toEqual([]);
  });

  it('ignores comment marks inside strings', () => {
    expect(found('src/a.ts', "const url = 'https://nobody'; const b = '/* hold */';\n")).toEqual([]);
  });

  it('ignores fixed phrases, words in capitals and parts of hyphenated names', () => {
    expect(
      found('docs/a.md', 'The proposal is on hold. HOLD is a decision. See re-hold and hold-list.\n'),
    ).toEqual([]);
  });

  it('reads the text of a markdown file, not its code', () => {
    const source = 'Nobody `tells`.\n\n```sh\nhold\n```\n\n| a | b |\n|---|---|\n| hold | [x](hold.md) |\n';
    expect(found('docs/a.md', source)).toEqual(['1:1 Nobody', '9:3 hold']);
  });

  it('reads only the titles of tests', () => {
    const source = [
      "describe('nobody', () => {",
      "  it.each([1])('tells %s', () => { call('hold a b'); });",
      '  // nobody',
      '});',
    ].join('\n');
    expect(found('tests/a.test.ts', source)).toEqual(['1:11 nobody', '2:17 tells']);
  });

  it('reads comments but no strings of scripts', () => {
    expect(found('scripts/a.mjs', "// hold\nconst a = 'hold this text';\n")).toEqual(['1:4 hold']);
  });

  it('reports every file whose count differs from the list', () => {
    const exceptions = readExceptions('# comment\n2 src/a.ts\n1 src/b.ts\n3 src/c.ts\n');
    const counts = new Map([
      ['src/a.ts', 3],
      ['src/c.ts', 3],
    ]);
    expect(compare(counts, exceptions)).toEqual([
      { file: 'src/a.ts', count: 3, listed: 2 },
      { file: 'src/b.ts', count: 0, listed: 1 },
    ]);
  });

  it('updates the list only to a sum that is not higher', () => {
    const exceptions = readExceptions('2 src/a.ts\n');
    expect(updated(new Map([['src/moved.ts', 2]]), exceptions)).toContain('\n2 src/moved.ts\n');
    expect(updated(new Map([['src/a.ts', 3]]), exceptions)).toBeNull();
  });

  it('knows at least 40 entries, each with a replacement', () => {
    const { words } = readWords();
    expect(words.length).toBeGreaterThanOrEqual(40);
    expect(words.filter(({ instead }) => instead === undefined || instead === '')).toEqual([]);
  });

  it("accepts the contract's words", () => {
    const texts = [
      'call kairos_next with kairos://mem/1 and solution matching challenge',
      "retry kairos_next with kairos://mem/1 -- use nonce and proof_hash from THIS response's challenge",
      'ask the user for approval, then call kairos_propose with kairos://mem/1',
      'ask the user; only a new answer from them lifts this, or call kairos_attest with kairos://mem/1 and outcome failure',
      "Pick one choice and follow that choice's next_action.",
      'ALLOW, DENY, HOLD, HALT',
    ];
    for (const text of texts) expect(checkText('docs/a.md', text, readWords()), text).toEqual([]);
  });
});
