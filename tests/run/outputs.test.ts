import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/base/canonical.ts';
import { makeOutputReader } from '../../src/host/outputs/reader.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolWith, stepOf } from '../support/protocols.ts';
import { comment, shellBad, shellOk, startWalk, type Walk } from '../support/walk.ts';

const SHELL = { type: 'shell', shell: { cmd: 'make report' } };
const OUTPUTS = [{ path: 'report.txt', matches: 'passed' }];

let folder: string;
let ctx: TestContext;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-run-outputs-')));
  ctx = await makeContext({ over: { outputs: await makeOutputReader(folder, []) } });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const report = (text: string) => writeFileSync(join(folder, 'report.txt'), text);

async function dataOf(walk: Walk, kind: string) {
  return (await ctx.store.readEntries(walk.runId))
    .filter((entry) => entry.kind === kind)
    .map(({ data }) => data);
}

describe('outputs of a step', () => {
  it('are shown, looked at after everything else, and refuse a solution that they do not bear out', async () => {
    const walk = await startWalk(ctx, protocolWith({ proof_of_work: SHELL, outputs: OUTPUTS }));
    expect(walk.begun.challenge).toMatchObject({ type: 'shell', outputs: OUTPUTS });
    expect(walk.begun.message ?? '').not.toContain('no working directory');
    const failed = await walk.solve(1, walk.begun.challenge, shellBad);
    expect(failed).toMatchObject({ error_code: 'COMMAND_FAILED', retry_count: 1 });
    const missing = await walk.solve(1, failed.challenge, shellOk);
    expect(missing).toMatchObject({
      error_code: 'OUTPUT_MISMATCH',
      message: '1 of 1 outputs does not match. challenge.outputs[0].exists: no file is there.',
      violations: [{ pointer: '/outputs/0/exists', keyword: 'exists' }],
      retry_count: 2,
      current_step: { uri: walk.uris[0] },
    });
    report('2 of 3 failed');
    const wrong = await walk.solve(1, missing.challenge, shellOk);
    expect(wrong).toMatchObject({
      error_code: 'MAX_RETRIES_EXCEEDED',
      cause_code: 'OUTPUT_MISMATCH',
      must_obey: false,
    });
    expect(JSON.stringify(wrong)).not.toContain('2 of 3');
    report('3 of 3 passed');
    const done = await walk.solve(1, wrong.challenge, shellOk);
    expect(done).toMatchObject({ protocol_status: 'completed' });
    expect(done.error_code).toBeUndefined();
  });

  it("are on record with sizes and digests, and without the files' content", async () => {
    report('3 of 3 passed');
    const outputs = [...OUTPUTS, { path: '*.tmp', exists: false }];
    const walk = await startWalk(ctx, protocolWith({ proof_of_work: SHELL, outputs }));
    await walk.solve(1, walk.begun.challenge, shellOk);
    const file = { path: 'report.txt', size: 13, sha256: sha256Hex('3 of 3 passed') };
    expect(await dataOf(walk, 'proof.accepted')).toMatchObject([
      {
        type: 'shell',
        assurance: 'claimed',
        outputs: [
          { path: 'report.txt', exists: true, checks: ['matches'], files: [file] },
          { path: '*.tmp', exists: false, checks: [], files: [] },
        ],
      },
    ]);
    expect(JSON.stringify(await ctx.store.readEntries(walk.runId))).not.toContain('3 of 3');
  });

  it('are checked with every type of proof, and with the default comment without one', async () => {
    const walk = await startWalk(ctx, protocolWith({ outputs: OUTPUTS }));
    expect(walk.begun.challenge).toMatchObject({ type: 'comment', outputs: OUTPUTS });
    const account = comment('Wrote the report and looked at it.');
    const missing = await walk.solve(1, walk.begun.challenge, account);
    expect(missing).toMatchObject({ error_code: 'OUTPUT_MISMATCH' });
    report('passed');
    expect(await walk.solve(1, missing.challenge, account)).toMatchObject({ protocol_status: 'completed' });
  });

  it('are checked with the proof where a model is asked first', async () => {
    const sampling = { system: 's', prompt: 'p', output_schema: { type: 'integer' } };
    const walk = await startWalk(ctx, protocolWith({ sampling, proof_of_work: SHELL, outputs: OUTPUTS }));
    expect(walk.begun.challenge).not.toHaveProperty('outputs');
    const model = { type: 'sampling', sampling: { result: 1 } };
    const second = await walk.solve(1, walk.begun.challenge, model);
    expect(second.challenge).toMatchObject({ type: 'shell', outputs: OUTPUTS });
    expect(await walk.solve(1, second.challenge, shellOk)).toMatchObject({ error_code: 'OUTPUT_MISMATCH' });
    const alone = await startWalk(ctx, protocolWith({ sampling, outputs: OUTPUTS }, 'Alone'));
    expect(alone.begun.challenge).toMatchObject({ type: 'sampling', outputs: OUTPUTS });
    expect(await alone.solve(1, alone.begun.challenge, model)).toMatchObject({
      error_code: 'OUTPUT_MISMATCH',
    });
  });

  it('must pass even where the proof is optional: they are not part of the solution', async () => {
    const block = { proof_of_work: { ...SHELL, required: false }, outputs: OUTPUTS };
    const walk = await startWalk(ctx, protocolWith(block));
    const answer = await walk.solve(1, walk.begun.challenge, shellOk);
    expect(answer).toMatchObject({ protocol_status: 'blocked', error_code: 'OUTPUT_MISMATCH' });
    expect(await dataOf(walk, 'proof.rejected')).toMatchObject([{ code: 'OUTPUT_MISMATCH', waived: false }]);
  });

  it('are looked at when attest is given the proof of the last step', async () => {
    const markdown = `# Last\n\n${stepOf('Only', 'Do it.', { proof_of_work: SHELL, outputs: OUTPUTS })}`;
    const walk = await startWalk(ctx, markdown);
    const attest = (challenge: typeof walk.begun.challenge) =>
      walk.attest({ solution: { ...shellOk, nonce: challenge?.nonce, proof_hash: challenge?.proof_hash } });
    const refused = await attest(walk.begun.challenge);
    expect(refused).toMatchObject({ error_code: 'OUTPUT_MISMATCH', retry_count: 1 });
    report('passed');
    expect(await attest(refused.challenge)).toMatchObject({ next_action: null, total_rated: 1 });
  });

  it('repeat nothing: the same call again after a lost answer reads nothing', async () => {
    report('passed');
    const walk = await startWalk(ctx, protocolWith({ proof_of_work: SHELL, outputs: OUTPUTS }));
    await walk.solve(1, walk.begun.challenge, shellOk);
    report('gone wrong since');
    expect(await walk.solve(1, walk.begun.challenge, shellOk)).toMatchObject({
      protocol_status: 'completed',
    });
    expect(await dataOf(walk, 'proof.accepted')).toHaveLength(1);
  });
});

describe('where outputs cannot be read', () => {
  it('without a folder they never pass, and begin reports it', async () => {
    for (const outputs of [undefined, await makeOutputReader(null, [])]) {
      const other: TestContext = { ...ctx };
      delete other.outputs;
      if (outputs !== undefined) other.outputs = outputs;
      const walk = await startWalk(other, protocolWith({ proof_of_work: SHELL, outputs: OUTPUTS }));
      expect(walk.begun.message).toContain(
        'Step 1 checks files, and this interface has no working directory to read them in.',
      );
      expect(await walk.solve(1, walk.begun.challenge, shellOk, other)).toMatchObject({
        error_code: 'OUTPUT_MISMATCH',
        message: expect.stringContaining('there is no working directory to read it in'),
      });
      expect(await walk.attest({ outcome: 'failure' })).toMatchObject({ next_action: null });
    }
  });

  it("a client's folders only narrow", async () => {
    report('passed');
    const block = { proof_of_work: SHELL, outputs: OUTPUTS };
    for (const [roots, code] of [
      [[], 'OUTPUT_MISMATCH'],
      [[join(folder, 'sub')], 'OUTPUT_MISMATCH'],
      [['/'], undefined],
      [null, undefined],
    ] as const) {
      const narrowed: TestContext = { ...ctx, roots: async () => (roots === null ? null : [...roots]) };
      const walk = await startWalk(narrowed, protocolWith(block));
      const answer = await walk.solve(1, walk.begun.challenge, shellOk);
      expect(answer.error_code).toBe(code);
    }
  });

  it('a link out of the folder is refused, and its target stays unknown', async () => {
    symlinkSync('/etc/passwd', join(folder, 'report.txt'));
    const outputs = [{ path: 'report.txt', matches: 'root' }];
    const walk = await startWalk(ctx, protocolWith({ proof_of_work: SHELL, outputs }));
    expect(await walk.solve(1, walk.begun.challenge, shellOk)).toMatchObject({
      error_code: 'OUTPUT_MISMATCH',
      message: '1 of 1 outputs does not match. challenge.outputs[0].path: it is a symbolic link.',
    });
  });
});

it('reads nothing for a solution that is refused before', async () => {
  let reads = 0;
  const counting = {
    folders: async () => [folder],
    read: async () => {
      reads += 1;
      return [];
    },
  };
  const counted: TestContext = { ...ctx, outputs: counting };
  const block = { proof_of_work: { ...SHELL, assurance: 'observed' }, outputs: OUTPUTS };
  const walk = await startWalk(counted, protocolWith(block));
  const codes = [];
  for (const payload of [
    { ...shellOk, nonce: 'x' },
    { ...shellOk, proof_hash: 'x' },
    comment('Another type.'),
    shellBad,
    shellOk,
  ]) {
    const { challenge } = await walk.show(1);
    const answer = await walk.solve(1, challenge, payload);
    codes.push(answer.cause_code ?? answer.error_code);
  }
  expect({ codes, reads }).toEqual({
    codes: ['NONCE_MISMATCH', 'PROOF_HASH_MISMATCH', 'TYPE_MISMATCH', 'COMMAND_FAILED', 'ASSURANCE_TOO_LOW'],
    reads: 0,
  });
});
