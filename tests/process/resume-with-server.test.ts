import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { overProcess, type TestClient, toolsOf } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { stepOf } from '../support/protocols.ts';
import { protocolFile } from '../support/run.ts';
import { rightAnswer, walkLiterally } from '../support/walker.ts';

let home: CliHome;
let client: TestClient;
beforeEach(async () => {
  home = makeHome();
  client = await overProcess('sdk-2', home);
});
afterEach(async () => {
  await client.close();
  home.remove();
});

const STEPS = 6;

/** Steps that ask for comments, with the text of the last one. */
function document(last: string): string {
  const steps = Array.from({ length: STEPS }, (_, at) =>
    stepOf(`Part ${at + 1}`, at === STEPS - 1 ? last : `Look at part ${at + 1}.`, {
      proof_of_work: { type: 'comment', comment: { min_length: 10 } },
    }),
  );
  return `# Mend me\n\nFor the tests.\n\n${steps.join('\n')}`;
}

/** Mints a protocol, and lets an agent run it over MCP; `before` is awaited before each call, with its number. */
async function walk(before: (call: number, runId: string) => Promise<void> | void) {
  const old = await protocolFile(home, document('Look at the old end.'), 'old.md');
  const { stdout } = await kairos(home, ['mint', old.path]);
  const tools = toolsOf(client);
  let calls = 0;
  return walkLiterally(
    {
      ...tools,
      next: async (input) => {
        calls += 1;
        await before(calls, input.run_id!);
        return tools.next(input);
      },
    },
    /kairos:\S+/.exec(stdout)![0],
    { convention: 'as-told', solve: rightAnswer },
  );
}

/** What a person types meanwhile: the run is carried over, and its question then has nobody to answer it. */
async function carryOver(runId: string, file: { path: string; digest: string }) {
  return kairos(home, ['resume', runId, '--with', file.path, '--trust', file.digest]);
}

const summary = async (runId: string) => {
  const { entries } = await exportedLedger(home, runId);
  return {
    moved: entries.filter(({ kind }) => kind === 'run.rebased').map(({ data }) => data.digest as string),
    proofs: entries.filter(({ kind }) => kind === 'proof.accepted').map(({ data }) => data.step),
    end: entries.at(-1)?.data.outcome,
  };
};

it.each([
  ['while an earlier step is pending', 3],
  ['while the corrected step itself is pending', STEPS],
])('a person corrects the document of an agent: %s', async (_, at) => {
  const corrected = await protocolFile(home, document('Look at the new end.'), 'new.md');
  let runId = '';
  const { answers } = await walk(async (call, run) => {
    runId = run;
    if (call === at) expect(await carryOver(run, corrected)).toMatchObject({ code: 3 });
  });
  expect(answers[at]).toMatchObject({
    error_code: 'CONFLICT',
    retry_count: 0,
    message: expect.stringContaining('was corrected'),
    current_step: { content: expect.stringContaining(at === STEPS ? 'the new end' : `part ${at}`) },
  });
  expect(answers.at(-1)).toMatchObject({ next_action: null });
  expect(answers.map(({ current_step }) => current_step?.content).join('\n')).toContain('the new end');
  const { moved, proofs, end } = await summary(runId);
  expect({ moved, end }).toEqual({ moved: [corrected.digest], end: 'success' });
  expect(proofs).toEqual([1, 2, 3, 4, 5, 6, 6]);
  expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
});

it('loses no proof and no correction when both write at the same time', async () => {
  const files: { path: string; digest: string }[] = [];
  for (const at of [1, 2, 3])
    files.push(await protocolFile(home, document(`Look at end ${at}.`), `${at}.md`));
  let others: Promise<{ code: number | null }[]> | undefined;
  let runId = '';
  const { answers } = await walk(async (call, run) => {
    runId = run;
    others ??= Promise.all(files.map((file) => carryOver(run, file)));
    // The first answers come while the others start and write, the last one after them.
    if (call < STEPS) await sleep(250);
    else await others;
  });
  expect((await others!).map(({ code }) => code)).toEqual([3, 3, 3]);
  const { moved, proofs, end } = await summary(runId);
  expect(moved.toSorted()).toEqual(files.map(({ digest }) => digest).toSorted());
  expect({ proofs, end }).toEqual({ proofs: [1, 2, 3, 4, 5, 6, 6], end: 'success' });
  const last = files.findIndex(({ digest }) => digest === moved.at(-1)) + 1;
  expect(answers.findLast(({ current_step }) => current_step?.content)?.current_step?.content).toContain(
    `Look at end ${last}.`,
  );
  expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
});
