import { describe, expect, test } from 'vitest';
import { loadPageAssets } from '../../src/host/page.ts';
import { reportOfRun } from '../../src/operations/report.ts';
import { graphMermaid, graphSvg } from '../../src/report/graph.ts';
import { reportPage } from '../../src/report/html.ts';
import { reportJunit, reportMarkdown } from '../../src/report/markdown.ts';
import type { RunReport } from '../../src/report/model.ts';
import { compareRuns, percentiles, statisticsOf } from '../../src/report/statistics.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { shellBad, shellOk, startWalk } from '../support/walk.ts';

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

  test('is JUnit with a case for each step', async () => {
    const report = await finishedRun(await makeContext());
    const xml = reportJunit([report]);
    expect(xml).toContain('tests="2" failures="0" errors="0" skipped="0" time="6.000"');
    expect(xml.match(/<testcase /g)).toHaveLength(2);
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

test('two runs are compared by content, not by time', async () => {
  const ctx = await makeContext();
  const [a, b] = [await finishedRun(ctx), await finishedRun(ctx)];
  expect(compareRuns(a, b)).toEqual([]);
  const failed = { ...b, outcome: 'failure' as const };
  expect(compareRuns(a, failed)).toEqual([{ where: 'run', what: 'outcome', a: 'success', b: 'failure' }]);
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
    { state: 'proven', waitingMs: 0, rollbacks: [] },
    { state: 'failed', waitingMs: 120_000, rollbacks: [] },
  ]);
  expect(mermaid).toContain('start(["Plot #34;it#34; #60;b#62;"])');
  expect(mermaid).toContain('failed, waited 2 min"]');
  expect(mermaid).toContain('class s2 failed');
  expect(mermaid).toContain('class s3 not-reached');
  const svg = graphSvg(content);
  expect(svg).toContain('&lt;b&gt;');
  expect(svg.match(/<rect /g)).toHaveLength(4);
});
