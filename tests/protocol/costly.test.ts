import { expect, it } from 'vitest';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { MAX_STEPS } from '../../src/protocol/terms.ts';

const BLOCK = '```json\n{"proof_of_work": {"type": "comment"}}\n```\n\n';
const codes = async (source: string) =>
  (await parseProtocol(source)).messages.map(({ code, args }) => ({ code, ...args }));

it('reads a document of many steps up to the limit', async () => {
  const source = `# Long\n\n${'## Step\n\nDo it.\n\n'.repeat(MAX_STEPS)}${BLOCK}`;
  expect(await codes(source)).toEqual([]);
  expect(await codes(`${source}## Another\n`)).toEqual([
    { code: 'document-too-large', what: 'steps', size: MAX_STEPS + 1, limit: MAX_STEPS },
  ]);
});

it('stops reading a document that remark needs minutes for', async () => {
  const { document, messages } = await parseProtocol(
    `# Long\n\n## Step\n\n${'a\n='.repeat(50_000)}\n\n${BLOCK}`,
  );
  expect(document.chains).toEqual([]);
  expect(messages).toMatchObject([{ code: 'document-too-large', args: { what: 'time', limit: 10 } }]);
}, 120_000);
