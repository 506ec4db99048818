import { expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { next } from '../../src/operations/next.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { startWalk } from '../support/walk.ts';

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

it.each([66, 20_000])(
  'a solution that nests %i deep is refused under every name, and nothing is counted',
  async (depth) => {
    const ctx = await makeContext();
    const walk = await startWalk(ctx, protocolOf(['shell', 'none'], 'Deep down'));
    const call = { uri: walk.uris[0]!, run_id: walk.runId };
    const refusal = { code: 'INVALID_INPUT', message: 'the solution is nested deeper than 64' };
    const before = await walk.kinds();
    for (const name of ['solution', 'proof_of_work', 'proof_of_work_result']) {
      await expect(next(ctx, { ...call, [name]: nested(depth) })).rejects.toMatchObject(refusal);
      await expect(next(ctx, { ...call, [name]: { mcp: { result: nested(depth) } } })).rejects.toMatchObject(
        refusal,
      );
    }
    const end = { ...call, outcome: 'success' as const, message: 'All of it was looked at.' };
    await expect(attest(ctx, { ...end, solution: nested(depth) })).rejects.toMatchObject(refusal);
    expect(await walk.kinds()).toEqual(before);
    expect((await next(ctx, { ...call, solution: nested(40) })).retry_count).toBe(1);
  },
);
