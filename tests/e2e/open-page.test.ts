import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CliHome, kairos, launchKairos, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
  mkdirSync(join(home.root, 'openers'));
});
afterEach(() => home.remove());

/** Replaces the program that opens pages by one that notes what it was given. */
function opener(exitCode: number): void {
  const path = join(home.root, 'openers/xdg-open');
  writeFileSync(path, `#!/bin/sh\necho "$*" >> '${home.root}/opened'\nexit ${exitCode}\n`);
  chmodSync(path, 0o755);
}

const withOpener = () => ({ env: { PATH: `${join(home.root, 'openers')}:${process.env.PATH}` } });
const opened = () =>
  existsSync(join(home.root, 'opened')) ? readFileSync(join(home.root, 'opened'), 'utf8').trim() : '';

it('report --open opens the page that it wrote, or reports why not', async () => {
  const { path, digest } = await protocolFile(home, protocolOf(['comment']), 'walk.md');
  const answers = answersFile(home, {
    '1.comment': 'Looked at it, and it is fine.',
    closing: 'All of it was done.',
  });
  await kairos(home, ['run', path, '--answers', answers, '--trust', digest]);
  opener(0);
  const { code, stdout, stderr } = await kairos(home, ['report', 'latest', '--open'], withOpener());
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^latest is run \S+: .+\n$/) });
  const written = /Report written to (\S+)/.exec(stdout)![1]!;
  expect(opened()).toBe(written);
  expect(readFileSync(written, 'utf8')).toContain('<!doctype html>');
  rmSync(dirname(written), { recursive: true });
  opener(4);
  const own = await kairos(home, ['report', 'latest', '--open', '--out', 'own.html'], withOpener());
  expect(own).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('own.html'),
    stderr: expect.stringContaining(
      "xdg-open can't open it (exit code 4). Open the file in a browser yourself.\n",
    ),
  });
});

it.each([
  ['opens', 0],
  ['fails', 1],
])('view --open prints its link, and serves it, where the opener %s', async (_, exitCode) => {
  opener(exitCode);
  const view = await launchKairos(home, ['view', '--open'], withOpener());
  await vi.waitFor(() => expect(opened()).toMatch(/^http:/), { timeout: 60_000 });
  const response = await fetch(opened(), { redirect: 'manual' });
  expect(response.status).toBeLessThan(400);
  view.signal('SIGTERM');
  const { stdout, stderr } = await view.exit;
  expect(stdout).toContain(opened());
  expect(stderr).toBe(
    exitCode === 0 ? '' : "xdg-open can't open it (exit code 1). Open the link in a browser yourself.\n",
  );
});
