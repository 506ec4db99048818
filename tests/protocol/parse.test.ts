import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { runs } from '../support/thorough.ts';
import { oddDocument, oddProtocol } from './documents.ts';
import { contentOf, expectWords, oneStep, problemsIn, stepOf } from './told.ts';

const whole = `---
slug: release-npm-package        # optional
version: 1.2.0
tags: [release, npm]
---
# Release an npm package

One paragraph.

## natural language triggers
- "ship the release"

## Run the tests
Run them on a clean tree.

\`\`\`json
{"proof_of_work": {"type": "shell", "shell": {"cmd": "npm test", "timeout_seconds": 600}, "required": true}}
\`\`\`

### Why

Because.

## Completion Rule
Reached only when every step is proven.
`;

describe('a whole protocol', () => {
  it('returns its content', async () => {
    expect(await contentOf(whole)).toEqual({
      slug: 'release-npm-package',
      title: 'Release an npm package',
      version: '1.2.0',
      tags: ['release', 'npm'],
      description: 'One paragraph.',
      triggers: '- "ship the release"',
      completion_rule: 'Reached only when every step is proven.',
      steps: [
        {
          label: 'Run the tests',
          body: 'Run them on a clean tree.\n\n### Why\n\nBecause.',
          block: {
            proof_of_work: {
              type: 'shell',
              shell: { cmd: 'npm test', timeout_seconds: 600, expect_exit_code: 0 },
              required: true,
            },
          },
        },
      ],
    });
  });

  it('returns the place of everything', async () => {
    const { document } = await parseProtocol(whole, { path: 'a.md' });
    const at = ({ start, end }: { start: { offset: number }; end: { offset: number } }) =>
      whole.slice(start.offset, end.offset);
    const chain = document.chains[0]!;
    const step = chain.steps[0]!;
    expect(document.path).toBe('a.md');
    expect(document.source).toBe(whole);
    expect(at(document.frontmatter!.place)).toMatch(/^---\nslug[\s\S]*\]\n---$/);
    expect(at(chain.titlePlace)).toBe('# Release an npm package');
    expect(at(chain.place)).toMatch(/^# Release[\s\S]*proven\.$/);
    expect(at(chain.triggers!.place)).toBe('## natural language triggers\n- "ship the release"');
    expect(at(step.labelPlace)).toBe('## Run the tests');
    expect(at(step.place)).toMatch(/^## Run the tests[\s\S]*Because\.$/);
    expect(at(step.block!.place)).toMatch(/^```json\n.*\n```$/);
    expect(at(step.block!.valuePlace)).toMatch(/^\{"proof_of_work".*\}\}$/);
    expect(step.block!.place.start).toEqual({ line: 16, column: 1, offset: whole.indexOf('```json') });
  });

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['CR', (text: string) => text.replaceAll('\n', '\r')],
    ['a BOM', (text: string) => `\ufeff${text}`],
    [
      'setext headings',
      (text: string) =>
        text
          .replace('# Release an npm package', 'Release an npm package\n===')
          .replace('## Run the tests', 'Run the tests\n---'),
    ],
    ['closed headings', (text: string) => text.replace('## Run the tests', '##\tRun   the tests  ##  ')],
    [
      'an indented fence',
      (text: string) =>
        text.replace('```json\n{', '  ``` JSON title="x"\n  {').replace('}}\n```', '}}\n   ```'),
    ],
    ['tildes', (text: string) => text.replace('```json', '~~~~json').replace('}}\n```', '}}\n~~~~~')],
    [
      'comments before the title',
      (text: string) => text.replace('# Release', '\n<!-- a\n\nb --> <!-- c -->\n\n# Release'),
    ],
    [
      'other order and spelling of keys',
      (text: string) =>
        text.replace(
          /\{"proof.*\}\}/,
          '{"challenge":{"required":true,\n\n"shell":{"timeout_seconds":600,"cmd":"npm test"}}}',
        ),
    ],
    [
      'a flat shell proof',
      (text: string) =>
        text.replace(/\{"proof.*\}\}/, '{"proof_of_work": {"cmd": "npm test", "timeout_seconds": 600}}'),
    ],
    [
      'YAML',
      (text: string) =>
        text.replace(
          /```json\n.*\n/,
          '```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: npm test\n    timeout_seconds: 600\n',
        ),
    ],
    [
      'a proof line',
      (text: string) => text.replace(/```json\n.*\n```/, '**Proof of work:** `timeout 10m npm test`'),
    ],
    [
      'the block before more text',
      (text: string) => text.replace(/(```json\n.*\n```)\n\n(### Why\n\nBecause\.)/, '$2\n\n$1'),
    ],
  ])('has the same digest with %s', async (_, change) => {
    const changed = change(whole);
    expect(changed).not.toBe(whole);
    expect(digest(await contentOf(changed))).toBe(digest(await contentOf(whole)));
  });
});

describe('structure', () => {
  it('counts headings at the top level only', async () => {
    const text =
      '# T\n\n## A\n\n> ## quoted\n\n- ## listed\n\n```\n## code\n```\n\n    ## indented\n\n<!--\n## hidden\n-->\n\n### C\n\n## B\n';
    expect((await contentOf(text)).steps.map(({ label }) => label)).toEqual(['A', 'B']);
  });

  it('numbers steps without the metadata sections', async () => {
    const { document } = await parseProtocol(
      '# T\n## A\n## Completion rule\n## B\n## NATURAL LANGUAGE TRIGGERS\nx\n',
    );
    expect(document.chains[0]!.steps.map(({ index, label }) => [index, label])).toEqual([
      [1, 'A'],
      [2, 'B'],
    ]);
    expect(document.chains[0]!.completionRule?.markdown).toBe('');
    expect(document.chains[0]!.triggers?.markdown).toBe('x');
  });

  it('makes plain text of labels', async () => {
    const { title, steps } = await contentOf(
      '# A *b* `c` [d](/e) &amp; \\*\n\n## ![alt](/x) <b>y</b> ~~z~~\n\nTwo\nlines `x`\n---\n\n##\n',
    );
    expect([title, ...steps.map(({ label }) => label)]).toEqual([
      'A b c d & *',
      'alt <b>y</b> z',
      'Two lines `x`'.replaceAll('`', ''),
      '',
    ]);
  });

  it('makes a chain of each H1, with the version and tags of the frontmatter', async () => {
    const { document, messages } = await parseProtocol(
      '---\nversion: 1.0.0\ntags: [a]\n---\n# One\n\ntext\n\n## A\n\n# Two\n## B\n',
    );
    expect(messages).toEqual([]);
    expect(
      document.chains.map(({ slug, slugSource, version, tags, description, steps }) => ({
        slug,
        slugSource,
        version,
        tags,
        description,
        steps: steps.length,
      })),
    ).toEqual([
      { slug: 'one', slugSource: 'title', version: '1.0.0', tags: ['a'], description: 'text', steps: 1 },
      { slug: 'two', slugSource: 'title', version: '1.0.0', tags: ['a'], description: '', steps: 1 },
    ]);
  });

  it("keeps the indentation of a text's first line, and no blank lines around", async () => {
    expect((await stepOf('# T\n\n## S\n\n \t\n\n    code\n\ntext  \n\n\n## B\n')).body).toBe(
      '    code\n\ntext',
    );
  });

  it('keeps the text before and after a block separate', async () => {
    const block = '```json\n{"proof_of_work": {"type": "comment"}}\n```';
    expect((await stepOf(oneStep(`a\n${block}\nb`))).body).toBe('a\n\nb');
    expect((await stepOf(oneStep(`${block}\n\n\nb`))).body).toBe('b');
    expect((await stepOf(oneStep(`- a\n\n${block}\n\n    b`))).body).toBe('- a\n\n<!-- -->\n\n    b');
  });
});

describe('problems of a document', () => {
  it.each<[string, string, string[]]>([
    ['no H1', 'text\n\n## A\n', ['no-h1 1:1 text']],
    ['nothing at all', '', ['no-h1 1:1']],
    ['a BOM only', '\ufeff', ['no-h1 1:1']],
    ['text before the H1', 'text\n# T\n## A\n', ['text-before-h1 1:1 text']],
    ['an H2 before the H1', '\n## A\n\n# T\n## B\n', ['text-before-h1 2:1 ## A']],
    ['HTML that is more than a comment', '<!-- a --> b\n\n# T\n## A\n', ['text-before-h1 1:1 <!-- a --> b']],
    ['a definition before the H1', '[a]: /b\n\n# T\n## A\n', ['text-before-h1 1:1 [a]: /b']],
    ['no steps', '# T\n\n## Completion Rule\n', ['no-steps 1:1 # T']],
    [
      'a slug for two chains',
      '---\nslug: a\n---\n# A\n## x\n# B\n## y\n',
      ['slug-with-several-chains 1:1 ---⏎slug: a⏎---'],
    ],
    ['two chains of one name', '# A b\n## x\n# A, b!\n## y\n', ['duplicate-slug 3:1 # A, b!']],
    [
      'a metadata section twice',
      '# T\n## A\n## Completion Rule\n## Completion rule\n',
      ['duplicate-section 4:1 ## Completion rule'],
    ],
    ['a title without end', `# ${'a'.repeat(1000)}\n## A\n`, [`heading-too-long 1:1 # ${'a'.repeat(1000)}`]],
    ['a fence without end', '# T\n## A\n\n```bash\ncode\n\n## B\n', ['fence-unclosed 4:1 ```bash']],
    ['a fence closed by a shorter one', '# T\n## A\n````\ncode\n```\n## B\n', ['fence-unclosed 3:1 ````']],
    ['a comment without end', '# T\n## A\n\n<!-- a\n\n## B\n', ['html-unclosed 4:1 <!-- a']],
    ['an element without end', '# T\n## A\n\n<pre>\n\n## B\n', ['html-unclosed 4:1 <pre>']],
    [
      'a fence in a fence',
      '# T\n## A\n\n```markdown\n```bash\nls\n```\ntext\n```\n',
      ['fence-nested 5:1 ```bash', 'fence-unclosed 9:1 ```'],
    ],
    [
      'a fence after text',
      '# T\n## A\n\nRun: ```bash\nls\n```\n\n## B\n',
      ['fence-inline 4:6 ```bash', 'fence-unclosed 6:1 ```'],
    ],
  ])('%s', async (_, source, problems) => expect(await problemsIn(source)).toEqual(problems));

  it('finds none in longer fences, closed elements and code spans', async () => {
    const text =
      '````md\n```bash\nls\n```\n````\n\n<pre>\n\n## x\n</pre>\n\nA ```span``` and ``` a\nb ``` more.\n\nEnds in `` ` ``';
    expect(await problemsIn(oneStep(text))).toEqual([]);
  });
});

describe('problems of the frontmatter', () => {
  it.each<[string, string, string[]]>([
    ['unreadable', '---\na: [\n---\n# T\n## A\n', ['frontmatter-unreadable 2:5 ⏎']],
    ['a key twice', '---\na: 1\na: 2\n---\n# T\n## A\n', ['frontmatter-unreadable 3:1 a']],
    ['an alias', '---\na: &x 1\nb: *x\n---\n# T\n## A\n', ['frontmatter-unreadable 2:7 1']],
    ['a tag', '---\na: !!str 1\n---\n# T\n## A\n', ['frontmatter-unreadable 2:10 1']],
    ['a text', '---\njust text\n---\n# T\n## A\n', ['frontmatter-unreadable 1:1 ---⏎just text⏎---']],
    [
      'headings, which YAML takes for comments',
      '---\n# T\n## A\n---\n# U\n## B\n',
      ['frontmatter-unreadable 1:1 ---⏎# T⏎## A⏎---'],
    ],
    ['not closed', '---\nslug: a\n\n# T\n## A\n', ['frontmatter-unterminated 1:1 ---']],
    [
      'later in the file',
      '# T\n\n---\nslug: a\ntags: [b]\n---\n\n## A\n',
      ['frontmatter-misplaced 3:1 ---⏎slug: a⏎tags: [b]⏎---'],
    ],
    ['after a blank line', '\n---\nslug: a\n---\n# T\n## A\n', ['frontmatter-misplaced 2:1 ---⏎slug: a⏎---']],
    ['a bad slug', '---\nslug: My Slug\n---\n# T\n## A\n', ['frontmatter-bad-slug 2:7 My Slug']],
    ['a number as slug', '---\nslug: 123\n---\n# T\n## A\n', ['frontmatter-bad-slug 2:7 123']],
    ['a number as version', '---\nversion: 1.2\n---\n# T\n## A\n', ['frontmatter-bad-version 2:10 1.2']],
    ['tags that are no list', '---\ntags: a, b\n---\n# T\n## A\n', ['frontmatter-bad-tags 2:7 a, b']],
    ['tags that are numbers', '---\ntags: [a, 1]\n---\n# T\n## A\n', ['frontmatter-bad-tags 2:7 [a, 1]']],
    [
      'all at once',
      '---\nslug: A\nversion: x\ntags: {}\n---\n# T\n## A\n',
      ['frontmatter-bad-slug 2:7 A', 'frontmatter-bad-version 3:10 x', 'frontmatter-bad-tags 4:7 {}'],
    ],
  ])('%s', async (_, source, problems) => expect(await problemsIn(source)).toEqual(problems));

  it('keeps unknown keys', async () => {
    const { document, messages } = await parseProtocol(
      '---\ntitle: x\nnested: {a: [1, null]}\ntags:\n---\n# T\n## A\n',
    );
    expect(messages).toEqual([]);
    expect(document.frontmatter).toMatchObject({
      data: { title: 'x', nested: { a: [1, null] }, tags: null },
      slug: undefined,
      version: undefined,
      tags: [],
    });
  });

  it('is not a rule between other things', async () => {
    expect(await problemsIn('# T\n\n## A\n\n---\n\ntext\n\n---\n\nSome text\n---\n')).toEqual([]);
  });
});

describe('texts that cannot be parsed', () => {
  it.each<[string, string, string[]]>([
    ['NUL', '# T\n\n\0x\n', ['document-invalid-text 3:1 \0']],
    ['half a surrogate pair', '# T\n\nab\ud800\n', ['document-invalid-text 3:3 \ud800']],
    ['more than 1 MiB', `# T\n${'ä'.repeat(524_287)}`, ['document-too-large 1:1']],
    ['nesting', `# T\n\n${'> '.repeat(1000)}x\n`, [`document-too-deep 3:1 ${'> '.repeat(1000)}x`]],
  ])('%s', async (_, source, problems) => {
    expect(await problemsIn(source)).toEqual(problems);
    expect((await parseProtocol(source)).document.chains).toEqual([]);
  });

  it('1 MiB to the byte is read', async () => {
    const source = `# T\n## S\n${'ä'.repeat((1_048_576 - 9) / 2)}x`;
    expect(Buffer.byteLength(source)).toBe(1_048_576);
    expect(await problemsIn(source)).toEqual([]);
  });
});

describe('any text', () => {
  const anything = fc.oneof(
    oddDocument,
    oddProtocol,
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('#', ' ', '\n', '`', '{', '"', ':', '-', '\ud800', '\0', '>', '\t', 'a'),
      maxLength: 60,
    }),
  );

  it('is parsed without throwing, and every place lies in it and points at its text', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (source) => {
        const { document, messages } = await parseProtocol(source);
        const places = [
          ...messages.map(({ place }) => place),
          ...document.chains.flatMap((chain) => [
            chain.place,
            chain.titlePlace,
            ...chain.steps.flatMap((step) => [
              step.place,
              step.labelPlace,
              ...(step.block === null ? [] : [step.block.place, step.block.valuePlace]),
            ]),
          ]),
        ];
        for (const { start, end } of places) {
          expect(start.offset).toBeGreaterThanOrEqual(0);
          expect(end.offset).toBeGreaterThanOrEqual(start.offset);
          expect(end.offset).toBeLessThanOrEqual(source.length);
        }
        for (const message of messages) expectWords(message);
        for (const { titlePlace } of document.chains) {
          expect(source.slice(titlePlace.start.offset, titlePlace.end.offset)).toMatch(/^#(?:\s|$)|=+$/);
        }
        expect(messages).toEqual([...messages].sort((a, b) => a.place.start.offset - b.place.start.offset));
      }),
      { numRuns: runs(300) },
    );
  });
});
