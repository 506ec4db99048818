import { describe, expect, it } from 'vitest';
import { fromAsciiDoc } from '../../src/operations/import-asciidoc.ts';

const lost = async (source: string) =>
  (await fromAsciiDoc(source)).decisions.flatMap(({ line, what }) =>
    what.startsWith('left out') ? [String(line)] : [],
  );

describe('fromAsciiDoc', () => {
  it.each([
    [
      'an author whose words stand elsewhere',
      '= T\nKim Ask <kim@x.example>\n\nSee https://x.example[it].\n\n== A\n\nAsk Kim.\n',
      ['2'],
    ],
    ['a revision', '= T\nKim Ask\nv1.2, 2024-01-02\n\nText.\n', ['2', '3']],
    ['an attribution', '= T\n\n[quote,Kim Ask,A Book]\nQuoted words.\n', ['3']],
    ['comments', '= T\n\n// a firewall rule\n\nText.\n\n////\nmore\n////\n', ['3', '8']],
    ['a comment of words that stand elsewhere', '= T\n\n// the firewall\n\nOpen the firewall.\n', ['3']],
    ['an attribute without a use', '= T\n:owner: team-blue\n:ver: 1.25\n\nVersion {ver}.\n', ['2']],
    ['an include', '= T\n\ninclude::other.adoc[]\n\nText.\n', ['3']],
    ['cells of an incomplete row', '= T\n\n|===\n|aa |bb\n\n|cc |dd\n|left\n|===\n', ['7']],
    [
      'nothing',
      '= T\n:toc:\n\nA link:https://x.example[link], <<a,there>>, *bold* and `code`.\n\n[[a]]\n== A\n\n[source,sh]\n----\n# comment\n:a: b\n// c\n----\n\nNOTE: Mind it.\n\n[cols="1,2"]\n|===\n|aa |bb\n\n2+|cc\n|dd |ee\n|===\n',
      [],
    ],
  ])('names the lines that it leaves out: %s', async (_, source, lines) => {
    expect(await lost(source)).toEqual(lines);
  });

  it('keeps the text of cells that span columns', async () => {
    const { text } = await fromAsciiDoc(
      '= T\n\n[cols="3*"]\n|===\n|A |B |C\n\n|aa\n2+|both\n\n|b |c |d\n|===\n',
    );
    expect(text).toContain('| aa |  | both |\n| b | c | d |');
  });

  it('names cells that move others', async () => {
    const { decisions } = await fromAsciiDoc('= T\n\n|===\n|A |B\n\n.2+|aa |bb\n|cc\n|===\n');
    expect(decisions).toContainEqual({
      line: 6,
      what: 'a cell spans rows or is repeated, so cells may be in another column: .2+|aa |bb',
    });
  });

  it.each([
    ['make check <1>', 'make check'],
    ['make check # <1>', 'make check'],
    ['make check //<1>', 'make check'],
    ['make check -- <1>', 'make check --'],
    ['cat <<EOF', 'cat <<EOF'],
    ['sort <1.txt', 'sort <1.txt'],
    ['a > b<1>', 'a > b<1>'],
  ])('removes the callouts from the code %j', async (code, plain) => {
    const { text } = await fromAsciiDoc(`= T\n\n[source,sh]\n----\n${code}\n----\n<1> Wait\n`);
    expect(text).toContain(
      `\`\`\`sh\n${plain}\n\`\`\`\n* ${code === plain ? '(1)' : `\`${plain}\``}: Wait\n`,
    );
  });

  it('numbers automatic callouts, and writes none into code', async () => {
    const { text } = await fromAsciiDoc('= T\n\n----\na <.>\nb <.> <.>\n----\n<.> One\n<.> Two\n');
    expect(text).toContain('```\na\nb\n```\n* `a`: One\n* `b`: Two\n');
  });

  it.each([
    ['ifdef::prod[]\nText.\nendif::[]', '_Only if prod is set:_\n\nText.\n\n_End: if prod is set_'],
    ['ifndef::dev,test[Text.]', '_Only if dev or test is not set:_ Text.'],
    [
      'ifeval::["{a}" == "b"]\nText.\nendif::[]',
      '_Only if "{a}" == "b":_\n\nText.\n\n_End: if "{a}" == "b"_',
    ],
    ['. one\nifdef::prod[]\n. two\nendif::[]\n. three', '1. one\n2. _Only if prod is set:_ two\n3. three'],
    [
      'ifdef::prod[]\n== Two\n\nText.\nendif::[]\n\nMore.',
      '## Two\n\n_Only if prod is set:_\n\nText.\n\nMore.',
    ],
    ['----\nifdef::prod[]\nrm x\nendif::[]\n----', '```\nifdef::prod[]\nrm x\nendif::[]\n```'],
  ])('writes the condition of %j', async (source, markdown) => {
    expect((await fromAsciiDoc(`= T\n\n${source}\n`)).text).toBe(`# T\n\n${markdown}\n`);
  });

  it('knows the line that a line of the markdown is made of', async () => {
    const source =
      '= T\nKim Ask\n\n:a: b\n\nWhy it matters.\n\n== First\n\n[source,sh]\n----\nmake check <1>\n----\n<1> It checks\n\nLook.\n\n== Second\n\nLook.\n\n* [ ] one thing\n* [ ] another thing\n';
    const { text, lineOf } = await fromAsciiDoc(source);
    const rows = source.split('\n');
    const lines = text
      .split('\n')
      .flatMap((row, at) => (row.trim() === '' ? [] : [[row, rows[lineOf(at + 1) - 1]]]));
    expect(lines).toEqual([
      ['# T', '= T'],
      ['Why it matters.', 'Why it matters.'],
      ['## First', '== First'],
      ['```sh', '[source,sh]'],
      ['make check', 'make check <1>'],
      ['```', '----'],
      ['* `make check`: It checks', '<1> It checks'],
      ['Look.', 'Look.'],
      ['## Second', '== Second'],
      ['Look.', 'Look.'],
      ['* [ ] one thing', '* [ ] one thing'],
      ['* [ ] another thing', '* [ ] another thing'],
    ]);
  });
});
