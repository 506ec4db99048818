import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { next } from '../../src/operations/next.ts';
import { rebaseRun, resumeRun } from '../../src/operations/resume.ts';
import { planRollback } from '../../src/operations/rollback.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { verifyRun } from '../../src/operations/verify.ts';
import { chainId, digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { rebaseObstacle } from '../../src/run/decide/attest.ts';
import { initialState } from '../../src/run/state.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import type { Revision } from '../../src/store/port.ts';
import { GUARDED_CMD, guardedProtocol, walkToGuard } from '../gate/support/walk.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { ALL_KINDS, protocolOf, stepOf } from '../support/protocols.ts';
import { runs } from '../support/thorough.ts';
import { comment, shellBad, shellOk, startWalk, type Walk } from '../support/walk.ts';
import { rightAnswer } from '../support/walker.ts';

async function contentOf(markdown: string) {
  const { document } = await parseProtocol(markdown);
  return toContent(document.chains[0]!);
}

/** A document as `--with` reads it. */
async function revisionOf(markdown: string, space = 'default'): Promise<Revision> {
  const content = await contentOf(markdown);
  return {
    ...{ chainId: chainId(space, content.slug), digest: digest(content), content, space },
    ...{ number: 0, author: 'ada', llmModelId: null, createdAt: '2026-01-15T12:00:00.000Z', weakened: null },
  };
}

const shell = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 30 } } });

/** Three commands in a row, and a last step without a block. */
function commands(cmds: string[], more: { inputs?: object; labels?: string[]; bodies?: string[] } = {}) {
  const head = more.inputs === undefined ? '' : `---\ninputs: ${JSON.stringify(more.inputs)}\n---\n`;
  const steps = cmds.map((cmd, at) =>
    stepOf(more.labels?.[at] ?? `Part ${at + 1}`, more.bodies?.[at] ?? 'Do it.', shell(cmd)),
  );
  return `${head}# Mend me\n\nFor the tests.\n\n${steps.join('\n')}\n${stepOf('The end', 'Look back.', null)}`;
}

/** A run of three commands of which the first is proven. */
async function oneProven(ctx: TestContext, document = commands(['a', 'b', 'c'])) {
  const walk = await startWalk(ctx, document);
  const shown = await walk.solve(1, walk.begun.challenge, shellOk);
  return { walk, shown };
}

async function finish(ctx: TestContext, walk: Walk, shown: RunFields): Promise<RunFields> {
  let answer = shown;
  for (let call = 0; call < 40 && answer.protocol_status !== 'completed'; call += 1) {
    const uri = answer.current_step!.uri;
    const solution =
      answer.challenge == null
        ? undefined
        : {
            nonce: answer.challenge.nonce,
            proof_hash: answer.challenge.proof_hash,
            ...rightAnswer(answer.challenge, call),
          };
    answer = await next(ctx, { uri, run_id: walk.runId, ...(solution === undefined ? {} : { solution }) });
  }
  return walk.attest();
}

async function ledgerOf(ctx: TestContext, runId: string) {
  return { entries: await ctx.store.readEntries(runId), lines: await ctx.store.readLines(runId) };
}

describe('a run that is carried over', () => {
  it('follows the new revision from then on, is sealed, and verifies in the store and offline', async () => {
    const ctx = await makeContext();
    const { walk } = await oneProven(ctx);
    const before = (await loadRun(ctx, walk.runId))!.state.digest;
    const mended = await revisionOf(commands(['a', 'b --better', 'c', 'd']));
    await rebaseRun(ctx, walk.runId, mended, {});
    const shown = await resumeRun(ctx, walk.runId);
    expect(shown.challenge?.shell?.cmd).toBe('b --better');
    const { state, revision } = (await loadRun(ctx, walk.runId))!;
    expect(revision).toMatchObject({ digest: mended.digest, number: 0 });
    expect(state).toMatchObject({ at: 1, digest: mended.digest });
    expect(state.stations.length).toBe(5);
    expect((await finish(ctx, walk, shown)).error_code).toBeUndefined();
    const { entries, lines } = await ledgerOf(ctx, walk.runId);
    expect(entries.find(({ kind }) => kind === 'run.rebased')?.data).toEqual({
      from: { digest: before },
      digest: mended.digest,
      title: 'Mend me',
      content_json: canonical(mended.content),
      step_count: 5,
      carried: [1],
      trusted: false,
      by: 'ada',
    });
    expect(verifyLedger(lines)).toMatchObject({
      status: 'whole',
      findings: [{ code: 'run-rebased' }, { code: 'seal-key-unchecked' }],
    });
    expect(await verifyRun(ctx, walk.runId, { trustedKeys: undefined, ownKeys: [] })).toMatchObject({
      status: 'whole',
    });
  });

  it('reads the same for a process that knows nothing of it yet', async () => {
    const ctx = await makeContext();
    const { walk } = await oneProven(ctx);
    await rebaseRun(ctx, walk.runId, await revisionOf(commands(['a', 'x', 'c'])), {});
    await rebaseRun(ctx, walk.runId, await revisionOf(commands(['a', 'y', 'z'])), {});
    const warm = (await loadRun(ctx, walk.runId))!.state;
    // A store that remembers no fold.
    const store = { ...ctx.store, cachedRun: async () => ({ fold: null, keep: () => {} }) };
    const cold = (await loadRun({ ...ctx, store }, walk.runId))!.state;
    expect(cold.stations).toEqual(warm.stations);
    expect(cold).toMatchObject({ at: warm.at, digest: warm.digest, echo: warm.echo, shown: warm.shown });
    expect((await finish(ctx, walk, await resumeRun(ctx, walk.runId))).error_code).toBeUndefined();
    expect(verifyLedger((await ledgerOf(ctx, walk.runId)).lines).status).toBe('whole');
  });

  it('answers no challenge of before, and loses nothing when it ends right after the entry', async () => {
    const ctx = await makeContext();
    const { walk, shown } = await oneProven(ctx);
    const corrected = commands(['a', 'better', 'c'], { bodies: ['Do it.', 'Do it better.'] });
    await rebaseRun(ctx, walk.runId, await revisionOf(corrected), {});
    const late = await walk.solve(2, shown.challenge, shellOk);
    expect(late).toMatchObject({ error_code: 'CONFLICT', retry_count: 0 });
    expect(late.current_step?.content).toContain('Do it better.');
    expect(late.challenge?.shell?.cmd).toBe('better');
    expect((await walk.solve(2, late.challenge, shellOk)).error_code).toBeUndefined();
    expect(verifyLedger((await ledgerOf(ctx, walk.runId)).lines).findings.map(({ code }) => code)).toEqual([
      'run-rebased',
    ]);
  });

  it('forgets the failures of the step that was corrected', async () => {
    const ctx = await makeContext();
    const { walk, shown } = await oneProven(ctx);
    const failed = await walk.solve(2, shown.challenge, shellBad);
    expect(failed.error_code).toBe('COMMAND_FAILED');
    await rebaseRun(ctx, walk.runId, await revisionOf(commands(['a', 'better', 'c'])), {});
    expect((await loadRun(ctx, walk.runId))!.state.retries).toBe(0);
  });

  it('keeps its inputs, and is given those that the new revision adds', async () => {
    const ctx = await makeContext();
    const document = commands(['a', 'b'], { inputs: { HOST: { default: 'lb1' } } });
    const { walk } = await oneProven(ctx, document);
    const inputs = { HOST: { default: 'lb2' }, COUNT: { type: 'number' }, TOKEN: { secret: true } };
    const mended = await revisionOf(
      commands(['a', 'b'], { inputs, bodies: ['Do it.', '{{HOST}} {{COUNT}}'] }),
    );
    await expect(rebaseRun(ctx, walk.runId, mended, {})).rejects.toThrow('COUNT is missing');
    await expect(rebaseRun(ctx, walk.runId, mended, { COUNT: 'x', TOKEN: 'secret-1' })).rejects.toThrow(
      'Expected: a number',
    );
    expect(await walk.kinds()).not.toContain('run.rebased');
    await rebaseRun(ctx, walk.runId, mended, { COUNT: 3, TOKEN: 'secret-1' });
    const { entries, lines } = await ledgerOf(ctx, walk.runId);
    expect(entries.at(-1)?.data).toMatchObject({ inputs: { COUNT: '3' }, secret_inputs: ['TOKEN'] });
    expect(lines.join()).not.toContain('secret-1');
    const { state } = (await loadRun(ctx, walk.runId))!;
    expect(state.values).toEqual({ HOST: 'lb1', COUNT: '3' });
    expect(state.content.steps[1]!.body).toBe('lb1 3');
  });

  it('refuses a recorded input that no longer fits', async () => {
    const ctx = await makeContext();
    const inputs = (pattern: string) => ({ HOST: { default: 'lb1', pattern } });
    const { walk } = await oneProven(ctx, commands(['a', 'b'], { inputs: inputs('[a-z0-9]+') }));
    const mended = await revisionOf(
      commands(['a', 'c'], { inputs: { HOST: { default: 'web1', pattern: 'web[0-9]' } } }),
    );
    await expect(rebaseRun(ctx, walk.runId, mended, {})).rejects.toThrow('HOST is "lb1"');
  });
});

describe('a gated run that is carried over', () => {
  const mended = () => revisionOf(guardedProtocol().replace('Look back.', 'Look back twice.'));

  it('has no permit any more that was given before', async () => {
    const walk = await walkToGuard();
    expect(await walk.propose(walk.shown.challenge!.proposal_draft)).toMatchObject({ decision: 'ALLOW' });
    await rebaseRun(walk.ctx, walk.runId, await mended(), {});
    const refused = await walk.consume();
    expect(refused).toMatchObject({
      next_action: expect.stringMatching(/^call kairos_propose/),
      challenge: { type: 'proposal' },
    });
    expect(JSON.stringify(refused)).not.toContain(GUARDED_CMD);
    expect(await walk.kinds()).not.toContain('permit.consumed');
    const draft = refused.challenge!.proposal_draft;
    expect(await walk.propose(draft)).toMatchObject({ decision: 'ALLOW' });
    const opened = await walk.consume();
    expect((await walk.solve(2, opened.challenge, shellOk)).error_code).toBeUndefined();
    expect(verifyLedger((await ledgerOf(walk.ctx, walk.runId)).lines).status).not.toBe('broken');
  });

  it('keeps the definition of a step that can still be rolled back', async () => {
    const walk = await walkToGuard();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    const opened = await walk.consume();
    const other = await revisionOf(guardedProtocol().replace('Then do it.', 'Do it better.'));
    const refused = { code: 'INVALID_INPUT', hint: expect.stringContaining('rolled back') };
    await expect(rebaseRun(walk.ctx, walk.runId, other, {})).rejects.toMatchObject(refused);
    expect((await walk.solve(2, opened.challenge, shellBad)).error_code).toBe('COMMAND_FAILED');
    await expect(rebaseRun(walk.ctx, walk.runId, other, {})).rejects.toMatchObject(refused);
    await rebaseRun(walk.ctx, walk.runId, await mended(), {});
    const { candidate } = await planRollback(walk.ctx, walk.runId, 2);
    expect(candidate.rollback).toMatchObject({ command: 'crm-restore 12345' });
  });
});

describe('a run is not carried over', () => {
  it.each([
    ['another command', commands(['x', 'b', 'c']), 'step 1 "Part 1" has another step block'],
    ['another text', commands(['a', 'b', 'c'], { bodies: ['Do that.'] }), 'step 1 "Part 1" has another text'],
    [
      'another title and command',
      commands(['x', 'b'], { labels: ['Else'] }),
      'step 1 "Part 1" has another title and another step block',
    ],
    [
      'another place',
      commands(['b', 'a'], { labels: ['Part 2', 'Part 1'] }),
      'step 1 "Part 1" is step 2 now',
    ],
  ])('to %s of a proven step', async (_, document, message) => {
    const ctx = await makeContext();
    const { walk } = await oneProven(ctx);
    const before = await walk.kinds();
    await expect(rebaseRun(ctx, walk.runId, await revisionOf(document), {})).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message,
    });
    expect(await walk.kinds()).toEqual(before);
    const refused = await revisionOf(document);
    expect(await ctx.store.revisionByDigest(refused.chainId, refused.digest)).toBeNull();
  });

  it('to another protocol, and not when it is sealed', async () => {
    const ctx = await makeContext();
    const { walk, shown } = await oneProven(ctx);
    const other = await revisionOf(commands(['a', 'b', 'c']).replace('Mend me', 'Something else'));
    await expect(rebaseRun(ctx, walk.runId, other, {})).rejects.toThrow('is a run of mend-me');
    await finish(ctx, walk, shown);
    const mended = await revisionOf(commands(['a', 'x']));
    await expect(rebaseRun(ctx, walk.runId, mended, {})).rejects.toThrow('is sealed');
  });

  it('where the number of steps gives a proven step another demand', async () => {
    const ctx = await makeContext();
    const document = (...labels: string[]) =>
      `# Bare\n\nFor the tests.\n\n${labels.map((label) => stepOf(label, 'Do it.', null)).join('\n')}`;
    const walk = await startWalk(ctx, document('One', 'Two', 'Three'));
    const shown = await walk.show(1);
    await walk.solve(2, shown.challenge, comment('This part is done and looked right.'));
    expect((await loadRun(ctx, walk.runId))!.state.at).toBe(2);
    await expect(rebaseRun(ctx, walk.runId, await revisionOf(document('One', 'Two')), {})).rejects.toThrow(
      'step 2 "Two" asks for something else in its new place',
    );
  });

  it('while it is unknown how the command of a step that is not the same ended', async () => {
    const content = await contentOf(commands(['a', 'b']));
    const state = initialState(content);
    state.inDoubt = { attempt: 'x', step: 2, cmd: 'b', startedAt: '2026-01-15T12:00:00.000Z' };
    state.at = 1;
    expect(rebaseObstacle(state, await contentOf(commands(['a', 'x'])))).toEqual({
      ...{ step: 2, label: 'Part 2', what: 'has another step block', inDoubt: true },
    });
    expect(rebaseObstacle(state, await contentOf(commands(['a', 'b', 'c'])))).toBeNull();
  });
});

describe('any run of which only later steps change', () => {
  const kinds = fc.array(fc.constantFrom(...ALL_KINDS), { minLength: 1, maxLength: 4 });
  it('ends sealed and verifies', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, kinds, fc.nat({ max: 8 }), async (first, later, calls) => {
        const ctx = await makeContext();
        const walk = await startWalk(ctx, protocolOf([...first, 'shell'], 'Mend me'));
        let answer = walk.begun;
        for (let call = 0; call < calls; call += 1) {
          if (answer.protocol_status === 'completed' || answer.current_step == null) break;
          const { challenge } = answer;
          const step = walk.uris.indexOf(answer.current_step.uri) + 1;
          if (step > first.length) break;
          answer =
            challenge == null
              ? await walk.show(step)
              : await walk.solve(step, challenge, rightAnswer(challenge, call));
        }
        const mended = await revisionOf(protocolOf([...first, ...later, 'comment'], 'Mend me'));
        await rebaseRun(ctx, walk.runId, mended, {});
        const { state } = (await loadRun(ctx, walk.runId))!;
        expect(state.digest).toBe(mended.digest);
        expect((await finish(ctx, walk, await resumeRun(ctx, walk.runId))).error_code).toBeUndefined();
        const { entries, lines } = await ledgerOf(ctx, walk.runId);
        expect(entries.at(-1)?.kind).toBe('run.sealed');
        expect(verifyLedger(lines)).toMatchObject({
          status: 'whole',
          findings: [{ code: 'run-rebased' }, { code: 'seal-key-unchecked' }],
        });
      }),
      { numRuns: runs(60) },
    );
  });
});
