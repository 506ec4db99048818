import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createViewApp } from '../../../src/cli/commands/view/handler.ts';
import { loadPageAssets } from '../../../src/host/page.ts';
import { publicKeyOfSeed } from '../../gate/support/case.ts';
import { walkToGuard } from '../../gate/support/walk.ts';
import { as, makeContext, type TestContext } from '../../support/context.ts';
import { FIREFOX, type Firefox, launchFirefox } from '../../support/firefox.ts';
import { protocolOf, stepOf } from '../../support/protocols.ts';
import { shellBad, shellOk, startWalk } from '../../support/walk.ts';

const CHROMIUM = process.env.KAIROS_TEST_CHROMIUM ?? '/usr/bin/chromium';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE =
  '<script>window.owned=1</script><img src=x onerror=window.owned=1> [x](javascript:window.owned=1) " onload="window.owned=1';

interface Served {
  /** Who looks at the page. */
  person: TestContext;
  /** The same store, by an agent over MCP. */
  agent: TestContext;
  /** The one-time link. */
  link: string;
  port: number;
  close(): Promise<void>;
}

async function serveView(): Promise<Served> {
  const person = await makeContext();
  const agent = as(person, { interface: 'mcp', session: 's1', actor: 'ada' });
  const { app, invite, close } = createViewApp(person, await loadPageAssets(), person.clock);
  const server: ServerType = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await new Promise((done) => server.once('listening', () => done(undefined)));
  const { port } = server.address() as AddressInfo;
  return {
    person,
    agent,
    port,
    link: `http://127.0.0.1:${port}/enter?link=${invite(port)}`,
    async close() {
      close();
      const gone = new Promise((done) => server.close(done));
      if ('closeAllConnections' in server) server.closeAllConnections();
      await gone;
      await person.store.close();
    },
  };
}

/** An agent's run that waits for a person, after a step that was refused once. */
async function waitingRun(
  { agent }: Served,
  title = 'Water the plants',
  kind: 'user_input' | 'comment' = 'user_input',
) {
  const walk = await startWalk(agent, protocolOf(['shell', kind, 'none'], title));
  const refused = await walk.solve(1, walk.begun.challenge, shellBad);
  agent.clock.advance(5000);
  await walk.solve(1, refused.challenge, shellOk);
  agent.clock.advance(60_000);
  return walk;
}

let served: Served;
beforeEach(async () => {
  served = await serveView();
});
afterEach(() => served.close());

/** A request with any headers, as other programs and pages could make it. */
function ask(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: served.port, path, method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

describe.skipIf(!existsSync(CHROMIUM))('the local page in Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    context = await browser.newContext({ bypassCSP: false });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  describe('access', () => {
    test('the first browser with the link, whose address shows nothing of it', async () => {
      await page.goto(served.link);
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/');
      expect(await page.evaluate('document.cookie')).toBe('');
      const thief = await browser.newContext();
      const other = await thief.newPage();
      expect((await other.goto(served.link))?.status()).toBe(403);
      expect((await other.goto(`http://127.0.0.1:${served.port}/`))?.status()).toBe(403);
      await thief.close();
      expect((await page.reload())?.status()).toBe(200);
    });

    test('the same browser for several of these pages at a time', async () => {
      const second = await serveView();
      await page.goto(served.link);
      await page.goto(second.link);
      for (const { port } of [served, second])
        expect((await page.goto(`http://127.0.0.1:${port}/`))?.status()).toBe(200);
      await second.close();
    });

    test('a browser after a program that asks only for the head of the link', async () => {
      const { pathname, search, host } = new URL(served.link);
      expect(await ask(`${pathname}${search}`, { host }, 'HEAD')).toMatchObject({ status: 405 });
      expect((await page.goto(served.link))?.status()).toBe(200);
    });

    test('no other host, origin or form, even with the cookie', async () => {
      const walk = await waitingRun(served);
      await page.goto(served.link);
      const { name, value } = (await context.cookies())[0]!;
      const cookie = `${name}=${value}`;
      const host = `127.0.0.1:${served.port}`;
      expect((await ask('/', { cookie, host })).status).toBe(200);
      expect(await ask('/', { cookie, host: 'evil.example' })).toEqual({ status: 403, text: 'Unknown host' });
      expect((await ask('/', { cookie, host, origin: 'https://evil.example' })).status).toBe(403);
      expect((await ask('/', { cookie, host, origin: 'null' })).status).toBe(403);
      expect((await ask('/', { cookie: `${name}=${'0'.repeat(48)}`, host })).status).toBe(403);
      const form = `answer=yes&station=1&token=${'0'.repeat(64)}`;
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const post = (headers: object) =>
        ask(`/runs/${walk.runId}/answer`, { ...headers, ...type } as Record<string, string>, 'POST', form);
      expect((await post({ cookie, host })).status).toBe(403);
      expect((await post({ host })).status).toBe(403);
      expect(await walk.kinds()).not.toContain('run.noted');
      expect((await walk.kinds()).filter((kind) => kind === 'proof.accepted')).toHaveLength(1);
    });

    test('a page of another origin reads nothing, and its form has no effect', async () => {
      const walk = await waitingRun(served);
      await page.goto(served.link);
      const foreign = await context.newPage();
      await foreign.route('http://evil.example/**', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method=post action="http://127.0.0.1:${served.port}/runs/${walk.runId}/answer"><input name=answer value=yes><input name=station value=1><button>x</button></form>`,
        }),
      );
      await foreign.goto('http://evil.example/');
      const read = await foreign.evaluate(
        `fetch('http://127.0.0.1:${served.port}/', { credentials: 'include' }).then((r) => r.text(), () => 'refused')`,
      );
      expect(read).toBe('refused');
      await foreign.click('button');
      await foreign.waitForURL(/answer/);
      expect(await foreign.textContent('body')).not.toContain('Water');
      expect((await walk.kinds()).filter((kind) => kind === 'proof.accepted')).toHaveLength(1);
    });
  });

  describe('answering', () => {
    /** The id of an agent's run that asks a person. */
    async function askedRun(user_input: object): Promise<string> {
      const block = { proof_of_work: { type: 'user_input', user_input } };
      const steps = [stepOf('Ask', 'Ask.', block), stepOf('End', 'End.', null)];
      return (await startWalk(served.agent, `# Gates\n\n${steps.join('\n')}`)).runId;
    }

    async function openRun(id: string): Promise<void> {
      await page.goto(served.link);
      await page.goto(`http://127.0.0.1:${served.port}/runs/${id}`);
    }

    const lastOf = async (id: string, wanted: string) =>
      (await served.agent.store.readEntries(id)).findLast(({ kind }) => kind === wanted)?.data;

    test("moves an agent's run on, with the keyboard alone", async () => {
      const walk = await waitingRun(served);
      await page.goto(served.link);
      await tabTo(page, `a[href="/runs/${walk.runId}"]`);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/runs/${walk.runId}`);
      await tabTo(page, 'input[name=answer]');
      await page.keyboard.type('yes, go on');
      await page.keyboard.press('Enter');
      await page.locator('form.answer input[name=answer]').waitFor({ state: 'detached' });
      const entries = await served.agent.store.readEntries(walk.runId);
      const proof = entries.findLast(({ kind }) => kind === 'proof.accepted');
      expect(proof?.data).toMatchObject({
        step: 2,
        assurance: 'client',
        user_input: { confirmation: 'yes, go on' },
      });
      // The agent goes on from there.
      expect(await walk.show(3)).toMatchObject({ current_step: { uri: walk.uris[2] } });
    });

    test('counts once when two tabs answer at the same time', async () => {
      const walk = await waitingRun(served);
      await page.goto(served.link);
      const tabs = [page, await context.newPage()];
      for (const tab of tabs) await tab.goto(`http://127.0.0.1:${served.port}/runs/${walk.runId}`);
      for (const [at, tab] of tabs.entries()) await tab.fill('input[name=answer]', `answer ${at}`);
      await Promise.all(
        tabs.map((tab) => Promise.all([tab.waitForNavigation(), tab.click('form.answer button')])),
      );
      const proofs = (await served.agent.store.readEntries(walk.runId)).filter(
        ({ kind, data }) => kind === 'proof.accepted' && data.step === 2,
      );
      expect(proofs).toHaveLength(1);
      const said = await Promise.all(tabs.map((tab) => tab.textContent('body')));
      expect(said.filter((text) => text?.includes('answered already'))).toHaveLength(1);
    });

    test('keeps an answer that was refused, with the focus in it and the reason next to it', async () => {
      const id = await askedRun({ prompt: 'Which ticket?', pattern: '[A-Z]+-[0-9]+' });
      await openRun(id);
      expect(await page.textContent('#answer-hint')).toBe(
        'The whole answer must match the pattern [A-Z]+-[0-9]+.',
      );
      await page.fill('input[name=answer]', 'bad "answer" <b>');
      await page.keyboard.press('Enter');
      const field = page.locator('input[name=answer][aria-invalid=true]');
      await field.waitFor();
      expect(await field.inputValue()).toBe('bad "answer" <b>');
      expect(await page.evaluate('document.activeElement.id')).toBe('answer');
      expect(await field.getAttribute('aria-describedby')).toBe('answer-hint problem');
      expect(await page.textContent('#problem')).toContain('must match [A-Z]+-[0-9]+ as a whole');
      await page.fill('input[name=answer]', 'OPS-7');
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
      expect(await lastOf(id, 'proof.accepted')).toMatchObject({ user_input: { confirmation: 'OPS-7' } });
    });

    test('keeps a comment that is too short or too long, and a text whose question was answered', async () => {
      const walk = await waitingRun(served, 'Write it down', 'comment');
      await openRun(walk.runId);
      expect(await page.textContent('#answer-hint')).toBe(
        'In your own words, with at least this number of characters: 20.',
      );
      const box = page.locator('textarea[name=answer]');
      for (const [text, reason] of [
        ['\n  ok', 'at least 20 are needed'],
        ['a'.repeat(70_000), 'has 70000 characters; at most 65536'],
      ] as const) {
        await box.fill(text);
        await Promise.all([page.waitForNavigation(), page.click('form.answer button')]);
        expect(await page.textContent('#problem')).toContain(reason);
        expect(await box.inputValue()).toBe(text);
        expect(await page.evaluate('document.activeElement.id')).toBe('answer');
      }
      await box.fill('The ferns were watered twice.');
      const { challenge } = await walk.show(2);
      await walk.solve(2, challenge, { type: 'comment', comment: { text: 'Watered each fern by hand.' } });
      await Promise.all([page.waitForNavigation(), page.click('form.answer button')]);
      expect(await page.textContent('.check.broken')).toMatch(/moved on.*The ferns were watered twice\./);
      expect(await page.evaluate('document.activeElement.id')).toBe('problem');
      // The address of the form shows the run.
      await page.goto(page.url());
      expect(new URL(page.url()).pathname).toBe(`/runs/${walk.runId}`);
    });

    test.each([
      ['choices', { prompt: 'Which gate?', choices: ['north', 'decline'] }, 'north'],
      ['a text', { prompt: 'Which gate?', pattern: 'north|south' }, 'south'],
    ])('records a refusal of a question with %s, which an answer lifts', async (_name, ask, answer) => {
      const id = await askedRun(ask);
      await openRun(id);
      await tabTo(page, 'button[name=decline]');
      await Promise.all([page.waitForURL(`**/runs/${id}`), page.keyboard.press('Enter')]);
      await page.getByText('This question was declined. An answer lifts that.').waitFor();
      expect(await lastOf(id, 'proof.rejected')).toMatchObject({
        code: 'USER_DECLINED',
        assurance: 'client',
      });
      if ('choices' in ask) await page.click(`button[value=${answer}]`);
      else {
        await page.fill('input[name=answer]', answer);
        await page.keyboard.press('Enter');
      }
      await page.locator('button[name=decline]').waitFor({ state: 'detached' });
      expect(await lastOf(id, 'proof.accepted')).toMatchObject({ user_input: { confirmation: answer } });
    });

    test('keeps a half-written answer when the run continues', async () => {
      const walk = await waitingRun(served);
      await page.goto(served.link);
      await page.goto(`http://127.0.0.1:${served.port}/runs/${walk.runId}`);
      await page.fill('input[name=answer]', 'half an ans');
      const other = await waitingRun(served, 'Another');
      const list = await context.newPage();
      await list.goto(`http://127.0.0.1:${served.port}/`);
      await list.waitForSelector(`a[href="/runs/${other.runId}"]`);
      await page.waitForSelector('#changed');
      expect(await page.inputValue('input[name=answer]')).toBe('half an ans');
    });

    test('keeps open what was opened when a run continues', async () => {
      const walk = await waitingRun(served);
      await page.goto(served.link);
      await page.goto(`http://127.0.0.1:${served.port}/runs/${walk.runId}`);
      const first = page.locator('article details').first();
      await first.locator('summary').click();
      const loaded = page.waitForEvent('load');
      await waitingRun(served, 'Another');
      await loaded;
      await page.locator('article details[open]').first().waitFor();
      expect(await page.locator('details[open]').count()).toBe(1);
    });

    test('accepts a note for an open run', async () => {
      const walk = await waitingRun(served);
      await page.goto(served.link);
      await page.goto(`http://127.0.0.1:${served.port}/runs/${walk.runId}`);
      await page.click('summary:has-text("Add a note")');
      await page.fill('textarea[name=note]', 'The ferns look dry.');
      await page.click('form.note button');
      await page.waitForURL(`**/runs/${walk.runId}`);
      const noted = (await served.agent.store.readEntries(walk.runId)).at(-1);
      expect(noted).toMatchObject({ kind: 'run.noted', data: { text: 'The ferns look dry.', by: 'ada' } });
      await walk.solve(2, (await walk.show(2)).challenge, {
        type: 'user_input',
        user_input: { confirmation: 'yes' },
      });
      await walk.attest({ outcome: 'failure', message: 'Stopped here for today, the can is empty.' });
      await page.reload();
      expect(await page.locator('textarea[name=note]').count()).toBe(0);
    });
  });

  test('shows runs as they go', async () => {
    await page.goto(served.link);
    expect(await page.textContent('main')).toContain('No runs yet');
    const walk = await waitingRun(served);
    await page.waitForSelector(`a[href="/runs/${walk.runId}"]`);
    expect(await page.textContent('main')).toContain('waits for an answer');
  });

  test('shows everything that others wrote as text', async () => {
    const markdown = `# ${HOSTILE}\n\n${HOSTILE}\n\n${stepOf(`One ${HOSTILE}`, HOSTILE, {
      proof_of_work: {
        type: 'shell',
        shell: { cmd: `echo '${HOSTILE.replaceAll("'", '')}'`, timeout_seconds: 5 },
      },
    })}\n${stepOf('Two', HOSTILE, {
      proof_of_work: { type: 'user_input', user_input: { prompt: HOSTILE, choices: ['approved', HOSTILE] } },
    })}\n${stepOf('Three', HOSTILE, null)}`;
    const walk = await startWalk(served.agent, markdown);
    // An author's document with hidden characters is not even stored; an agent's output is.
    const long = `${HOSTILE} \u202e\n`.repeat(Math.ceil(1_000_000 / HOSTILE.length));
    const refused = await walk.solve(1, walk.begun.challenge, {
      type: 'shell',
      shell: { exit_code: 1, stdout: long, stderr: long },
    });
    await walk.solve(1, refused.challenge, { type: 'shell', shell: { exit_code: 0, stdout: long } });
    await page.goto(served.link);
    const [chain] = await served.agent.store.listChains(['default']);
    const paths = [
      '/',
      `/runs/${walk.runId}`,
      '/protocols',
      `/protocols/${chain!.slug}`,
      '/statistics',
      '/proposals',
    ];
    for (const path of paths) await isText(path);
  });

  test('shows a hostile proposal as text, to its approver and in the record', async () => {
    const policy = {
      version: 1,
      approvers: [{ name: 'bob', keys: [{ key: publicKeyOfSeed('bob') }] }],
      rules: [{ name: 'all', match: {}, approval_class: 'single' }],
    };
    const template = { target: undefined, risk_envelope: undefined, effects: undefined };
    const walk = await walkToGuard({ ctx: served.agent, policy, template });
    served.person.policy = served.agent.policy!;
    const draft = walk.shown.challenge!.proposal_draft as Record<string, unknown>;
    const target = { resource_type: HOSTILE, resource_id: HOSTILE, domain: HOSTILE, constraints: {} };
    const note = `${HOSTILE} \u202e\u2066\u200b\u001b[2J\n`;
    const large = { note: note.repeat(Math.ceil(120_000 / note.length)), link: 'javascript:window.owned=1' };
    const base = { ...draft, target, actor: served.agent.caller.actor };
    // More than a proposal may have, then one with names and fields that are refused, then one that waits.
    const tooLarge = { ...base, parameters: { note: note.repeat(Math.ceil(1_000_000 / note.length)) } };
    expect(await walk.propose(tooLarge)).toMatchObject({ decision: 'DENY' });
    expect(await walk.propose({ ...base, [HOSTILE]: HOSTILE, parameters: { [note]: note } })).toMatchObject({
      decision: 'DENY',
    });
    const waits = { ...base, proposal_id: `${HOSTILE} \u202e`, parameters: large };
    expect(await walk.propose(waits)).toMatchObject({ decision: 'HOLD', reasons: [] });
    await page.goto(served.link);
    for (const path of ['/proposals', `/runs/${walk.runId}`, '/']) await isText(path);
    await page.goto(`http://127.0.0.1:${served.port}/proposals`);
    const shown = await page.textContent('main');
    expect(shown).toContain('javascript:window.owned=1');
    expect(shown).toContain('<script>window.owned=1</script>');
    expect(shown).toContain('\\u{202e}');
  });

  /** Nothing of what others wrote is more than text on the page. */
  async function isText(path: string): Promise<void> {
    await page.goto(`http://127.0.0.1:${served.port}${path}`);
    await page.waitForLoadState('load');
    expect(await page.evaluate('window.owned'), path).toBeUndefined();
    expect(await page.locator('script').count(), path).toBe(1);
    expect(await page.locator('img, iframe, [onerror], [onload], a[href^="javascript:"]').count(), path).toBe(
      0,
    );
    const shown = await page.evaluate(
      "[...document.querySelectorAll('[data-record]')].forEach((e) => e.remove()), document.body.textContent",
    );
    expect(shown, path).not.toMatch(/[\u202e\u2066\u200b\u001b]/);
  }

  test.each(['light', 'dark'] as const)(
    'has no fault that axe finds, and fits 360 columns (%s)',
    async (colorScheme) => {
      const paths = await everyPage(served);
      const narrow = await browser.newContext({
        colorScheme,
        bypassCSP: true,
        viewport: { width: 360, height: 800 },
      });
      const tab = await narrow.newPage();
      await tab.goto(served.link);
      for (const path of paths) {
        await tab.goto(`http://127.0.0.1:${served.port}${path}`);
        expect(await tab.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(360);
        // A table of runs or steps has no columns beyond the edge, which only a scroll bar would show.
        const hidden = await tab.$$eval('.rows', (tables) =>
          tables.map((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0)),
        );
        expect(Math.max(0, ...hidden), path).toBe(0);
        await tab.addScriptTag({ content: axe });
        const { violations } = (await tab.evaluate('axe.run()')) as {
          violations: { id: string; nodes: { html: string }[] }[];
        };
        expect(
          violations.map(({ id, nodes }) => [path, id, nodes[0]?.html]),
          path,
        ).toEqual([]);
      }
      await narrow.close();
    },
  );

  test('is reached with Tab alone, in the order of the page, and shows where the focus is', async () => {
    const paths = await everyPage(served);
    await page.goto(served.link);
    for (const path of paths) {
      await page.goto(`http://127.0.0.1:${served.port}${path}`);
      expect(await tabThrough(page), path).toEqual({ unreached: [], unmarked: [], jumps: 0 });
    }
  });

  test('lets a choice be picked, a note be written and a step be opened with the keyboard alone', async () => {
    const block = {
      proof_of_work: {
        type: 'user_input',
        user_input: { prompt: 'Which gate?', choices: ['north', 'south'] },
      },
    };
    const walk = await startWalk(
      served.agent,
      `# Gates\n\n${stepOf('Ask', 'Ask.', block)}\n${stepOf('End', 'End.', null)}`,
    );
    await page.goto(served.link);
    await page.goto(`http://127.0.0.1:${served.port}/runs/${walk.runId}`);
    await tabTo(page, 'form.answer button[value=south]');
    await Promise.all([page.waitForURL(`**/runs/${walk.runId}`), page.keyboard.press('Space')]);
    await page.locator('button[value=south]').waitFor({ state: 'detached' });
    const entries = await served.agent.store.readEntries(walk.runId);
    expect(entries.findLast(({ kind }) => kind === 'proof.accepted')?.data).toMatchObject({
      user_input: { confirmation: 'south' },
    });
    await tabTo(page, 'details:has(form.note) > summary');
    await page.keyboard.press('Enter');
    await tabTo(page, 'textarea[name=note]');
    await page.keyboard.type('The north gate sticks.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.events', { hasText: 'note by' }).waitFor({ state: 'attached' });
    await tabTo(page, 'article details > summary');
    await page.keyboard.press('Enter');
    expect(await page.locator('article details[open]').count()).toBeGreaterThan(0);
  });
});

/** Fills the store with a run of every kind, and returns the address of every page. */
async function everyPage({ agent, person }: Served): Promise<string[]> {
  const asking = await waitingRun(served);
  const writing = await waitingRun(served, 'Write it down', 'comment');
  const done = await waitingRun(served, 'Feed the cat');
  await done.attest({ outcome: 'failure', message: 'The cat is out, so it was not fed at all.' });
  const policy = {
    version: 1,
    approvers: [{ name: 'bob', keys: [{ key: publicKeyOfSeed('bob') }] }],
    rules: [{ name: 'all', match: {}, approval_class: 'single' }],
  };
  const gated = await walkToGuard({ ctx: agent, policy });
  person.policy = agent.policy!;
  expect(await gated.propose(gated.shown.challenge!.proposal_draft)).toMatchObject({ decision: 'HOLD' });
  const chains = await agent.store.listChains(['default']);
  return [
    '/',
    ...[asking, writing, done, gated].map(({ runId }) => `/runs/${runId}`),
    '/protocols',
    ...chains.map(({ slug }) => `/protocols/${slug}`),
    '/statistics',
    '/proposals',
    '/nothing-here',
  ];
}

/** Presses Tab from the first to the last element, and returns those that it missed or that do not show their focus. */
async function tabThrough(page: Page) {
  const elements = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, summary, [tabindex="0"]')]
    .filter((element) => element.checkVisibility())`;
  const count = (await page.evaluate(`${elements}.length`)) as number;
  const reached: number[] = [];
  const unmarked: string[] = [];
  for (let pressed = 0; pressed < count; pressed += 1) {
    await page.keyboard.press('Tab');
    const [at, isMarked, name] = (await page.evaluate(`(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
      return [${elements}.indexOf(document.activeElement), isMarked, document.activeElement.outerHTML.slice(0, 80)];
    })()`)) as [number, boolean, string];
    reached.push(at);
    if (!isMarked) unmarked.push(name);
  }
  const unreached = Array.from({ length: count }, (_, at) => at).filter((at) => !reached.includes(at));
  return { unreached, unmarked, jumps: reached.filter((at, place) => at !== place).length };
}

describe.skipIf(!existsSync(FIREFOX))('the local page in Firefox', () => {
  let firefox: Firefox;
  beforeAll(async () => {
    firefox = await launchFirefox();
  });
  afterAll(() => firefox?.close());

  test('lets in once, follows runs, checks a record, and accepts an answer', async () => {
    const walk = await waitingRun(served);
    await firefox.goto(served.link);
    expect(await firefox.evaluate('return location.search')).toBe('');
    await firefox.until(`return document.querySelector('a[href="/runs/${walk.runId}"]') !== null`);
    await firefox.goto(`http://127.0.0.1:${served.port}/runs/${walk.runId}`);
    await firefox.until("return document.querySelector('[id^=check-] strong').textContent === 'Open'");
    await firefox.type('input[name=answer]', 'yes, from Firefox\uE007');
    await firefox.until("return document.querySelector('form.answer input[name=answer]') === null");
    const answered = (await served.agent.store.readEntries(walk.runId)).findLast(
      ({ kind }) => kind === 'proof.accepted',
    );
    expect(answered?.data).toMatchObject({ step: 2, assurance: 'client' });
    await walk.attest();
    await firefox.goto(`http://127.0.0.1:${served.port}/runs/${walk.runId}`);
    await firefox.until("return document.querySelector('[id^=check-] strong').textContent === 'Intact'");
    expect(await firefox.evaluate("return document.querySelector('[id^=check-]').textContent")).toContain(
      'The seal is signed by the key',
    );
  });
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return;
  }
  throw new Error(`Tab does not reach ${selector}`);
}
