import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { migrateSource } from '../../../src/lint/rewrite/migrate-source.ts';
import { attest } from '../../../src/operations/attest.ts';
import { begin } from '../../../src/operations/begin.ts';
import { mint } from '../../../src/operations/mint.ts';
import { next } from '../../../src/operations/next.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';
import type { Challenge, RunFields } from '../../../src/run/walk-fields.ts';
import { makeContext } from '../../support/context.ts';
import { rightAnswer, type Tools, walkLiterally } from '../../support/walker.ts';
import { decideAll, faults } from './support/decide.ts';

const CORPUS = fileURLToPath(new URL('../../../../shared/corpus/protocols/', import.meta.url));
const RUNBOOKS = fileURLToPath(new URL('../../../../shared/corpus/runbooks/', import.meta.url));

/** Documents about step blocks, whose examples stand where a block would: somebody has to say what is meant. */
const NEEDS_A_HUMAN = /^(?:07|14|21|27)-/;

describe.skipIf(!existsSync(CORPUS))('migrateSource on the corpus', () => {
  const files = existsSync(CORPUS) ? readdirSync(CORPUS) : [];
  const read = (name: string) => readFileSync(CORPUS + name, 'utf8');

  it.each(files.filter((name) => !NEEDS_A_HUMAN.test(name)))(
    '%s mints and runs to its seal',
    async (name) => {
      expect(await walk((await migrateSource(read(name))).text)).toMatchObject({ next_action: null });
    },
  );

  it.each(files.filter((name) => NEEDS_A_HUMAN.test(name)))(
    '%s reports where a human is needed',
    async (name) => {
      const { text, decisions } = await migrateSource(read(name));
      const { messages } = await parseProtocol(text);
      const errors = messages.filter(({ severity }) => severity === 'error');
      expect(errors.length).toBeGreaterThan(0);
      for (const { code, place } of errors)
        expect(decisions).toContainEqual(expect.objectContaining({ code, place }));
    },
  );

  it('migrates a document once a person has confirmed that its step blocks count and its proof lines do not', async () => {
    const name = files.find((file) => file.startsWith('21-'))!;
    const decided = read(name).replace(/^Proof of work: .*$/gm, (line) => `(${line})`);
    expect(await walk((await migrateSource(decided)).text)).toMatchObject({ next_action: null });
  });

  const all = [
    ...files.map((name) => CORPUS + name),
    ...(existsSync(RUNBOOKS) ? readdirSync(RUNBOOKS).map((name) => RUNBOOKS + name) : []),
  ];

  it.each(all)('%s lints clean and runs to its seal, once its faults are fixed', async (path) => {
    const decided = await decideAll((await migrateSource(readFileSync(path, 'utf8'))).text);
    expect(await faults(decided)).toEqual([]);
    expect(await migrateSource(decided)).toEqual({ text: decided, decisions: [] });
    expect(await walk(decided)).toMatchObject({ next_action: null });
  });

  async function walk(text: string): Promise<RunFields> {
    const ctx = await makeContext();
    const { items } = await mint(ctx, { markdown_doc: text });
    const tools: Tools = {
      begin: async (input) => (await begin(ctx, input)) as RunFields,
      next: (input) => next(ctx, input),
      attest: (input) => attest(ctx, input as Parameters<typeof attest>[1]),
    };
    const { answers } = await walkLiterally(tools, items[0]!.uri, {
      convention: 'as-told',
      solve: declaredAnswer,
    });
    return answers.at(-1)!;
  }
});

/** As `rightAnswer`, with the arguments and the result that a tool's step declares, and long enough for any of the comments. */
function declaredAnswer(challenge: Challenge, call: number): Record<string, unknown> {
  const answer = rightAnswer(challenge, call);
  if (challenge.type === 'comment') {
    const text = `Account ${call}: what was asked for was read and compared with what had been there before, and each difference was written down with its reason and its date.`;
    return { ...answer, comment: { text } };
  }
  if (challenge.type !== 'mcp') return answer;
  const { tool_name, arguments: args, expected_result: result = {} } = challenge.mcp!;
  return { ...answer, mcp: { tool_name, ...(args && { arguments: args }), result, success: true } };
}
