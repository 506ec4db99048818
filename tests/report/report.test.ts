import { describe, expect, test } from 'vitest';
import { loadPageAssets } from '../../src/host/page.ts';
import { answerRun } from '../../src/operations/answer.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { record } from '../../src/operations/next.ts';
import { reportOfLines, reportOfRun } from '../../src/operations/report.ts';
import { rebaseRun, resumeRun } from '../../src/operations/resume.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { listRuns } from '../../src/operations/runs.ts';
import { chainId, digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { graphMermaid, graphSvg } from '../../src/report/graph.ts';
import { reportPage } from '../../src/report/html.ts';
import { reportJunit, reportMarkdown } from '../../src/report/markdown.ts';
import type { RunReport } from '../../src/report/model.ts';
import { compareRuns, percentiles, statisticsOf } from '../../src/report/statistics.ts';
import { headline } from '../../src/report/words.ts';
import { publicKeyOfSeed } from '../gate/support/case.ts';
import { walkToGuard } from '../gate/support/walk.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { pageSteps } from '../support/page-script.ts';
import { protocolOf, stepOf } from '../support/protocols.ts';
import { comment, shellBad, shellOk, startWalk } from '../support/walk.ts';

const HOSTILE = '</pre><script>alert(1)</script> [x](javascript:alert(1)) \u202e`|';

/** A run that is refused once, then proven and sealed. */
async function finishedRun(ctx: TestContext, title = 'Water the plants'): Promise<RunReport> {
  const walk = await startWalk(ctx, protocolOf(['shell', 'none'], title));
  ctx.clock.advance(4000);
  const hostile = { ...shellBad, shell: { ...shellBad.shell, stdout: HOSTILE } };
  const refused = await walk.solve(1, walk.begun.challenge, hostile);
  ctx.clock.advance(2000);
  await walk.solve(1, refused.challenge, shellOk);
  await walk.attest();
  return reportOfRun(ctx, (await ctx.store.findRun(walk.runId))!);
}

describe('the report of a run', () => {
  test('has every step with its state, attempts and times, out of the record', async () => {
    const report = await finishedRun(await makeContext());
    expect(report).toMatchObject({
      title: 'Water the plants',
      outcome: 'success',
      assurance: { claimed: 2, client: 0, observed: 0, attested: 0 },
      selfReported: true,
      verification: { status: 'whole' },
    });
    expect(report.steps[0]).toMatchObject({
      state: 'proven',
      assurance: 'claimed',
      workingMs: 6000,
      waitingMs: 0,
    });
    expect(report.steps[0]!.attempts.map(({ accepted, code }) => [accepted, code])).toEqual([
      [false, 'COMMAND_FAILED'],
      [true, null],
    ]);
    expect(report.steps[0]!.attempts[0]).toMatchObject({
      reason: expect.stringContaining('exit code 1'),
      proof: { exit_code: 1, stdout: HOSTILE },
    });
    expect(report.lines).toHaveLength(report.events.length + 1);
  });

  test('is a page without foreign markup, and under a policy that names its own script', async () => {
    const report = await finishedRun(
      await makeContext(),
      'Rot </pre><script>alert(1)</script> [x](javascript:alert(1))',
    );
    const page = await reportPage([report], await loadPageAssets());
    expect(page).not.toContain('<script>alert');
    expect(page.match(/<script/g)).toHaveLength(1);
    // Only the record itself has every byte as it is.
    expect(page.split('<pre data-record')[0]).not.toContain('\u202e');
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page.length).toBeLessThan(250_000);
    for (const line of report.lines) {
      expect(page).toContain(
        line
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('"', '&quot;')
          .replaceAll("'", '&#39;'),
      );
    }
  });

  test('is markdown in which nothing of others has a meaning', async () => {
    const report = await finishedRun(await makeContext(), 'Rot <b> | `code` @team');
    const text = reportMarkdown([report]);
    expect(text).toContain(String.raw`## Rot \<b\> \| code @`);
    expect(text).not.toContain('@team');
    expect(text).toContain('| 1 | Part 1 shell | proven | claimed | 6.0 s |');
    expect(text).toContain('* refused: COMMAND\\_FAILED (claimed)');
  });

  test('is JUnit with a case for each step and one for the run', async () => {
    const report = await finishedRun(await makeContext());
    const xml = reportJunit([report]);
    expect(xml).toContain('tests="3" failures="0" errors="0" skipped="0" time="6.000"');
    expect(xml).toContain('<testcase name="run" classname="Water the plants" time="0.000"></testcase>');
    expect(xml).toContain(
      `<properties><property name="outcome" value="success"/><property name="sealed_by" value="${report.verification.sealed_by}"/></properties>`,
    );
    expect(xml.match(/<testcase /g)).toHaveLength(3);
  });

  test.each([
    ['open', [0, 1], 'value="open"', '<error message="the run is open"/>'],
    [
      'closed as a failure between two steps',
      [1, 0],
      'value="failure"',
      '<failure message="the run ended as a failure">Nobody came.</failure>',
    ],
    [
      'without its seal',
      [0, 1],
      'value="success"',
      '<error message="the record is damaged">The run was sealed, and its seal is missing.</error>',
    ],
  ])('is JUnit that does not pass a run %s', async (name, [failures, errors], outcome, result) => {
    const ctx = await makeContext();
    const walk = await startWalk(ctx, protocolOf(['shell', 'none'], 'Water the moss'));
    await walk.solve(1, walk.begun.challenge, shellOk);
    if (name.startsWith('closed')) await walk.attest({ outcome: 'failure', message: 'Nobody came.' });
    if (name.startsWith('without')) await walk.attest();
    const lines = await ctx.store.readLines(walk.runId);
    const report = await reportOfLines(
      ctx,
      lines.filter((line) => !line.startsWith('{"seal":') || !name.startsWith('without')),
    );
    expect(report.steps.filter(({ state }) => state === 'failed')).toEqual([]);
    const xml = reportJunit([report]);
    expect(xml).toMatch(new RegExp(`failures="${failures}" errors="${errors}"`));
    expect(xml).toContain(`<property name="outcome" ${outcome}/>`);
    expect(xml).toContain(
      `<testcase name="run" classname="Water the moss" time="0.000">${result}</testcase>`,
    );
  });

  test('is XML 1.0, with any output of a command', async () => {
    const ctx = await makeContext();
    const walk = await startWalk(ctx, protocolOf(['shell', 'none'], 'Rot \uffff'));
    const stdout = 'a\uffffb\ufffec\u0000\u001b\nd\te\r\u{1fffe}]]>';
    await walk.solve(1, walk.begun.challenge, { ...shellOk, shell: { ...shellOk.shell, stdout } });
    await walk.attest();
    const xml = reportJunit([await reportOfRun(ctx, (await ctx.store.findRun(walk.runId))!)]);
    expect(xml).not.toMatch(/[^\t\n\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
    expect(xml).toContain(
      String.raw`<system-out>a\u{ffff}b\u{fffe}c\x00\x1b
d	e\r\u{1fffe}]]&gt;</system-out>`,
    );
  });

  test('names the damage of a record', async () => {
    const ctx = await makeContext();
    const report = await finishedRun(ctx);
    const { readLines } = ctx.store;
    ctx.store.readLines = async (...call) => (await readLines(...call)).filter((_, at) => at !== 2);
    const damaged = await reportOfRun(ctx, (await ctx.store.findRun(report.runId))!);
    expect(damaged.verification.status).toBe('broken');
    expect(reportMarkdown([damaged])).toContain('damaged: Entry 2 is missing.');
    expect(reportJunit([damaged])).toContain('<error message="the record is damaged">');
  });
});

describe('the report of a gated step', () => {
  const POLICY = {
    version: 1,
    approvers: [{ name: 'bob', actors: ['bob'], keys: [{ key: publicKeyOfSeed('bob') }] }],
    rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
  };

  /** A run that waits for approval, with what puts an answer on record and what reports it. */
  async function heldRun() {
    const walk = await walkToGuard({ policy: POLICY });
    const { ctx, runId } = walk;
    const { proposal_hash: hash } = await walk.propose(walk.shown.challenge!.proposal_draft);
    const answer = (decision: 'approve' | 'deny', statement = '') =>
      record(ctx, runId, 'approval.given', {
        step: 2,
        proposal_hash: hash!,
        decision,
        approver: 'bob',
        source: 'terminal',
        key: null,
        statement,
        signature: null,
        expires_at_ms: ctx.clock() + 60_000,
        by: 'bob',
        approvals_given: decision === 'approve' ? 1 : 0,
      });
    const report = async () => reportOfRun(ctx, (await ctx.store.findRun(runId))!);
    return { walk, ctx, runId, answer, report };
  }

  test('shows in every format that it waits, as the list of runs does', async () => {
    const { ctx, runId, answer, report } = await heldRun();
    const waitsInList = async () =>
      (await listRuns(ctx, {}, ctx.clock())).find(({ run }) => run.runId === runId)?.waiting;
    const held = await report();
    expect(held.steps[1]).toMatchObject({ state: 'pending', waits: 'approval' });
    expect(await waitsInList()).toBe('approval');
    const text = reportMarkdown([held]);
    expect(text).toContain('| pending, waits for approval |');
    expect(text).toContain('* proposal: waiting for approval');
    expect(reportJunit([held])).toContain('<skipped message="pending, waits for approval"/>');
    expect(held.stretches.at(-1)).toMatchObject({ step: 2, kind: 'approval' });
    expect(text).toContain('not finished. It waits for approval since 15 Jan 2026, 12:00 UTC.');
    expect(reportMarkdown([{ ...held, title: 'GH-12' }])).toContain('## GH-\u206012: open');
    const { content } = (await ctx.store.headBySlug('default', held.slug))!;
    expect(graphMermaid(content, held.steps)).toContain('pending, waits for approval');
    expect(graphSvg(content, held.steps)).toContain('>waits for approval<');
    const page = await reportPage([held], await loadPageAssets());
    expect(page).toContain('This step waits for approval.');
    expect(page).toContain('<strong>It waits for approval since 15 Jan 2026, 12:00 UTC.</strong>');
    expect(page).toContain('<rect class="approval"');
    await answer('approve');
    expect((await report()).steps[1]).toMatchObject({ waits: 'resume' });
  });

  test('counts the time until the run continues as waiting, also with a note in between', async () => {
    const { walk, ctx, runId, answer, report } = await heldRun();
    const before = (await report()).steps[1]!;
    ctx.clock.advance(10_000);
    await record(ctx, runId, 'run.noted', { text: 'bob is at lunch', by: 'mira' });
    ctx.clock.advance(20_000);
    await answer('approve');
    await walk.show(2);
    const held = await report();
    expect(held.steps[1]).toMatchObject({ waitingMs: 30_000, workingMs: before.workingMs });
    expect(statisticsOf([held])[0]!.steps[1]).toMatchObject({ reached: 1 });
    expect(held.recordNotes).toEqual([{ at: expect.any(String), by: 'mira', text: 'bob is at lunch' }]);
    expect(reportMarkdown([held])).toContain('> bob is at lunch');
  });

  test('shows decisions with their reasons and answers in the order of the record', async () => {
    const { walk, answer, report } = await heldRun();
    await answer('approve');
    const draft = walk.shown.challenge!.proposal_draft as object;
    await walk.propose({ ...draft, actor: 'somebody-else' });
    await answer('deny');
    const text = reportMarkdown([await report()]);
    const lines = text.split('\n').filter((line) => line.startsWith('* '));
    expect(lines).toEqual([
      '* proposal: waiting for approval',
      expect.stringMatching(/^\* proposed: proposed by: /),
      '* approved by bob, at a terminal',
      expect.stringMatching(/^\* proposal: denied by the gate \(K-PROP-\d+: .*/),
      expect.stringMatching(/^\* proposed: proposed by: /),
      '* denied by bob, at a terminal',
    ]);
  });

  test('shows once what was proposed, and what each approver signed', async () => {
    const { walk, ctx, runId, report } = await heldRun();
    const { proposal_hash: hash } = await walk.propose(walk.shown.challenge!.proposal_draft);
    await record(ctx, runId, 'approval.given', {
      step: 2,
      proposal_hash: hash!,
      decision: 'approve',
      approver: 'bob',
      source: 'ssh',
      key: 'ssh-ed25519 AAAAC3Nz',
      statement: JSON.stringify({ binding: 'b1nd' }),
      signature: 'signature',
      expires_at_ms: Date.parse('2026-01-15T13:00:00.000Z'),
      by: 'bob',
      approvals_given: 1,
    });
    const held = await report();
    const draft = walk.shown.challenge!.proposal_draft as { target: { resource_id: string } };
    const text = reportMarkdown([held]).replaceAll('\\', '');
    expect(text.match(/\* proposed: /g)).toHaveLength(1);
    expect(text).toMatch(
      new RegExp(
        `\\* proposed: proposed by: .*; action type: write; .*resource id: ${draft.target.resource_id},.*`,
      ),
    );
    expect(text).toMatch(/; evidence: evidence ref: checked, .*; approvals needed: 1 \(class single\)/);
    expect(text).toContain(`; proposal: ${hash}`);
    expect(text).toContain(
      `* signed: proposal: ${hash}; key: ssh-ed25519 AAAAC3Nz; binding: b1nd; counts until: 2026-01-15T13:00:00.000Z`,
    );
    const page = await reportPage([held], await loadPageAssets());
    for (const shown of [
      '<dt>action type</dt><dd>write</dd>',
      hash!,
      'ssh-ed25519 AAAAC3Nz',
      'What was signed',
    ])
      expect(page.split('<pre data-record')[0]).toContain(shown);
    expect(held.steps[1]!.approvals[0]!.data.key).toBe('ssh-ed25519 AAAAC3Nz');
  });

  test('reports that the outcome of a used permit and of a started command is unknown', async () => {
    const walk = await walkToGuard();
    const { ctx, runId } = walk;
    await walk.propose(walk.shown.challenge!.proposal_draft);
    await walk.consume();
    const report = async () => reportOfRun(ctx, (await ctx.store.findRun(runId))!);
    expect((await report()).steps[1]).toMatchObject({ doubt: 'permit' });
    await record(ctx, runId, 'command.started', {
      step: 2,
      attempt: 'one',
      cmd: 'crm-update',
      interpreter: 'bash',
      cwd: '/srv',
      env: [],
      timeout_seconds: 60,
    });
    const open = await report();
    const text = reportMarkdown([open]);
    expect(text).toContain('| pending, unknown outcome |');
    expect(text).toContain('* the end of this command is not known: crm-update');
    const { content } = (await ctx.store.headBySlug('default', open.slug))!;
    expect(graphMermaid(content, open.steps)).toContain('pending, unknown outcome');
    expect(reportJunit([open])).toContain('<error message="pending, unknown outcome">');
    expect(await reportPage([open], await loadPageAssets())).toContain(
      'Command that kairos ran with bash in /srv',
    );
    await walk.attest({ outcome: 'failure', message: 'Nobody knows whether it was updated.' });
    const closed = await report();
    expect(reportMarkdown([closed])).toContain('| failed, unknown outcome |');
    expect(reportJunit([closed])).toContain('the end of its command is not known');
  });
});

test('a refused closing comment does not fail the last step', async () => {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['shell'], 'Water the moss'));
  const { challenge } = await walk.solve(1, walk.begun.challenge, shellOk);
  await walk.solve(1, challenge, comment('Short.'));
  const report = await reportOfRun(ctx, (await ctx.store.findRun(walk.runId))!);
  expect(report.steps[0]).toMatchObject({
    state: 'proven',
    attempts: [{ accepted: true }, { accepted: false }],
  });
});

test('the reports and the graph name the interpreter, and why a command was not started', async () => {
  const ctx = await makeContext();
  const block = { proof_of_work: { type: 'shell', shell: { cmd: 'puts 1', interpreter: 'ruby' } } };
  const walk = await startWalk(ctx, `# Ruby it\n\n${stepOf('Put', 'Put it.', block)}\n`);
  const { runId } = walk;
  const shared = { step: 1, attempt: 'one' };
  await record(ctx, runId, 'command.started', {
    ...{ ...shared, cmd: 'puts 1', interpreter: 'ruby', cwd: '/srv', env: [], timeout_seconds: 60 },
  });
  await record(ctx, runId, 'command.finished', { ...shared, error: 'ruby is not installed' });
  const failed = { exit_code: 126, not_started: true };
  await walk.solve(1, walk.begun.challenge, { type: 'shell', shell: failed });
  const report = await reportOfRun(ctx, (await ctx.store.findRun(runId))!);
  expect(report.events.find(({ text }) => text.includes('started by'))!.details).toContain(
    'with ruby, in /srv, timeout 60 s',
  );
  expect(reportMarkdown([report])).toContain('* the command could not be started: ruby is not installed');
  expect(reportJunit([report])).toContain('>could not be started: ruby is not installed</failure>');
  const { content } = (await ctx.store.headBySlug('default', report.slug))!;
  expect(graphMermaid(content)).toContain('ruby command');
});

test('connects each command of a step with its own end', async () => {
  const ctx = await makeContext();
  const { runId } = await startWalk(ctx, protocolOf(['shell'], 'Pay'));
  const started = (attempt: string) =>
    record(ctx, runId, 'command.started', { step: 1, attempt, cmd: 'pay', cwd: '/work', env: [] });
  const finished = (attempt: string, exit_code: number) =>
    record(ctx, runId, 'command.finished', { step: 1, attempt, exit_code, duration_ms: 1 });
  const step = async () => (await reportOfRun(ctx, (await ctx.store.findRun(runId))!)).steps[0]!;
  await started('a');
  await started('b');
  await finished('a', 7);
  expect(await step()).toMatchObject({ doubt: 'command', commands: [{ exitCode: 7 }, { endSeq: null }] });
  expect((await loadRun(ctx, runId))!.state.inDoubt).toMatchObject({ attempt: 'b' });
  await finished('b', 0);
  expect(await step()).toMatchObject({ doubt: null, commands: [{ exitCode: 7 }, { exitCode: 0 }] });
  expect((await loadRun(ctx, runId))!.state.inDoubt).toBeNull();
});

test('shows what was tried before a run was carried over under the step of its revision', async () => {
  const ctx = await makeContext();
  const command = (label: string, cmd: string) =>
    stepOf(label, 'Do it.', { proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 30 } } });
  const document = (...steps: string[]) => `# Mend me\n\n${steps.join('\n')}`;
  const [first, second] = [command('A', 'a'), command('B', 'b')];
  const walk = await startWalk(ctx, document(first, second, command('C', 'c')));
  const { challenge } = await walk.solve(1, walk.begun.challenge, shellOk);
  ctx.clock.advance(3000);
  await walk.solve(2, challenge, shellBad);
  const rebase = async (markdown: string) => {
    const { document } = await parseProtocol(markdown);
    const content = toContent(document.chains[0]!);
    const ids = { chainId: chainId('default', content.slug), digest: digest(content) };
    const rest = { space: 'default', number: 0, author: 'ada', llmModelId: null, weakened: null };
    const target = { ...ids, ...rest, content, createdAt: '2026-01-15T12:00:00.000Z' };
    await rebaseRun(ctx, walk.runId, target, {});
    await resumeRun(ctx, walk.runId);
  };
  await rebase(document(first, command('A0', 'z'), second, command('C', 'c')));
  const report = async () => reportOfRun(ctx, (await ctx.store.findRun(walk.runId))!);
  const inserted = await report();
  expect(
    inserted.steps.map(({ label, state, attempts, workingMs }) => [label, state, attempts.length, workingMs]),
  ).toEqual([
    ['A', 'proven', 1, 0],
    ['A0', 'pending', 0, 0],
    ['B', 'not reached', 1, 3000],
    ['C', 'not reached', 0, 0],
  ]);
  expect(inserted.earlierSteps).toEqual([]);
  expect(inserted.events.filter(({ text }) => text.startsWith('step 2')).map(({ text }) => text)).toEqual([
    'step 2 "B" shown, demands a command',
    'step 2 "B" not proven: COMMAND_FAILED [claimed]',
    'step 2 "B" shown, demands a command',
    'step 2 "A0" shown, demands a command',
  ]);
  expect(reportMarkdown([inserted])).toContain('**3 B**\n\n* refused: COMMAND\\_FAILED');
  // A revision without the step that was tried.
  await rebase(document(first, command('D', 'd')));
  const removed = await report();
  expect(removed.steps.map(({ label, state, attempts }) => [label, state, attempts.length])).toEqual([
    ['A', 'proven', 1],
    ['D', 'pending', 0],
  ]);
  expect(removed.earlierSteps.map(({ label, attempts }) => [label, attempts.length])).toEqual([['B', 1]]);
  expect(pageSteps(await ctx.store.readEntries(walk.runId), false)).toMatchObject([
    { state: 'proven', assurance: 'claimed' },
    { state: 'pending', assurance: null },
  ]);
  expect(removed.revisions.map(({ labels }) => labels)).toEqual([
    ['A', 'B', 'C'],
    ['A', 'A0', 'B', 'C'],
    ['A', 'D'],
  ]);
  expect(reportMarkdown([removed])).toContain('**B, of an earlier revision**\n\n* refused');
  expect(await reportPage([removed], await loadPageAssets())).toContain(
    '<h2>Steps of earlier revisions</h2>',
  );
  expect(statisticsOf([removed])[0]!.steps.map(({ label, refused }) => [label, refused])).toEqual([
    ['A', 0],
    ['D', 0],
  ]);
});

test('two runs are compared by content, not by time', async () => {
  const ctx = await makeContext();
  const [a, b] = [await finishedRun(ctx), await finishedRun(ctx)];
  expect(compareRuns(a, b)).toEqual([]);
  const failed = { ...b, outcome: 'failure' as const };
  expect(compareRuns(a, failed)).toEqual([{ where: 'run', what: 'outcome', a: 'success', b: 'failure' }]);
});

test('two proofs are compared in words', async () => {
  const ctx = await makeContext();
  const proven = async (stdout: string) => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none'], 'Water the plants'));
    await walk.solve(1, walk.begun.challenge, { type: 'shell', shell: { exit_code: 0, stdout } });
    return reportOfRun(ctx, (await ctx.store.findRun(walk.runId))!);
  };
  const differences = compareRuns(await proven('wet\n'), await proven('dry\n'));
  expect(differences.find(({ what }) => what === 'proof')).toMatchObject({
    a: expect.stringMatching(/^exit code 0, output wet/),
    b: expect.stringMatching(/^exit code 0, output dry/),
  });
});

test('step texts have the values of inputs, as the run showed them', async () => {
  const ctx = await makeContext();
  const inputs = '---\ninputs:\n  TARGET: { description: Where it goes. }\n---\n';
  const text = `${inputs}# Send it\n\n${stepOf('Send', 'Send it to {{TARGET}}.', null)}\n`;
  const { items } = await mint(ctx, { markdown_doc: text });
  const begun = await begin(ctx, { uri: items[0]!.uri, inputs: { TARGET: 'berlin' } });
  const { runId } = (await ctx.store.findRuns({ spaces: ['default'], limit: 1 }))[0]!;
  expect(begun).toMatchObject({ run_id: runId });
  const report = await reportOfRun(ctx, (await ctx.store.findRun(runId))!);
  expect(report.steps[0]!.body).toContain('Send it to berlin.');
});

test('the step after an answer is what the run asks for, and where a closed run stopped', async () => {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['user_input', 'user_input', 'none'], 'Ask twice'));
  await answerRun(ctx, walk.runId, { text: 'yes', assurance: 'client' });
  expect((await walk.kinds()).at(-1)).toBe('proof.accepted');
  const report = async () => reportOfRun(ctx, (await ctx.store.findRun(walk.runId))!);
  const open = await report();
  expect(open.steps.map(({ state, waits }) => [state, waits])).toEqual([
    ['proven', null],
    ['pending', 'an answer'],
    ['not reached', null],
  ]);
  const entries = await ctx.store.readEntries(walk.runId);
  expect(pageSteps(entries, false).map(({ state }) => state)).toEqual(['proven', 'pending', 'not reached']);
  await walk.attest({ outcome: 'failure', message: 'It was called off.' });
  const closed = await report();
  expect(closed.steps.map(({ state }) => state)).toEqual(['proven', 'not reached', 'not reached']);
  expect(
    statisticsOf([open, closed])[0]!.steps.map(({ reached, stoppedHere }) => [reached, stoppedHere]),
  ).toEqual([
    [2, 0],
    [2, 2],
    [0, 0],
  ]);
});

test('a step that asks for nothing was shown, and nothing of it is called proven', async () => {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['none', 'shell', 'none'], 'Look, then check'));
  const moved = await walk.show(2);
  await walk.solve(2, moved.challenge, shellOk);
  await walk.attest();
  const report = await reportOfRun(ctx, (await ctx.store.findRun(walk.runId))!);
  expect(report.steps.map(({ state, assurance }) => [state, assurance])).toEqual([
    ['shown', null],
    ['proven', 'claimed'],
    // The closing comment.
    ['proven', null],
  ]);
  expect(headline(report)).toMatch(/^2 of 3 steps proven, 1 shown\./);
  expect(pageSteps(await ctx.store.readEntries(walk.runId), true)).toMatchObject([
    { state: 'shown' },
    { state: 'proven' },
    { state: 'proven' },
  ]);
});

test('statistics count outcomes, refusals and durations by protocol', async () => {
  const ctx = await makeContext();
  const reports = [await finishedRun(ctx), await finishedRun(ctx)];
  expect(statisticsOf(reports)).toMatchObject([
    {
      slug: 'water-the-plants',
      runs: 2,
      successes: 2,
      failures: 0,
      open: 0,
      duration: { p50: 6000, p95: 6000 },
      steps: [{ reached: 2, refused: 2 }, {}],
    },
  ]);
  expect(percentiles([1, 2, 3, 4])).toEqual({ p50: 2, p95: 4 });
  expect(percentiles([])).toBeNull();
});

test('a graph has every step, and no text of others that Mermaid or SVG would obey', async () => {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['shell', 'user_input', 'none'], 'Plot "it" <b>'));
  const run = (await ctx.store.findRun(walk.runId))!;
  const { content } = (await ctx.store.revisionByDigest(run.chainId, run.digest))!;
  const mermaid = graphMermaid(content, [
    { state: 'proven', waitingMs: 0, rollbacks: [], waits: null, doubt: null },
    { state: 'failed', waitingMs: 120_000, rollbacks: [], waits: null, doubt: null },
  ]);
  expect(mermaid).toContain('start(["Plot #34;it#34; #60;b#62;"])');
  expect(mermaid).toContain('failed, waited 2 min"]');
  expect(mermaid).toContain('class s2 failed');
  expect(mermaid).toContain('class s3 not-reached');
  const svg = graphSvg(content);
  expect(svg).toContain('&lt;b&gt;');
  expect(svg.match(/<rect /g)).toHaveLength(4);
});

test('draws long texts in two lines, as wide as their letters', async () => {
  const title = 'Drain a load balancer before its maintenance window of tonight';
  const steps = [
    'Ask the person on call whether the window is free',
    '負荷分散装置を保守の前に切り離し、接続が残っていないことを確かめる',
  ];
  const { document } = await parseProtocol(
    `# ${title}\n\n${steps.map((label) => `## ${label}\n\nText.\n`).join('\n')}`,
  );
  const svg = graphSvg(toContent(document.chains[0]!));
  const texts = Array.from(svg.matchAll(/<text[^>]*>([^<]*)</g), ([, said]) => said);
  expect(texts).toEqual([
    'Drain a load balancer before its',
    'maintenance window of tonight',
    '1. Ask the person on call whether the',
    'window is free',
    '2. 負荷分散装置を保守の前に切り離し、',
    '接続が残っていないことを確かめる',
    'attest',
  ]);
});

test('compares runs by their inputs, and names a step once where it is the same', async () => {
  const report = await finishedRun(await makeContext());
  const other = { ...report, inputs: [['HOST', 'lb2']] as [string, string][] };
  const runs = [{ ...report, inputs: [['HOST', 'lb1 <b>']] as [string, string][] }, other, report];
  const page = await reportPage(runs, { css: '', script: '', viewScript: '' });
  expect(page).toMatch(/<th scope="row">HOST<\/th><td>lb1 &lt;b&gt;<\/td><td>lb2<\/td><td>none<\/td>/);
  expect(page).toContain(`<th scope="row">1 ${report.steps[0]!.label}</th>`);
  expect(reportMarkdown(runs)).toContain('| HOST | lb1 \\<b\\> | lb2 | none |');
});
