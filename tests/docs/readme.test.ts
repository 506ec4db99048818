import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { kairos, makeHome, SPAWNS } from '../support/cli.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const home = makeHome();
afterAll(() => home.remove());

/** The contents of the fences with this language and length. */
function fences(markdown: string, language: string, ticks = 3): string[] {
  const fence = '`'.repeat(ticks);
  const pattern = new RegExp(`^${fence}${language}\\n([\\s\\S]*?)^${fence}$`, 'gm');
  return [...markdown.matchAll(pattern)].map((match) => match[1]!);
}

it('shows a protocol that parses without a message and runs', async () => {
  const [example] = fences(README, 'markdown', 4);
  const { document, messages } = await parseProtocol(example!);
  expect(messages).toEqual([]);
  expect(document.chains.map(({ slug, steps }) => [slug, steps.length])).toEqual([['release-the-docs', 2]]);
});

it('names commands that work: install, then what each block runs', () => {
  const commands = fences(README, 'sh').map((text) => text.trim());
  expect(commands).toEqual([
    'npm ci && npm run demo',
    'node bin/kairos.js run protocols/verify-fresh-install.md',
    'npm ci && npm test',
  ]);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['demo', 'test', 'prepare']));
});

it.runIf(SPAWNS)(
  'demonstrates a run that is sealed and verifies, away from any terminal',
  {
    timeout: 60_000,
  },
  async () => {
    const demo = spawnSync('npm', ['run', '--silent', 'demo'], {
      cwd: ROOT,
      env: home.env,
      encoding: 'utf8',
    });
    expect({ status: demo.status, stderr: demo.stderr }).toEqual({ status: 0, stderr: '' });
    const run = /kairos verify ([0-9a-f-]{36})/.exec(demo.stdout)![1]!;
    expect(await kairos(home, ['verify', run])).toMatchObject({ code: 0 });
  },
);

it('trusts in the demonstration the current content of the protocol', async () => {
  const source = readFileSync(join(ROOT, 'protocols/verify-fresh-install.md'), 'utf8');
  const { document } = await parseProtocol(source);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.demo).toContain(`--trust ${digest(toContent(document.chains[0]!))}`);
});

it('links to files that exist', () => {
  for (const name of [
    'README.md',
    'docs/architecture.md',
    'docs/dependencies.md',
    'docs/ledger.md',
    'protocols/README.md',
  ]) {
    const path = join(ROOT, name);
    const targets = [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
      (match) => match[1]!,
    );
    const missing = targets.filter((target) => !existsSync(join(dirname(path), target)));
    expect({ name, missing }).toEqual({ name, missing: [] });
  }
});
