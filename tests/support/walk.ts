import { type AttestInput, type AttestOutput, attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import type { Challenge, RunFields } from '../../src/run/walk-fields.ts';
import type { TestContext } from './context.ts';

/** A minted protocol with one begun run, and short calls on it. */
export interface Walk {
  uris: string[];
  runId: string;
  /** The answer of begin. */
  begun: RunFields;
  /** Hands in `payload`, bound to `challenge`, at the URI of a 1-based step. */
  solve(
    step: number,
    challenge: Challenge | null | undefined,
    payload: object,
    ctx?: TestContext,
  ): Promise<RunFields>;
  /** kairos_next without a solution. */
  show(step: number): Promise<RunFields>;
  attest(input?: Partial<AttestInput>): Promise<AttestOutput>;
  kinds(): Promise<string[]>;
}

export async function startWalk(ctx: TestContext, markdown: string): Promise<Walk> {
  const { items } = await mint(ctx, { markdown_doc: markdown, force_update: true });
  const uris = items.map(({ uri }) => uri);
  const begun = (await begin(ctx, { uri: uris[0]! })) as RunFields;
  const runId = begun.run_id!;
  return {
    uris,
    runId,
    begun,
    solve: (step, challenge, payload, other = ctx) =>
      next(other, {
        uri: uris[step - 1]!,
        run_id: runId,
        solution: { nonce: challenge?.nonce, proof_hash: challenge?.proof_hash, ...payload },
      }),
    show: (step) => next(ctx, { uri: uris[step - 1]!, run_id: runId }),
    attest: (input = {}) =>
      attest(ctx, {
        uri: uris[0]!,
        outcome: 'success',
        message: 'All of it went as it should and was looked at.',
        run_id: runId,
        ...input,
      }),
    kinds: async () => (await ctx.store.readEntries(runId)).map(({ kind }) => kind),
  };
}

export const shellOk = { type: 'shell', shell: { exit_code: 0, stdout: 'fine\n' } };
export const shellBad = { type: 'shell', shell: { exit_code: 1, stderr: 'not fine\n' } };
export const comment = (text: string) => ({ type: 'comment', comment: { text } });
