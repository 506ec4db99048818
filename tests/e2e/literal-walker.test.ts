import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { DEPRECATED } from '../../src/operations/input.ts';
import { type MintOutput, mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { CONVERSION_NOTES } from '../../src/proof/solution.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { overStdio, structured, type TestClient } from '../mcp/support.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { cliTools } from '../support/cli-tools.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf, WALKS } from '../support/protocols.ts';
import { rightAnswer, walkLiterally, wrongAnswer } from '../support/walker.ts';

/** Walkers that only do what they are told, and those that still speak as they used to. */
let home: CliHome;
beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());

describe('the literal agent, through the real binary', () => {
  const uris: string[] = [];
  const runs: string[] = [];

  beforeAll(async () => {
    writeFileSync(join(home.work, 'report.txt'), 'All parts are done.');
    const files = WALKS.map(([kinds], at) => {
      const name = `walk-${at}.md`;
      writeFileSync(join(home.work, name), protocolOf(kinds));
      return name;
    });
    const minted = await kairosJson(home, ['mint', ...files, '--force']);
    expect(minted.code).toBe(0);
    for (const { items } of minted.objects as unknown as MintOutput[]) uris.push(items[0]!.uri);
  });

  describe.each(['as-told', 'pending'] as const)('naming steps %s', (convention) => {
    // Half of the sample one way, half the other, and the longest both ways.
    const half = WALKS.map(([kinds, wrong], at) => ({ kinds, wrong, at })).filter(
      ({ kinds, at }) => kinds.length === 4 || at % 2 === (convention === 'as-told' ? 0 : 1),
    );
    it.each(half)('$kinds, wrong: $wrong', async ({ wrong, at }) => {
      const { answers } = await walkLiterally(cliTools(home), uris[at]!, {
        convention,
        solve: (challenge, call) => (call === wrong ? wrongAnswer(challenge) : rightAnswer(challenge, call)),
      });
      expect(answers.at(-1)).toMatchObject({
        next_action: null,
        protocol_status: 'completed',
        results: [{ outcome: 'success' }],
      });
      expect(answers.filter(({ error_code }) => error_code != null)).toHaveLength(wrong === null ? 0 : 1);
      runs.push(answers[0]!.run_id!);
    });
  });

  it('leaves records that verify', async () => {
    expect(runs.length).toBeGreaterThan(0);
    expect(await kairos(home, ['verify', ...runs])).toMatchObject({ code: 0 });
  });
});

/** One call of a tool, by its MCP name, whatever stands behind it. */
type Face = (tool: string, input: Record<string, unknown>) => Promise<RunFields & Record<string, unknown>>;

const DOCUMENT = protocolOf(['shell', 'comment'], 'Older names');
const RESULT = { exit_code: 0, stdout: 'fine\n', stderr: '', duration_seconds: 0.2 };
const MESSAGE = 'Looked at all of it, and it holds what it should.';

/** How a solution was, or still is, handed in: what the input is then, and what the answer says of it. */
const FORMS: Record<string, { input: (solution: Solution) => Record<string, unknown>; note: string | null }> =
  {
    proof_of_work: { input: (solution) => ({ proof_of_work: solution }), note: DEPRECATED.proofOfWork },
    proof_of_work_result: {
      input: (solution) => ({ proof_of_work_result: solution }),
      note: DEPRECATED.proofOfWorkResult,
    },
    'JSON text': { input: (solution) => ({ solution: JSON.stringify(solution) }), note: null },
    'an object around it': {
      input: (solution) => ({ solution: { proof_of_work: solution } }),
      note: CONVERSION_NOTES.wrapped,
    },
    'a flat shell result': {
      input: ({ nonce, proof_hash }) => ({ solution: { nonce, proof_hash, ...RESULT } }),
      note: CONVERSION_NOTES.flatShell,
    },
    'no type': {
      input: ({ nonce, proof_hash, shell }) => ({ solution: { nonce, proof_hash, shell } }),
      note: CONVERSION_NOTES.missingType,
    },
  };
interface Solution {
  type: 'shell';
  nonce: string;
  proof_hash: string;
  shell: object;
}

describe.each(['the operations', 'the real binary as a server', 'the command line'] as const)(
  'older names and forms, through %s',
  (through) => {
    let face: Face;
    let server: TestClient | null = null;
    let uris: string[];

    beforeAll(async () => {
      if (through === 'the real binary as a server') server = await overStdio('sdk-1', home);
      face =
        through === 'the operations'
          ? await operationsFace()
          : server === null
            ? commandLineFace(home)
            : async (tool, input) => structured(await server!.call(tool, input));
      const { items } = (await face('kairos_mint', {
        markdown_doc: DOCUMENT,
        force_update: true,
      })) as unknown as MintOutput;
      uris = items.map(({ uri }) => uri);
    });
    afterAll(() => server?.close());

    /** A new run, and the solution of its first step. */
    async function shown(): Promise<{ run_id: string; solution: Solution }> {
      const { run_id, challenge } = await face('kairos_begin', { uri: uris[0] });
      const { nonce, proof_hash } = challenge!;
      return { run_id: run_id!, solution: { type: 'shell', nonce, proof_hash, shell: RESULT } };
    }

    // The command line has `--solution` and no older name of it.
    const forms = Object.entries(FORMS).filter(
      ([name]) => through !== 'the command line' || !name.startsWith('proof_of_work'),
    );
    it.each(forms)('%s is accepted, and reported as old where it is', async (_name, { input, note }) => {
      const { run_id, solution } = await shown();
      const answer = await face('kairos_next', { uri: uris[1], run_id, ...input(solution) });
      expect(answer).toMatchObject({ must_obey: true, current_step: { uri: uris[1] } });
      expect(answer.error_code ?? null).toBeNull();
      if (note === null) expect(answer.message ?? '').not.toContain('Deprecated');
      else expect(answer.message).toContain(note);
      expect(answer.next_action).not.toContain('Deprecated');
    });

    it('the old flat result without a nonce is requested again with one', async () => {
      const { run_id } = await shown();
      const old = { uri: uris[0], ...RESULT, executed_at: '2025-01-29T12:00:00Z' };
      const key = through === 'the command line' ? 'solution' : 'proof_of_work_result';
      const answer = await face('kairos_next', { uri: uris[1], run_id, [key]: old });
      expect(answer).toMatchObject({
        error_code: 'NONCE_MISMATCH',
        must_obey: true,
        retry_count: 1,
        challenge: { type: 'shell', nonce: expect.stringMatching(/^[0-9a-f]{32}$/) },
        next_action: expect.stringMatching(
          /^retry kairos_next with kairos:\S+ -- use nonce and proof_hash from THIS response's challenge; run_id /,
        ),
      });
      expect(answer.message).toContain(CONVERSION_NOTES.flatShell);
      const { nonce, proof_hash } = answer.challenge!;
      const again = await face('kairos_next', { uri: uris[0], run_id, [key]: { nonce, proof_hash, ...old } });
      expect(again).toMatchObject({ current_step: { uri: uris[1] }, challenge: { type: 'comment' } });
      expect(again.error_code ?? null).toBeNull();
    });

    it.skipIf(through === 'the command line')(
      'attest accepts proof_of_work for the closing comment',
      async () => {
        const { run_id, solution } = await shown();
        const told = await face('kairos_next', { uri: uris[1], run_id, solution });
        const bound = ({ challenge }: RunFields, text: string) => ({
          type: 'comment',
          nonce: challenge!.nonce,
          proof_hash: challenge!.proof_hash,
          comment: { text },
        });
        const ended = await face('kairos_next', { uri: uris[1], run_id, solution: bound(told, MESSAGE) });
        const sealed = await face('kairos_attest', {
          uri: uris[1],
          run_id,
          outcome: 'success',
          message: 'Done.',
          proof_of_work: bound(ended, `In the end: ${MESSAGE}`),
        });
        expect(sealed).toMatchObject({
          next_action: null,
          results: [{ outcome: 'success', message: 'Done.' }],
        });
        expect(sealed.message).toContain(DEPRECATED.proofOfWork);
      },
    );

    it.skipIf(through === 'the command line')('begin with a query answers as search', async () => {
      const answer = await face('kairos_begin', { query: 'older names' });
      expect(answer).toMatchObject({
        must_obey: true,
        protocol_status: 'match',
        choices: [{ uri: uris[0], role: 'match', next_action: `call kairos_begin with ${uris[0]}` }],
      });
      expect(answer.message).toContain(DEPRECATED.beginQuery);
    });
  },
);

async function operationsFace(): Promise<Face> {
  const ctx = await makeContext();
  const tools = { kairos_mint: mint, kairos_begin: begin, kairos_next: next, kairos_attest: attest };
  return async (tool, input) =>
    (await tools[tool as keyof typeof tools](ctx, input as never)) as RunFields & Record<string, unknown>;
}

function commandLineFace(at: CliHome): Face {
  const { begin: beginRun, next: nextStep } = cliTools(at);
  return async (tool, input) => {
    if (tool === 'kairos_begin') return (await beginRun(input as { uri: string })) as never;
    if (tool === 'kairos_next') return (await nextStep(input as { uri: string })) as never;
    writeFileSync(join(at.work, 'older.md'), String(input.markdown_doc));
    return (await kairosJson(at, ['mint', 'older.md', '--force'])).objects[0] as never;
  };
}
