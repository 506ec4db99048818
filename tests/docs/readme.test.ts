import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { README_WORLD } from '../../scripts/pictures.ts';
import { replayPage, withoutChance } from '../../scripts/sessions.ts';
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

it('shows a protocol that parses without a message and can be run', async () => {
  const [example] = fences(README, 'markdown', 4);
  const { document, messages } = await parseProtocol(example!);
  expect(messages).toEqual([]);
  expect(document.chains.map(({ slug, steps }) => [slug, steps.length])).toEqual([['rotate-the-logs', 2]]);
});

it('names commands that work from a clone', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = [...README.matchAll(/npm (?:run )?(demo|test)\b/g)].map(([, name]) => name);
  expect(named).toEqual(['demo', 'test']);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...named, 'prepare']));
});

it('is short, and first installs from a clone, because it is not on npm yet', () => {
  expect(README.split('\n').length).toBeLessThan(150);
  expect(fences(README, 'sh')[0]).toBe(
    'npm ci && npm install --global .   # in a clone of this repository\n',
  );
  expect(README).toContain('kairos is not on npm yet');
});

it('shows the session that its protocol results in', async () => {
  for (const [name, text] of Object.entries(README_WORLD)) writeFileSync(join(home.work, name), text);
  const replayed = await replayPage(README, home.work, async (line) => {
    if (line.startsWith('npm ')) return { code: 0, output: '' };
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)]
      .map(([, quoted, plain]) => quoted ?? plain!)
      .slice(1);
    if (line.startsWith('kairos run rotate')) {
      const { stdout } = await kairos(home, ['show', 'rotate-logs.md', '--json']);
      const shown = /"digest":"([0-9a-f]{64})"/.exec(stdout)![1]!;
      await kairos(home, ['trust', 'rotate-logs.md', '--digest', shown]);
    }
    if (words[1] === 'free-space.md' && words[0] === 'run') words.push('--dry-run');
    const { code, stdout, stderr } = await kairos(home, words);
    expect({ line, code, stderr }).toMatchObject({ line, code: 0 });
    return { code, output: stdout.replaceAll(home.work, '/home/erika/logs') };
  });
  if (process.env.KAIROS_UPDATE_PAGES === '1') writeFileSync(join(ROOT, 'README.md'), replayed);
  expect(withoutChance(replayed)).toBe(withoutChance(readFileSync(join(ROOT, 'README.md'), 'utf8')));
});

it.runIf(SPAWNS)('demonstrates a run that is sealed and verifies, away from any terminal', async () => {
  const demo = spawnSync('npm', ['run', '--silent', 'demo'], { cwd: ROOT, env: home.env, encoding: 'utf8' });
  expect({ status: demo.status, stderr: demo.stderr }).toEqual({ status: 0, stderr: '' });
  const run = /kairos verify ([0-9a-f-]{36})/.exec(demo.stdout)![1]!;
  expect(await kairos(home, ['verify', run])).toMatchObject({ code: 0 });
});

it('trusts in the demonstration what the protocol contains now', async () => {
  const source = readFileSync(join(ROOT, 'protocols/verify-fresh-install.md'), 'utf8');
  const { document } = await parseProtocol(source);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.demo).toContain(`--trust ${digest(toContent(document.chains[0]!))}`);
});
