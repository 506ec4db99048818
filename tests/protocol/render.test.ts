import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest, toContent } from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { renderBlock, renderChain, renderStep } from '../../src/protocol/render.ts';
import { runs } from '../support/thorough.ts';
import { oddLabel, oddProtocol } from './documents.ts';

const content: ChainContent = {
  slug: 'release-npm-package',
  title: 'Release a package',
  version: '1.2.0',
  tags: ['release', 'npm publish'],
  description: 'What this is for.',
  triggers: '- "ship it"',
  completion_rule: 'When all is done.',
  steps: [
    {
      label: 'Run the tests',
      body: 'On a clean tree.',
      block: {
        proof_of_work: {
          type: 'shell',
          shell: { cmd: 'npm test', timeout_seconds: 600, expect_exit_code: 0 },
          required: true,
        },
      },
    },
    { label: 'Tell everybody', body: '', block: null },
  ],
};

const canonicalMarkdown = `---
slug: release-npm-package
version: 1.2.0
tags: [release, "npm publish"]
---

# Release a package

What this is for.

## Natural Language Triggers

- "ship it"

## Run the tests

On a clean tree.

\`\`\`sh proof timeout=10m
npm test
\`\`\`

## Tell everybody

## Completion Rule

When all is done.
`;

async function reparsed(text: string): Promise<ChainContent> {
  const { document, messages } = await parseProtocol(text);
  expect({ text, messages }).toEqual({ text, messages: [] });
  expect(document.chains).toHaveLength(1);
  return toContent(document.chains[0]!);
}

describe('renderChain', () => {
  it('writes everything in one order', () => {
    expect(renderChain(content)).toBe(canonicalMarkdown);
  });

  it('is read back as the same content', async () => {
    expect(await reparsed(canonicalMarkdown)).toEqual(content);
  });

  it('leaves out what a chain does not have', () => {
    const bare = {
      ...content,
      version: null,
      tags: [],
      description: '',
      triggers: null,
      completion_rule: null,
      steps: [],
    };
    expect(renderChain(bare)).toBe('---\nslug: release-npm-package\n---\n\n# Release a package\n');
  });

  it.each(['123', 'null', 'true', '1e5', '0x1f', 'no', 'a-b', '1-2'])(
    'keeps the slug %j a text',
    async (slug) => {
      expect((await reparsed(renderChain({ ...content, slug }))).slug).toBe(slug);
    },
  );

  it('keeps empty metadata sections', async () => {
    const empty = { ...content, triggers: '', completion_rule: '' };
    expect(await reparsed(renderChain(empty))).toEqual(empty);
  });

  it('keeps indented code at the beginning of a text', async () => {
    const code = {
      ...content,
      description: '    # no heading',
      steps: [{ ...content.steps[0]!, body: '\tcode\n\ntext' }],
    };
    expect(await reparsed(renderChain(code))).toEqual(code);
  });

  it('keeps every title, label and tag', async () => {
    await fc.assert(
      fc.asyncProperty(
        oddLabel,
        oddLabel,
        fc.array(fc.string({ minLength: 1, unit: 'binary' }), { maxLength: 2 }),
        async (title, label, tags) => {
          const named: ChainContent = {
            ...content,
            title:
              title.replace(/ +/g, ' ').trim() === '' ? '' : title.replace(/ +/g, ' ').replace(/^ | $/g, ''),
            tags: tags.filter((tag) => tag.trim() !== '' && !tag.includes('\0')),
            steps: [{ label: label.replace(/ +/g, ' ').replace(/^ | $/g, ''), body: '[a]: /b', block: null }],
          };
          fc.pre(!/^(?:natural language triggers|completion rule)$/i.test(label));
          expect(await reparsed(renderChain(named))).toEqual(named);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('a document without errors', () => {
  it('keeps its digest when it is rendered and read again', async () => {
    let sound = 0;
    await fc.assert(
      fc.asyncProperty(oddProtocol, async (source) => {
        const { document, messages } = await parseProtocol(source);
        if (messages.some(({ severity }) => severity === 'error')) return;
        sound += 1;
        for (const chain of document.chains) {
          const before = toContent(chain);
          const text = renderChain(before);
          const again = await parseProtocol(text);
          const errors = again.messages.filter(({ severity }) => severity === 'error');
          expect({ source, text, errors }).toEqual({ source, text, errors: [] });
          const after = again.document.chains.map(toContent);
          expect({ source, text, after }).toEqual({ source, text, after: [before] });
          expect(digest(after[0]!)).toBe(digest(before));
        }
      }),
      { numRuns: runs(300) },
    );
    expect(sound).toBeGreaterThan(0);
  });
});

describe('renderStep', () => {
  it('is the step of the chain', () => {
    expect(renderStep(content.steps[1]!)).toBe('## Tell everybody\n');
    expect(canonicalMarkdown).toContain(renderStep(content.steps[0]!));
  });

  it('makes one line of a label', () => {
    expect(renderStep({ label: ' a\n b ', body: '', block: null })).toBe('## a b\n');
  });
});

describe('renderBlock', () => {
  it('orders keys as the schema does, for any order of the input', () => {
    expect(
      renderBlock({
        outputs: [{ exists: true, path: 'a' }],
        proof_of_work: { required: true, comment: { min_length: 9 }, type: 'comment' },
      }),
    ).toBe(
      `\`\`\`json
{
  "proof_of_work": {
    "type": "comment",
    "comment": {
      "min_length": 9
    }
  },
  "outputs": [
    {
      "path": "a",
      "exists": true
    }
  ]
}
\`\`\``,
    );
  });

  it.each([
    [{ timeout_seconds: 600, expect_exit_code: 0 }, 'sh proof timeout=10m'],
    [{ timeout_seconds: 90, expect_exit_code: 2, env: ['A', 'B'] }, 'sh proof timeout=90s exit=2 env=A,B'],
    [
      { timeout_seconds: 7200, expect_exit_code: 0, workdir: 'a/b', interpreter: 'python3' as const },
      'python3 proof timeout=2h workdir=a/b',
    ],
  ])('writes %j in shorthand', (shell, info) => {
    const block = renderBlock({
      proof_of_work: { type: 'shell', shell: { cmd: 'x', ...shell }, required: true },
    });
    expect(block).toBe(`\`\`\`${info}\nx\n\`\`\``);
  });

  it.each([
    [{ stdout_matches: 'ok' }, {}],
    [{ interactive: false }, {}],
    [{ env: [] }, {}],
    [{ workdir: 'my folder' }, {}],
    [{ cmd: 'printf \u202e\ud800' }, {}],
    [{ cmd: 'a\rb' }, {}],
    [{}, { required: false }],
    [{}, { assurance: 'observed' as const }],
  ])('keeps %j %j in the full form', (shell, more) => {
    const definition = { cmd: 'x', timeout_seconds: 60, expect_exit_code: 0, ...shell };
    const block = renderBlock({
      proof_of_work: { type: 'shell', shell: definition, required: true, ...more },
    });
    expect(block.split('\n')[0]).toBe('```json');
  });

  it('is read back as the same block with any command', async () => {
    const cmd = fc
      .oneof(
        fc.string({ minLength: 1, unit: 'binary' }),
        fc
          .array(fc.constantFrom('`', '~', '```', '\n', ' ', '#', 'a', '"', '$(', '<!--', '\t', '---'), {
            minLength: 1,
          })
          .map((parts) => parts.join('')),
      )
      .filter((text) => /\S/.test(text) && !text.includes('\0') && !text.includes('{{'));
    await fc.assert(
      fc.asyncProperty(cmd, async (text) => {
        const shell = { cmd: text, timeout_seconds: 60, expect_exit_code: 0 };
        const step = {
          label: 'Test',
          body: '',
          block: { proof_of_work: { type: 'shell' as const, shell, required: true } },
        };
        const written = { ...content, steps: [step] };
        expect(await reparsed(renderChain(written))).toEqual(written);
      }),
      { numRuns: runs(300) },
    );
  });

  it('fences with more backticks than the block contains', () => {
    const block = renderBlock({
      proof_of_work: { type: 'user_input', user_input: { prompt: 'see ````json' }, required: true },
    });
    expect(block.split('\n')[0]).toBe('`````json');
  });
});
