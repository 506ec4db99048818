import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeOutputReader } from '../../src/host/outputs/reader.ts';
import { type AttestInput, type AttestOutput, attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { search } from '../../src/operations/search.ts';
import { RESERVED_CREATE_ID, RESERVED_REFINE_ID, stepUri } from '../../src/protocol/identity.ts';
import type { Assurance } from '../../src/protocol/schema.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { type Tools, walkLiterally } from '../support/walker.ts';
import { runShell } from './run-step.ts';
import { chainOf, loadShipped, type Shipped } from './shipped.ts';
import { FAKES_PATH, loadWalks, prepareDirectory } from './walk-data.ts';

const shipped = await loadShipped();
const walks = loadWalks();
const uris: Record<string, string> = {
  'create-a-protocol': stepUri(RESERVED_CREATE_ID, 1),
  'refine-a-search': stepUri(RESERVED_REFINE_ID, 1),
};
const directories: string[] = [];
let ctx: TestContext;

beforeAll(async () => {
  ctx = await makeContext();
  for (const { name, path, source } of shipped) {
    if (path.startsWith('reserved/')) continue;
    const { items } = await mint(ctx, { markdown_doc: source });
    uris[name] = items[0]!.uri;
  }
});
afterAll(() => Promise.all(directories.map((path) => rm(path, { recursive: true, force: true }))));

/** Those that a gate guards need people and a policy, and are walked in shipped-gate.test.ts. */
const unguarded = shipped.filter(({ name }) => name !== 'retire-service');

test.each(unguarded)('a literal agent seals $name, its commands really run', async (protocol) => {
  const directory = await prepareDirectory(walks[protocol.name]!);
  directories.push(directory);
  const answers = await answersOf(protocol, directory);
  const walked = await walkLiterally(
    await toolsWithFakes(directory, walks[protocol.name]!.inputs),
    uris[protocol.name]!,
    {
      convention: 'as-told',
      solve: (challenge) => {
        const answer = answers.shift()!;
        expect(answer).toMatchObject({ type: challenge.type });
        return answer;
      },
    },
  );
  expect(walked.answers.flatMap(({ error_code }) => error_code ?? [])).toEqual([]);
  expect(answers).toEqual([]);
  const sealed = walked.answers.at(-1) as AttestOutput;
  expect(sealed).toMatchObject({ next_action: null, total_rated: 1, total_failed: 0 });
});

describe('search', () => {
  // The reserved ones are offered beside the matches, never among them.
  const minted = shipped.filter(({ path }) => !path.startsWith('reserved/'));
  const phrases = minted.flatMap((protocol) =>
    (chainOf(protocol).triggers?.markdown ?? '')
      .split('\n')
      .map((line) => ({ name: protocol.name, phrase: line.replace(/^- "|"$/g, '') })),
  );

  test.each(phrases)('"$phrase" finds $name first', async ({ name, phrase }) => {
    const { choices } = await search(ctx, { query: phrase });
    expect(choices[0]).toMatchObject({ uri: uris[name], role: 'match' });
  });
});

/** What the walker hands in, in order: the answers of walks.json, and what the commands gave on the fakes. */
async function answersOf(protocol: Shipped, directory: string): Promise<Record<string, unknown>[]> {
  const walk = walks[protocol.name]!;
  const answers: Record<string, unknown>[] = [];
  for (const step of chainOf(protocol).steps) {
    const proof = step.block?.value.proof_of_work;
    const answer = walk.steps[step.index];
    if (proof?.type === 'shell') {
      answers.push({ type: 'shell', shell: await runShell(proof, directory, walk, FAKES_PATH) });
    } else if (answer?.user_input !== undefined) {
      answers.push({ type: 'user_input', user_input: { confirmation: answer.user_input } });
    } else if (answer?.comment !== undefined) {
      answers.push({ type: 'comment', comment: { text: answer.comment } });
    } else if (answer?.sampling !== undefined) {
      answers.push({ type: 'sampling', sampling: { result: answer.sampling } });
    } else if (answer?.mcp !== undefined) {
      answers.push({ type: 'mcp', mcp: answer.mcp });
    }
  }
  return answers;
}

/** The operations of a face that runs commands, calls tools and reads files itself, and asks a person at a terminal. */
async function toolsWithFakes(directory: string, inputs: Record<string, string>): Promise<Tools> {
  const here: TestContext = { ...ctx, outputs: await makeOutputReader(directory, []) };
  return {
    begin: async (input) => (await begin(here, { ...input, inputs })) as RunFields,
    next: (input) => next(here, input, { assurance: assuranceOf(input.solution) }),
    attest: (input) => attest(here, input as AttestInput),
  };
}

function assuranceOf(solution: unknown): Assurance {
  const { type } = (solution ?? {}) as { type?: string };
  return type === 'shell' || type === 'mcp' ? 'observed' : 'client';
}
