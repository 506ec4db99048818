import { expect, it } from 'vitest';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { MAX_STEPS } from '../../src/protocol/terms.ts';
import { THOROUGH } from '../support/thorough.ts';

const BLOCK = '```json\n{"proof_of_work": {"type": "comment"}}\n```\n\n';
/** Where time matters, a document has less of it than from an author. */
const options = THOROUGH ? {} : { limitMs: 500 };
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
    `# Long\n\n## Step\n\n${'a\n='.repeat(300_000)}\n\n${BLOCK}`,
    options,
  );
  expect(document.chains).toEqual([]);
  expect(messages).toMatchObject([
    { code: 'document-too-large', args: { what: 'time', limit: THOROUGH ? 10 : 0.5 } },
  ]);
}, 600_000);

const stepOf = (result_schema: object) =>
  `## Step\n\n\`\`\`json\n${JSON.stringify({ proof_of_work: { type: 'mcp', mcp: { tool_name: 't', result_schema } } })}\n\`\`\`\n\n`;

it('reads hundreds of schemas', async () => {
  const steps = Array.from({ length: THOROUGH ? 300 : 100 }, (_, at) =>
    stepOf({ properties: { [`key${at}`]: { minLength: at } } }),
  );
  expect(await codes(`# Many\n\n${steps.join('')}`)).toEqual([]);
}, 600_000);

it('stops reading a document whose schemas exceed the time together', async () => {
  const schema = (step: number) => ({
    properties: Object.fromEntries(
      Array.from({ length: 800 }, (_, at) => [`key${at}`, { pattern: `(x{0,30}y{0,30}${step}){0,30}${at}` }]),
    ),
  });
  const steps = Array.from({ length: 18 }, (_, step) => stepOf(schema(step)));
  const { document, messages } = await parseProtocol(`# Costly\n\n${steps.join('')}`, options);
  expect(document.chains).toEqual([]);
  expect(messages).toMatchObject([
    { code: 'document-too-large', args: { what: 'time', limit: THOROUGH ? 5 : 0.5 } },
  ]);
  // The second time it is not read at all.
  expect((await parseProtocol(document.source, options)).messages[0]).toBe(messages[0]);
}, 600_000);

it('gives a fault of a pattern no place when finding it needs too long', async () => {
  const pattern = `${'a*'.repeat(4_000)}(*`;
  const block = { proof_of_work: { type: 'user_input', user_input: { prompt: 'Which one?', pattern } } };
  const { messages } = await parseProtocol(
    `# One\n\n## Step\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`,
  );
  expect(messages).toMatchObject([
    { code: 'block-bad-pattern', args: { reason: 'missing argument to repetition operator' } },
  ]);
}, 600_000);
