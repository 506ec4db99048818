import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadPageAssets } from '../../../src/host/page.ts';
import { record } from '../../../src/operations/next.ts';
import { reportOfRun } from '../../../src/operations/report.ts';
import { reportPage } from '../../../src/report/html.ts';
import { publicKeyOfSeed } from '../../gate/support/case.ts';
import { walkToGuard } from '../../gate/support/walk.ts';
import { makeContext } from '../../support/context.ts';
import { protocolOf, stepOf } from '../../support/protocols.ts';
import { shellBad, shellOk, startWalk } from '../../support/walk.ts';

/** Debian's package `chromium`, or another build named by KAIROS_TEST_CHROMIUM. */
const CHROMIUM = process.env.KAIROS_TEST_CHROMIUM ?? '/usr/bin/chromium';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const HOLDING = {
  version: 1,
  approvers: [{ name: 'bob', actors: ['bob'], keys: [{ key: publicKeyOfSeed('bob') }] }],
  rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
};

describe.skipIf(!existsSync(CHROMIUM))('a report in the browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kairos-browser-'));
  let browser: Browser;
  let page: Page;
  let html: string;
  /** A report of each kind. */
  let pages: Record<string, string>;
  let lines: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    page = await browser.newPage();
    const ctx = await makeContext();
    const walk = await startWalk(
      ctx,
      protocolOf(['shell', 'none'], 'Water <script>alert(1)</script> plants'),
    );
    await walk.solve(1, walk.begun.challenge, shellOk);
    await walk.attest();
    const assets = await loadPageAssets();
    const reportOf = async (runId: string) => reportOfRun(ctx, (await ctx.store.findRun(runId))!);
    const report = await reportOf(walk.runId);
    html = await reportPage([report], assets);
    const bad = await startWalk(ctx, protocolOf(['shell', 'none'], 'Water the ferns'));
    await bad.solve(1, bad.begun.challenge, shellBad);
    await bad.attest({ outcome: 'failure', message: 'The can is empty, so the ferns are dry still.' });
    const gated = await walkToGuard({ ctx });
    await gated.propose(gated.shown.challenge!.proposal_draft);
    await gated.solve(2, (await gated.consume()).challenge, shellBad);
    await gated.attest({ outcome: 'failure', message: 'The record could not be changed, it is locked.' });
    const [failed, guarded] = [await reportOf(bad.runId), await reportOf(gated.runId)];
    const hostile = await startWalk(
      ctx,
      protocolOf(['none', 'shell'], 'Rot \u2764\ufe0f 1\ufe0f\u20e3 &amp; "x"'),
    );
    await hostile.solve(2, (await hostile.show(2)).challenge, shellOk);
    await hostile.attest({ message: 'Two lines,\n\tone of them\u200b with more than it shows.' });
    const waiting = await walkToGuard({ ctx, policy: HOLDING });
    await waiting.propose(waiting.shown.challenge!.proposal_draft);
    const approved = await walkToGuard({ ctx, policy: HOLDING });
    const { proposal_hash: hash } = await approved.propose(approved.shown.challenge!.proposal_draft);
    await record(ctx, approved.runId, 'approval.given', {
      ...{ step: 2, proposal_hash: hash!, decision: 'approve', approver: 'bob', source: 'ssh' },
      ...{
        key: 'ssh-ed25519 AAAA',
        statement: '',
        signature: '',
        expires_at_ms: 1,
        by: 'bob',
        approvals_given: 1,
      },
    });
    const asks = stepOf('Ask', 'Ask.', {
      proof_of_work: { type: 'user_input', user_input: { prompt: 'Really?' } },
    });
    const says = stepOf('Say', 'Say it.', {
      proof_of_work: { type: 'shell', shell: { cmd: 'say', timeout_seconds: 5 } },
      captures: [{ name: 'SAID', from: 'stdout' }],
    });
    const inputs = '---\ninputs:\n  HOST: { description: Where, default: lb1 }\n---\n';
    const given = await startWalk(ctx, `${inputs}# Given\n\n${says}\n${asks}`);
    const asked = await given.solve(1, given.begun.challenge, shellOk);
    await given.solve(2, asked.challenge, { type: 'user_input', user_input: { confirmation: 'yes' } });
    await given.attest();
    const refused = await startWalk(ctx, protocolOf(['shell', 'none'], 'Water the moss'));
    await refused.solve(1, refused.begun.challenge, shellOk);
    await refused.attest({ message: 'Short.' }).catch(() => null);
    await refused.attest();
    pages = {
      hostile: await reportPage([await reportOf(hostile.runId)], assets),
      waiting: await reportPage([await reportOf(waiting.runId)], assets),
      approved: await reportPage([await reportOf(approved.runId)], assets),
      given: await reportPage([await reportOf(given.runId)], assets),
      refused: await reportPage([await reportOf(refused.runId)], assets),
      good: html,
      failed: await reportPage([failed], assets),
      gated: await reportPage([guarded], assets),
      comparison: await reportPage([report, failed, guarded], assets),
    };
    lines = /<pre data-record[^>]*>\n([\s\S]*?)\n<\/pre>/.exec(html)![1]!.split('\n');
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the page says of a record of these lines. */
  async function verdict(record: readonly string[]): Promise<string> {
    const file = join(folder, 'report.html');
    writeFileSync(
      file,
      html.replace(lines.join('\n'), () => record.join('\n')),
    );
    await page.goto(`file://${file}`);
    await page.locator('.check', { hasNotText: 'Checking the record' }).waitFor();
    return (await page.textContent('.check')) ?? '';
  }

  test('reports that a good record is intact, and what that does not show', async () => {
    const said = await verdict(lines);
    expect(said).toMatch(/^Intact/);
    expect(said).toContain('It does not show whose key that is');
    expect(said).toContain('a check of the record, not of every word around it');
    expect(await page.textContent('h1')).toContain('<script>');
  });

  test.each([
    [
      'a changed leaf',
      (all: string[]) => all.with(1, all[1]!.replace('&quot;at&quot;:&quot;20', '&quot;at&quot;:&quot;19')),
      'Entry 1 was changed',
    ],
    ['a removed line', (all: string[]) => all.toSpliced(2, 1), 'Entry 2 is missing'],
    ['swapped lines', (all: string[]) => all.with(1, all[2]!).with(2, all[1]!), 'Entry 1 was moved'],
    ['an inserted line', (all: string[]) => all.toSpliced(3, 0, all[1]!), 'Entry 1 was inserted'],
    ['a cut tail', (all: string[]) => all.toSpliced(-2, 1), 'is missing'],
    ['a missing seal', (all: string[]) => all.slice(0, -1), 'its seal is missing'],
    [
      'a foreign seal',
      (all: string[]) => all.with(-1, all.at(-1)!.replace(/(run_id&quot;:&quot;)[^&]*/, '$1other')),
      'belongs to another run',
    ],
    ['a blank line', (all: string[]) => all.toSpliced(2, 0, ''), 'Line 3 is blank'],
    ['a number', (all: string[]) => all.toSpliced(2, 0, '5'), 'Line 3 is not an entry.'],
    ['an empty list', (all: string[]) => all.toSpliced(2, 0, '[]'), 'Line 3 is not an entry.'],
    [
      'an empty object',
      (all: string[]) => all.toSpliced(2, 0, '{}'),
      'Line 3 is not an entry of this record',
    ],
    [
      'a part of an entry',
      (all: string[]) => all.toSpliced(2, 0, '{"seq":4}'),
      'Line 3 is not an entry of this',
    ],
    [
      'nesting without end',
      (all: string[]) => all.toSpliced(2, 0, '['.repeat(1e5) + ']'.repeat(1e5)),
      'Line 3',
    ],
    ['an empty seal', (all: string[]) => all.with(-1, '{"seal":null}'), 'The seal does not have the form'],
    [
      'a seal without its signature',
      (all: string[]) => all.with(-1, all.at(-1)!.replace(/,&quot;signature&quot;:&quot;[^&]*&quot;/, '')),
      'The seal does not have the form',
    ],
    ...[
      ['public_key', 'The seal names a key that cannot be read'],
      ['signature', 'The seal has a signature that cannot be read'],
    ].map(([name, reason]): [string, (all: string[]) => string[], string] => [
      `a changed leaf under an unreadable ${name}`,
      (all) =>
        all
          .with(1, all[1]!.replace('&quot;at&quot;:&quot;20', '&quot;at&quot;:&quot;19'))
          .with(-1, all.at(-1)!.replace(`&quot;${name}&quot;:&quot;`, '$&!')),
      `Entry 1 was changed.${reason}`,
    ]),
  ])('reports that a record is not intact, and why: %s', async (_, change, reason) => {
    const said = await verdict(change([...lines]));
    expect(said).toMatch(/^Not intact/);
    expect(said).toContain(reason);
  });

  /** What the page says when only its words are changed. */
  async function verdictOn(name: string, change: (text: string) => string): Promise<string> {
    const changed = change(pages[name]!);
    expect(changed).not.toBe(pages[name]);
    const file = join(folder, 'words.html');
    writeFileSync(file, changed);
    await page.goto(`file://${file}`);
    await page.locator('.check', { hasNotText: 'Checking the record' }).waitFor();
    return (await page.textContent('.check')) ?? '';
  }

  test.each<[string, string, (text: string) => string, string]>([
    [
      'the outcome',
      'failed',
      (text) => text.replace('>Failure</span>', '>Success</span>'),
      'another outcome',
    ],
    ['the title', 'failed', (text) => text.replace('>Water the ferns</h1>', '>Other</h1>'), 'another title'],
    ['the actor', 'failed', (text) => text.replace(/(data-fact="actor">)[^<]*/, '$1mira'), 'another actor'],
    [
      'a hidden second title',
      'failed',
      (text) => text.replace('<h1', '<i hidden data-fact="title"></i><h1'),
      'another title',
    ],
    [
      'a fact without its mark',
      'failed',
      (text) => text.replace(' data-fact="outcome"', ''),
      'another outcome',
    ],
    [
      'the state of a step',
      'failed',
      (text) => text.replace('data-fact="state">failed', 'data-fact="state">proven'),
      'another state of step 1',
    ],
    [
      'the assurance of a step',
      'good',
      (text) => text.replace('data-fact="assurance">claimed', 'data-fact="assurance">observed'),
      'another assurance of step 1',
    ],
    ['a step left out', 'good', (text) => text.replace(/<article[\s\S]*?<\/article>/, ''), 'other steps'],
    [
      'the closing comment',
      'failed',
      (text) => text.replace(/(data-fact="closing comment">)[^<]*/, '$1Fine.'),
      'another closing comment',
    ],
    ['the counts', 'good', (text) => text.replace('2 of 2 steps', '9 of 9 steps'), 'another result'],
    [
      'what proofs are worth',
      'good',
      (text) => text.replace('>2 claimed<', '>5 attested<'),
      'another proofs',
    ],
    ['an input', 'given', (text) => text.replace('>lb1<', '>lb2<'), 'another input HOST'],
    ['an input left out', 'given', (text) => text.replace(/<dt>HOST.*?<\/dd>/, ''), 'another input HOST'],
    [
      'a captured value',
      'given',
      (text) => text.replace('>fine</span>', '>bad</span>'),
      'another captured SAID of entry',
    ],
    [
      'an answer',
      'given',
      (text) => text.replace('>yes</span>', '>no</span>'),
      'another confirmation of entry',
    ],
    [
      'an output',
      'good',
      (text) => text.replace(/(\d+ stdout">)\nfine/, '$1\nall tests passed'),
      'another stdout of entry',
    ],
    [
      'a refusal left out',
      'failed',
      (text) => text.replace(/<div class="refused">[\s\S]*?<\/div>/, ''),
      'code of entry',
    ],
    [
      'a decision',
      'waiting',
      (text) => text.replace('waiting for approval</span>', 'allowed by the gate</span>'),
      'decision of entry',
    ],
    [
      'who approved',
      'approved',
      (text) => text.replace('Approved by bob', 'Approved by ada'),
      'answer of entry',
    ],
    [
      'a key of an approver',
      'approved',
      (text) => text.replace('>ssh-ed25519 AAAA', '>ssh-ed25519 BBBB'),
      'key of entry',
    ],
    ['the key', 'good', (text) => text.replace(/(data-fact="key">)[^<]*/, '$1abcd'), 'another key'],
  ])('reports words that differ from the record: %s', async (_, name, change, reason) => {
    const said = await verdictOn(name, change);
    expect(said).toMatch(/^Not intact/);
    expect(said).toContain(reason);
  });

  test('names the entries of a tail that was cut with its seal', async () => {
    const said = await verdict(lines.slice(0, -3));
    expect(said).toMatch(/^Not intact/);
    expect(said).toContain(`Entries ${lines.length - 3} to ${lines.length - 2} are missing`);
  });

  test.each(['hostile', 'waiting', 'refused', 'gated', 'given', 'approved'])(
    'finds no fault in words that are as the record has them: %s',
    async (name) => {
      const said = await verdictOn(name, (text) => `${text}<!-- the same words -->`);
      expect(said).toMatch(['waiting', 'approved'].includes(name) ? /^Open/ : /^Intact/);
    },
  );

  test('has all of its parts on paper', async () => {
    const file = join(folder, 'paper.html');
    writeFileSync(file, html);
    await page.goto(`file://${file}`);
    await page.waitForSelector('.check.intact');
    const closed = () => page.locator('details:not([open])').count();
    const before = await closed();
    expect(before).toBeGreaterThan(0);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await closed()).toBe(0);
    expect(await page.isVisible('text=Do part 1.')).toBe(true);
    // A4 without its margins. Nothing is cut off at the side or inside a box that scrolls on a screen.
    await page.setViewportSize({ width: 680, height: 1000 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(680);
    const cut = `[...document.querySelectorAll('pre, .scroll')].filter(
      (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1).length`;
    expect(await page.evaluate(cut)).toBe(0);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await closed()).toBe(before);
    await page.emulateMedia({ media: 'screen' });
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
  });

  test.each(['light', 'dark'] as const)(
    'has no fault that axe finds and fits 360 columns (%s)',
    async (colorScheme) => {
      const context = await browser.newContext({
        colorScheme,
        bypassCSP: true,
        viewport: { width: 360, height: 800 },
      });
      const narrow = await context.newPage();
      for (const [name, text] of Object.entries(pages)) {
        const file = join(folder, `${name}.html`);
        writeFileSync(file, text);
        await narrow.goto(`file://${file}`);
        await narrow.locator('.check', { hasNotText: 'Checking the record' }).first().waitFor();
        expect(await narrow.locator('.check.broken').count(), name).toBe(0);
        expect(await narrow.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(360);
        await narrow.addScriptTag({ content: axe });
        const { violations } = (await narrow.evaluate('axe.run()')) as {
          violations: { id: string; nodes: { html: string }[] }[];
        };
        expect(
          violations.map(({ id, nodes }) => [name, id, nodes[0]?.html]),
          name,
        ).toEqual([]);
      }
      await context.close();
    },
  );

  test('opens its parts with the keyboard alone', async () => {
    const file = join(folder, 'keys.html');
    writeFileSync(file, html);
    await page.goto(`file://${file}`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('location.hash')).toBe('#content');
    const closed = await page.locator('details:not([open])').count();
    let opened = 0;
    for (let pressed = 0; pressed < 80 && opened < closed; pressed += 1) {
      await page.keyboard.press('Tab');
      const isClosed = "document.activeElement.matches('details:not([open]) > summary')";
      if (!(await page.evaluate(isClosed))) continue;
      await page.keyboard.press('Enter');
      opened += 1;
    }
    expect(opened).toBe(closed);
    expect(await page.locator('details:not([open])').count()).toBe(0);
  });
});
