import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { replayPage, type SessionResult, withoutChance } from '../../scripts/sessions.ts';
import { type CliHome, kairos, makeHome, SPAWNS } from '../support/cli.ts';
import { enter, openKairos } from '../support/kairos-terminal.ts';
import { closeTerminals } from '../support/pty.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const homes: CliHome[] = [];
afterEach(closeTerminals);
afterAll(() => {
  for (const home of homes) home.remove();
});

function newHome(): CliHome {
  const home = makeHome();
  homes.push(home);
  return home;
}

/** A line of a page: kairos in process or as the real program, everything else by a shell. */
async function runLine(home: CliHome, line: string): Promise<SessionResult> {
  if (/^(?:npm|npx|docker) /.test(line)) return { code: 0, output: '' };
  if (!line.startsWith('kairos ')) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: home.work, encoding: 'utf8' });
    return { code: status, output: stdout + stderr };
  }
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!).slice(1);
  const { code, stdout, stderr } = await kairos(home, words);
  return { code, output: stdout + stderr };
}

/** The rows under `| it asks | you type |`. */
function answersOf(page: string): (readonly [question: string, keys: string])[] {
  const [, rows = ''] = /\| it asks \| you type \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? [];
  return [...rows.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, question, keys]) => [
    question!,
    keys === 'Enter' ? '' : keys!.replaceAll('`', ''),
  ]);
}

/** The interactive run of the tutorial: on a real terminal, or with the same answers from a file. */
async function interactive(home: CliHome, page: string): Promise<SessionResult> {
  const asked = answersOf(page);
  if (!SPAWNS) {
    const { stdout } = await kairos(home, ['show', 'back-up-notes.md', '--json']);
    const digest = /"digest":"([0-9a-f]{64})"/.exec(stdout)![1]!;
    expect(await kairos(home, ['trust', 'back-up-notes.md', '--digest', digest])).toMatchObject({ code: 0 });
    const answers = join(home.root, 'tutorial.yaml');
    writeFileSync(answers, `answers: { 3: USB stick, closing: "${asked.at(-1)![1]}" }\n`);
    const { code, stdout: output } = await kairos(home, ['run', 'back-up-notes.md', '--answers', answers]);
    return { code, output };
  }
  const terminal = openKairos(home, ['run', 'back-up-notes.md']);
  for (const [question, keys] of asked) {
    await terminal.waitFor(question);
    enter(terminal, keys);
  }
  const { exitCode } = await terminal.exit;
  return { code: exitCode, output: terminal.screen() };
}

describe('the tutorial', () => {
  const page = read('docs/tutorial.md');
  const home = newHome();
  const done: Record<string, SessionResult> = {};
  let replayed = '';

  it('works from its first command to its last', async () => {
    replayed = await replayPage(page, home.work, async (line) => {
      const result =
        line === 'kairos run back-up-notes.md' ? await interactive(home, page) : await runLine(home, line);
      done[line] = done[line] === undefined ? result : done[line];
      const wanted = /forged\.jsonl$|^kairos verify forged/.test(line) && line.startsWith('kairos') ? 1 : 0;
      const isLast =
        line.includes('--answers answers.yaml') && !existsSync(join(home.work, 'notes/today.txt'));
      expect({ line, ...result }).toMatchObject({ line, code: isLast ? 1 : wanted });
      return result;
    });
    expect(done['kairos run back-up-notes.md']!.output).toContain('Run sealed with outcome success.');
    expect(existsSync(join(home.work, 'report.html'))).toBe(true);
  });

  it('shows the output that comes', () => {
    if (process.env.KAIROS_UPDATE_PAGES === '1') writeFileSync(join(ROOT, 'docs/tutorial.md'), replayed);
    expect(withoutChance(replayed)).toBe(withoutChance(read('docs/tutorial.md')));
  });
});
