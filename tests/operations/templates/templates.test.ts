import * as fc from 'fast-check';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { configurationFinder } from '../../../src/lint/config/configuration.ts';
import { lintSource } from '../../../src/lint/lint-source.ts';
import { formatSource } from '../../../src/lint/rewrite/format-source.ts';
import { LINT_RULES } from '../../../src/lint/rules/index.ts';
import { lintDocuments } from '../../../src/lint/run.ts';
import { TEMPLATES } from '../../../src/operations/templates/index.ts';
import { renderTemplate } from '../../../src/operations/templates/template.ts';
import { deriveSlug } from '../../../src/protocol/identity.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';
import { runs } from '../../support/thorough.ts';

const render = (kind: string, title: string, steps: string[] = [], check?: string) => {
  const template = TEMPLATES.find((each) => each.kind === kind)!;
  return renderTemplate(template, {
    title,
    slug: deriveSlug(title),
    steps,
    check: check ?? template.check ?? '',
  });
};
const TITLES = [
  'Ship [it](https://example.org) *now*',
  '![shot](shot.png) of the page',
  '<b>Bold</b> <!-- kairos-disable-file no-h1 -->',
  'Say "hi" to `code` and __all__',
  '# Title',
  '[ ] a task',
  'お茶を入れる',
];

/** The types of all nodes below. */
function typesIn(node: { type: string; children?: readonly object[] }): string[] {
  return [
    node.type,
    ...(node.children ?? []).flatMap((child) => typesIn(child as Parameters<typeof typesIn>[0])),
  ];
}

const kinds = TEMPLATES.map(({ kind }) => kind);

describe.each(kinds)('the template %s', (kind) => {
  it('lints without any finding and is in canonical form', async () => {
    const text = await render(kind, 'Rotate the keys');
    expect((await lintSource(text)).messages).toEqual([]);
    expect(await formatSource(await parseProtocol(text))).toBe(text);
  });

  it('replaces its steps with those of the author', async () => {
    const text = await render(kind, 'Rotate the keys', ['Make a new key', 'Throw the old one away']);
    const { document } = await parseProtocol(text);
    expect(document.chains[0]!.steps.map(({ label }) => label)).toEqual([
      'Make a new key',
      'Throw the old one away',
    ]);
    expect((await lintSource(text)).messages).toEqual([]);
  });

  it('lints without any finding for any title', async () => {
    for (const title of TITLES)
      expect([title, (await lintSource(await render(kind, title))).messages]).toEqual([title, []]);
  });

  it('shares no trigger with another protocol of its kind', async () => {
    const texts = [await render(kind, 'Rotate the keys'), await render(kind, 'Restore the backup')];
    const documents = texts.map((text, at) => ({
      name: `${at}.md`,
      file: null,
      isNamed: true,
      read: () => text,
    }));
    const { report } = await lintDocuments(documents, {
      rules: LINT_RULES,
      configurations: configurationFinder({ rules: LINT_RULES, overrides: new Map(), file: null }),
      cwd: '/',
      inlineConfig: true,
      fingerprints: false,
      fix: null,
    });
    expect(report.results.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it('makes of markup in a title or a label the text that it is', async () => {
    for (const title of TITLES) {
      const text = await render(kind, title, [title]);
      const nodes = new Set(
        unified()
          .use(remarkParse)
          .parse(text)
          .children.flatMap((node) => ('children' in node ? typesIn(node) : [])),
      );
      for (const type of ['link', 'image', 'html', 'emphasis', 'strong', 'inlineCode']) {
        expect([title, nodes.has(type)]).toEqual([title, false]);
      }
    }
  });

  it('keeps every title and label as given', async () => {
    const words = fc.stringMatching(
      /^[\p{L}\p{N}#*_`"'<>&.:-]{1,12}( [\p{L}\p{N}#*_`"'<>&.:-]{1,12}){0,2}$/u,
    );
    await fc.assert(
      fc.asyncProperty(words, words, async (title, label) => {
        const { document, messages } = await parseProtocol(await render(kind, title, [label]));
        expect(messages).toEqual([]);
        const [chain] = document.chains;
        expect([chain!.title, chain!.steps[0]!.label]).toEqual([title, label]);
      }),
      { numRuns: runs(40), examples: [['Title', 'constructor']] },
    );
  });
});

it.each(TEMPLATES.filter(({ check }) => check !== null).map(({ kind }) => kind))(
  'puts the command of the author into %s',
  async (kind) => {
    const { document } = await parseProtocol(await render(kind, 'Rotate', [], 'make "all" \\ check'));
    const commands = document.chains[0]!.steps.flatMap(({ block }) => {
      const proof = block?.value.proof_of_work;
      return proof?.type === 'shell' ? [proof.shell.cmd] : [];
    });
    expect(commands).toContain('make "all" \\ check');
  },
);
