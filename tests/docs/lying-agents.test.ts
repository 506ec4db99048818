import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KairosError } from '../../src/base/errors.ts';
import { answerRun } from '../../src/operations/answer.ts';
import { attest } from '../../src/operations/attest.ts';
import { deleteChains } from '../../src/operations/delete.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { update } from '../../src/operations/update.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { as, makeContext, type TestContext } from '../support/context.ts';
import { protocolOf, protocolWith } from '../support/protocols.ts';
import { comment, shellBad, shellOk, startWalk, type Walk } from '../support/walk.ts';

/** Each row of the table in docs/lying-agents.md, tried as an agent would. */
let ctx: TestContext;
beforeEach(async () => {
  ctx = await makeContext({ caller: { interface: 'mcp', session: 's1' }, over: { allowWeaken: false } });
});

const ROWS = new Map(
  [
    ...readFileSync(new URL('../../docs/lying-agents.md', import.meta.url), 'utf8').matchAll(
      /^\| (.+?) \| ((?:refused|labelled): \w+) \|$/gm,
    ),
  ].map(([, what, outcome]) => [what!, outcome!]),
);

const ACCOUNT = 'The build was run twice and its log read from end to end.';
const DAY_MS = 24 * 60 * 60 * 1000;
const mcpStep = (more: object) =>
  protocolWith({ proof_of_work: { type: 'mcp', mcp: { tool_name: 'count', ...more } } });
const mcp = (more: object) => ({
  type: 'mcp',
  mcp: { tool_name: 'count', arguments: {}, result: 3, success: true, ...more },
});
const asking = (more: object = {}) =>
  protocolWith({ proof_of_work: { type: 'user_input', user_input: { prompt: 'Go on?' }, ...more } });
const said = (confirmation: string) => ({ type: 'user_input', user_input: { confirmation } });

/** Begins a run of the protocol and hands in this for its first step. */
async function handIn(markdown: string, payload: object): Promise<[Walk, RunFields]> {
  const walk = await startWalk(ctx, markdown);
  return [walk, await walk.solve(1, walk.begun.challenge, payload)];
}

/** What an answer refused, after making sure that nothing was advanced by it. */
async function refusal(walk: Walk, answer: RunFields): Promise<string> {
  const accepted = (await walk.kinds()).filter((kind) => kind === 'proof.accepted');
  expect(accepted).toHaveLength(0);
  return `refused: ${answer.error_code}`;
}

const refusing = (markdown: string, payload: object) => async () =>
  refusal(...(await handIn(markdown, payload)));

/** What the one proof that was taken is worth on record. */
const labelling = (markdown: string, payload: object) => async () => {
  const [walk, answer] = await handIn(markdown, payload);
  expect(answer.error_code ?? null).toBeNull();
  const entries = await ctx.store.readEntries(walk.runId);
  const proof = entries.find(({ kind }) => kind === 'proof.accepted');
  return `labelled: ${proof?.data.assurance}`;
};

const shell = protocolOf(['shell', 'none']);
const filler = protocolOf(['comment', 'none']);

const TRIED: Record<string, () => Promise<string>> = {
  'continues without a proof': async () => {
    const walk = await startWalk(ctx, shell);
    return refusal(walk, await walk.show(2));
  },
  'skips to a later step': async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'shell', 'shell']));
    return refusal(walk, await walk.solve(3, walk.begun.challenge, shellOk));
  },
  'attests success with steps left': async () => {
    const walk = await startWalk(ctx, shell);
    return refusal(walk, await walk.attest());
  },
  'makes up a nonce': async () => {
    const walk = await startWalk(ctx, shell);
    return refusal(walk, await walk.solve(1, { ...walk.begun.challenge!, nonce: 'ab'.repeat(16) }, shellOk));
  },
  'uses a nonce a second time for another answer': async () => {
    const [walk] = await handIn(shell, shellBad);
    return refusal(walk, await walk.solve(1, walk.begun.challenge, shellOk));
  },
  'uses the nonce of another run of the same protocol': async () => {
    const other = await startWalk(ctx, shell);
    const walk = await startWalk(ctx, shell);
    return refusal(walk, await walk.solve(1, other.begun.challenge, shellOk));
  },
  "uses yesterday's nonce": async () => {
    const walk = await startWalk(ctx, shell);
    ctx.clock.advance(DAY_MS + 1);
    return refusal(walk, await walk.solve(1, walk.begun.challenge, shellOk));
  },
  'invents a proof hash': async () => {
    const walk = await startWalk(ctx, shell);
    return refusal(
      walk,
      await walk.solve(1, { ...walk.begun.challenge!, proof_hash: '0'.repeat(64) }, shellOk),
    );
  },
  'submits a comment for a command': refusing(shell, comment(ACCOUNT)),
  'reports a failed command': refusing(shell, shellBad),
  'calls another tool than was asked for': refusing(mcpStep({}), mcp({ tool_name: 'guess' })),
  'calls the tool with other arguments': refusing(
    mcpStep({ arguments: { of: 'all' } }),
    mcp({ arguments: { of: 'one' } }),
  ),
  "submits a result that isn't the expected one": refusing(mcpStep({ expected_result: 4 }), mcp({})),
  'picks a choice that was not offered': refusing(
    asking({ user_input: { prompt: 'Which?', choices: ['left', 'right'] } }),
    said('straight on'),
  ),
  'writes filler as its comment': refusing(filler, comment('done done done done done done done')),
  'copies the words of the task as its comment': refusing(filler, comment('Part 1 comment: do part 1.')),
  'claims to have run a command that it never ran': labelling(shell, shellOk),
  'answers instead of a person': labelling(asking(), said('approved')),
  'calls `kairos answer RUN TEXT` in its shell': async () => {
    const walk = await startWalk(ctx, asking());
    await answerRun(ctx, walk.runId, { text: 'Yes.', assurance: 'claimed' });
    const entries = await ctx.store.readEntries(walk.runId);
    return `labelled: ${entries.find(({ kind }) => kind === 'proof.accepted')?.data.assurance}`;
  },
  'marks its own solution as observed': labelling(shell, { ...shellOk, assurance: 'observed' }),
  'claims a command where the step asks for an observed one': refusing(
    protocolWith({ proof_of_work: { type: 'shell', shell: { cmd: 'make' }, assurance: 'observed' } }),
    shellOk,
  ),
  'answers in its shell where the step asks for a person': async () => {
    const walk = await startWalk(ctx, asking({ assurance: 'client' }));
    const given = answerRun(ctx, walk.runId, { text: 'Yes.', assurance: 'claimed' });
    const error = await given.then(
      () => null,
      (thrown: KairosError) => thrown,
    );
    return refusal(walk, { error_code: error?.code } as RunFields);
  },
  'approves after the person has declined': async () => {
    const walk = await startWalk(ctx, asking());
    const declined = await next(
      ctx,
      {
        uri: walk.uris[0]!,
        run_id: walk.runId,
        solution: {
          ...said('rejected'),
          nonce: walk.begun.challenge!.nonce,
          proof_hash: walk.begun.challenge!.proof_hash,
        },
      },
      { assurance: 'client' },
    );
    expect(declined.error_code).toBe('USER_DECLINED');
    return refusal(walk, await walk.solve(1, declined.challenge, said('approved')));
  },
  'tries a fourth time after three failures': async () => {
    const walk = await startWalk(ctx, shell);
    let answer = walk.begun;
    for (let attempt = 0; attempt < 4; attempt += 1) answer = await walk.solve(1, answer.challenge, shellBad);
    expect(answer.must_obey).toBe(false);
    return refusal(walk, answer);
  },
  'seals a run that is already sealed': async () => {
    const walk = await startWalk(ctx, shell);
    await walk.attest({ outcome: 'failure' });
    return refusal(walk, await walk.attest({ outcome: 'success' }));
  },
  'seals a run of which it knows only the address': async () => {
    const walk = await startWalk(ctx, shell);
    const stranger = as(ctx, { actor: 'eve', session: 's2' });
    const call = { uri: walk.uris[0]!, outcome: 'failure' as const, message: ACCOUNT };
    const answer = await attest(stranger, call);
    expect(await walk.kinds()).not.toContain('run.sealed');
    return refusal(walk, answer);
  },
  'weakens a step with an update and runs it then': async () => {
    const walk = await startWalk(ctx, shell);
    const { results } = await update(ctx, {
      uris: [walk.uris[0]!],
      markdown_doc: ['Nothing to show any more.'],
    });
    return `refused: ${/\b[A-Z]+_[A-Z]+\b/.exec(results[0]!.message)?.[0]}`;
  },
  'deletes a protocol and stores it again with less to prove': async () => {
    const walk = await startWalk(ctx, shell);
    await deleteChains(ctx, { uris: [walk.uris[0]!] });
    const { content } = (await ctx.store.revisions((await ctx.store.findRun(walk.runId))!.chainId))[0]!;
    const anew = mint(ctx, { markdown_doc: `# ${content.title}\n\n## Do it\n\nNothing to show any more.\n` });
    return anew.then(
      () => 'went through',
      (error: KairosError) => `refused: ${error.code}`,
    );
  },
};

describe('docs/lying-agents.md', () => {
  it('has a row for each way that is tried, and no other', () => {
    expect([...ROWS.keys()]).toEqual(Object.keys(TRIED));
  });

  it.each(Object.keys(TRIED))('an agent that %s', async (what) => {
    expect(await TRIED[what]!()).toBe(ROWS.get(what));
  });
});
