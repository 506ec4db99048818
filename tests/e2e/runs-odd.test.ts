import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { zonedTime } from '../../src/base/duration.ts';
import { parseTime } from '../../src/cli/commands/runs/command.ts';
import { main } from '../../src/cli/main.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { fakeIo } from '../support/cli-io.ts';

let home: CliHome;
let ids: string[];
const DOCUMENT = `---
slug: drain
inputs:
  HOST: { description: Host to drain }
---
# Drain a load balancer 負荷分散装置 before its maintenance window

## Look at the traffic of {{HOST}}

Look.
`;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'drain.md'), DOCUMENT);
  await kairos(home, ['mint', 'drain.md'], { prepares: true });
  ids = [];
  for (const host of ['lb1', 'lb2', 'lb3']) ids.push(await finished(host));
});
afterAll(() => home.remove());

async function begun(host: string, ...args: string[]): Promise<{ runId: string; uri: string }> {
  const [answer] = (await kairosJson(home, ['begin', 'drain', '--input', `HOST=${host}`, ...args])).objects;
  const { uri } = answer!.current_step as { uri: string };
  return { runId: String(answer!.run_id), uri };
}

const attest = ({ runId, uri }: { runId: string; uri: string }, ...args: string[]) =>
  kairos(home, ['attest', uri, 'success', 'Looked at it, and saw no traffic.', '--run', runId, ...args]);

async function finished(host: string, ...args: string[]): Promise<string> {
  const run = await begun(host, ...args);
  await attest(run, ...args);
  return run.runId;
}

describe('the list of runs', () => {
  /** On a terminal of this width, or without one into a pipe. */
  async function listed(columns: number | undefined): Promise<string[]> {
    const { io, stdout } = fakeIo({
      env: { ...home.env, NO_COLOR: '1' },
      cwd: home.work,
      tty: true,
      now: Date.now(),
    });
    if (columns === undefined) io.stdout = fakeIo().io.stdout;
    else io.stdout.columns = columns;
    expect(await main(['runs'], io)).toBe(0);
    return stdout().trimEnd().split('\n');
  }

  it.each([40, 50, 60, 70, 80, 100, 140])(
    'fits a terminal of %i columns, with id, title and state',
    async (columns) => {
      const lines = await listed(columns);
      expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
      expect(lines).toHaveLength(4);
      for (const line of lines.slice(1)) expect(line).toMatch(/^[0-9a-f]{8} +Drain a .* success/);
    },
  );

  it('is not cut in a pipe', async () => {
    const { stdout } = await kairos(home, ['runs']);
    expect(stdout.split('\n')[1]).toContain('before its maintenance window');
  });

  it('reports filters that nothing fits, and accepts one day as both ends', async () => {
    expect((await kairos(home, ['runs', '--outcome', 'failure'])).stdout).toBe(
      'No run fits these filters.\n',
    );
    expect((await kairos(home, ['runs', '--space', 'empty'])).stdout).toBe('No runs.\n');
    expect(await kairos(home, ['runs', '--since', '2026-01-31', '--until', '2026-01-31'])).toMatchObject({
      code: 0,
    });
  });
});

it('days of filters begin at local midnight, also where the clock is changed', () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  const hours = (from: string, to: string) => (parseTime(to) - parseTime(from)) / 3_600_000;
  expect(new Date(parseTime('2026-03-29')).toISOString()).toBe('2026-03-28T23:00:00.000Z');
  expect(hours('2026-03-29', '2026-03-30')).toBe(23);
  expect(hours('2026-10-25', '2026-10-26')).toBe(25);
  expect(hours('2026-10-25T00:30Z', '2026-10-25T01:30Z')).toBe(1);
  vi.unstubAllEnvs();
});

it.each([
  ['UTC', '2026-01-31T12:00:05.123Z', '2026-01-31 12:00:05 +00:00'],
  ['Europe/Berlin', '2026-07-31T23:00:05.123Z', '2026-08-01 01:00:05 +02:00'],
  ['Asia/Kolkata', '2026-01-31T12:00:05.123Z', '2026-01-31 17:30:05 +05:30'],
  ['America/St_Johns', '2026-01-01T02:00:00.000Z', '2025-12-31 22:30:00 -03:30'],
  ['UTC', 'not a time', 'not a time'],
])('prints an instant with the offset of %s', (zone, instant, text) => {
  vi.stubEnv('TZ', zone);
  expect(zonedTime(instant)).toBe(text);
  vi.unstubAllEnvs();
});

describe('a run', () => {
  it('is named by four characters or more of its id, in any case', async () => {
    const [id] = ids as [string];
    for (const name of [id, id.toUpperCase(), id.slice(0, 8), id.slice(0, 13)])
      expect((await kairosJson(home, ['runs', 'show', name])).objects[0]).toMatchObject({
        run: { run_id: id },
      });
    expect(await kairos(home, ['runs', 'show', id.slice(0, 3)])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('at least 4 characters'),
    });
  });

  it('is the latest of its space alone', async () => {
    await kairos(home, ['mint', 'drain.md', '--space', 'ops'], { prepares: true });
    const other = await finished('lb9', '--space', 'ops');
    const latest = async (...args: string[]) =>
      (
        (await kairosJson(home, ['runs', 'show', 'latest', ...args])).objects[0] as {
          run: { run_id: string };
        }
      ).run.run_id;
    expect([await latest('--space', 'ops'), await latest()]).toEqual([other, ids.at(-1)]);
    expect((await kairos(home, ['runs', 'show', other])).code).toBe(1);
    expect((await kairos(home, ['runs', 'show', 'latest', '--space', 'nowhere'])).code).toBe(1);
  });
});

it('an exported run is shown on another machine, and a damaged one names how to find the damage', async () => {
  const { stdout } = await kairos(home, ['runs', 'export', ids[0]!]);
  const stranger = makeHome();
  const lines = stdout.trimEnd().split('\n');
  writeFileSync(join(stranger.work, 'run.jsonl'), stdout);
  writeFileSync(join(stranger.work, 'turned.jsonl'), `${lines.toReversed().join('\n')}\n`);
  const shown = await kairos(stranger, ['runs', 'show', 'run.jsonl']);
  expect(shown).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/run +[0-9a-f-]{36}[\s\S]*HOST +lb1[\s\S]*success/),
  });
  const turned = await kairos(stranger, ['runs', 'show', './turned.jsonl']);
  expect(turned.stdout).toContain('Drain a load balancer');
  expect(turned.stdout).toContain(`verify ${join(stranger.work, 'turned.jsonl')}`);
  writeFileSync(join(stranger.work, 'headless.jsonl'), `${lines.slice(1).join('\n')}\n`);
  const headless = await kairos(stranger, ['runs', 'show', './headless.jsonl']);
  expect(headless.stdout).toContain('A run without its beginning');
  expect(headless.stdout).not.toMatch(/null|undefined/);
  stranger.remove();
});

it('notes with control characters stay text', async () => {
  const open = await begun('lb4');
  const hostile = '\u001b[2J\u0007\u202e\u007f\u0085 rtl';
  for (const id of [open.runId, ids[1]!]) {
    expect((await kairos(home, ['runs', 'note', id, hostile])).code).toBe(0);
    const { stdout } = await kairos(home, ['runs', 'show', id, '--entries']);
    expect(stdout).toContain('\\x1b[2J');
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e\u007f\u0085]/);
    expect((await kairos(home, ['verify', id])).stdout).toMatch(/intact|unsealed/);
  }
  await attest(open);
});

it('pruning and running at the same time loses nothing', async () => {
  const open = await Promise.all(['a', 'b', 'c'].map((host) => begun(host)));
  const prune = ['runs', 'prune', '--older-than', '0m', '--archive', 'archive'];
  const results = await Promise.all([
    kairos(home, prune),
    ...open.map((run) => attest(run)),
    kairos(home, prune),
    begun('d'),
  ]);
  const late = results.at(-1) as { runId: string };
  expect(results.slice(0, -1).map((result) => (result as { code: number }).code)).toEqual([0, 0, 0, 0, 0]);
  const archived = readdirSync(join(home.work, 'archive')).map((name) => name.replace('.jsonl', ''));
  expect(archived).toEqual(expect.arrayContaining(ids));
  expect(archived).not.toContain(late.runId);
  for (const id of [...ids, ...open.map(({ runId }) => runId)]) {
    const { stdout } = await kairos(home, ['verify', id]);
    expect(stdout.split(' ')[0]).toBe(archived.includes(id) ? 'pruned' : 'intact');
  }
  for (const id of archived) {
    const file = join(home.work, 'archive', `${id}.jsonl`);
    expect(readFileSync(file, 'utf8')).toContain('"seal"');
    expect((await kairos(home, ['verify', file])).code).toBe(0);
  }
});
