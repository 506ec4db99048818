import { describe, expect, it } from 'vitest';
import { digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { renderChain } from '../../src/protocol/render.ts';
import { corpusFiles, hasCorpus } from './corpus.ts';

/** Of each chain, what its steps demand (`-`: nothing), and what is wrong with the file: code and line. */
interface Expected {
  chains: string[];
  errors: string[];
}

const shell = (count: number): string => Array(count).fill('shell').join(' ');
const none = (count: number): string => Array(count).fill('-').join(' ');

const expected: Record<string, Expected> = {
  '02-ai-coding-rules-2025-11-25-pow-lines.md': { chains: [`- ${shell(11)}`], errors: [] },
  '03-ai-agent-protocol-bullet-pow.md': { chains: [shell(8)], errors: [] },
  '07-atlassian-two-h1-midfile-frontmatter.md': {
    chains: [none(1), none(2)],
    errors: ['frontmatter-misplaced 75'],
  },
  '08-context7-frontmatter-em-dash.md': { chains: [none(1)], errors: [] },
  '11-mem-1000-large-67k.md': { chains: [`- - ${shell(8)} -`], errors: [] },
  '12-mem-1001-minting-guide-pow-in-fences.md': { chains: [none(11)], errors: [] },
  '14-create-new-protocol-2026-02-25.md': {
    chains: ['comment - - user_input comment comment user_input mcp'],
    errors: [42, 57, 69, 98, 113, 125, 137].map((line) => `block-duplicate ${line}`),
  },
  '16-cli-minimal-2025-12-04-pow.md': { chains: ['shell'], errors: [] },
  '18-example-all-types-2026-02-19.md': { chains: ['shell mcp user_input comment'], errors: [] },
  '19-example-all-types-v3.4.md': { chains: ['shell mcp user_input comment -'], errors: [] },
  '21-kairos-code-frontmatter-2026-03-12.md': {
    chains: [`comment ${none(10)} shell`],
    errors: [49, 64, 97, 108, 121, 132, 156, 166, 224, 257].map((line) => `block-duplicate ${line}`),
  },
  '24-create-new-protocol-v3.4.1.md': { chains: ['- user_input shell shell shell mcp'], errors: [] },
  '27-challenge-type-guide-v3.4.1.md': {
    chains: ['- - comment - -'],
    errors: [
      'block-pseudo-fence 73',
      'block-pseudo-fence 85',
      'block-pseudo-fence 97',
      'block-nested 108',
      'fence-inline 150',
      'block-nested 168',
      'fence-inline 200',
      'block-nested 211',
      'fence-inline 221',
      'block-nested 247',
    ],
  },
  '29-twelve-step-linear-v4-contract.md': {
    chains: [none(12)],
    errors: Array.from({ length: 12 }, (_, at) => `block-unknown-key ${15 + 14 * at}`),
  },
};

describe.skipIf(!hasCorpus)('real protocols', () => {
  it('are all looked at', () => {
    expect(corpusFiles('protocols').map(({ name }) => name)).toEqual(Object.keys(expected));
  });

  it.each(corpusFiles('protocols').map(({ name, source }) => [name, source] as const))(
    '%s gives the right chain or errors with their places',
    async (name, source) => {
      const { document, messages } = await parseProtocol(source);
      const errors = messages.filter(({ severity }) => severity === 'error');
      expect({
        chains: document.chains.map(({ steps }) =>
          steps.map(({ block }) => block?.value.proof_of_work?.type ?? '-').join(' '),
        ),
        errors: errors.map(({ code, place }) => `${code} ${place.start.line}`),
      }).toEqual(expected[name]);
    },
  );

  it.each(
    [...corpusFiles('protocols'), ...corpusFiles('runbooks')].map(
      ({ name, source }) => [name, source] as const,
    ),
  )('%s keeps its digest when it is written back', async (_, source) => {
    const { document, messages } = await parseProtocol(source);
    const isSound = messages.every(({ severity }) => severity !== 'error');
    for (const content of document.chains.map(toContent)) {
      const again = await parseProtocol(renderChain(content));
      if (isSound) expect(again.messages).toEqual([]);
      expect(again.document.chains.map((chain) => digest(toContent(chain)))).toEqual([digest(content)]);
    }
  });
});
