import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { guardedDocument, keyOf, makeApprovers } from '../gate/support/cli.ts';
import { type CliHome, type CliResult, kairos, makeHome } from '../support/cli.ts';
import { protocolWith } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** Every command that kairos prints works as printed, from another directory: store, space, policy and directory come along. */
let home: CliHome;
let elsewhere: string;
let said: string[];
beforeEach(() => {
  home = makeHome();
  elsewhere = join(home.root, 'elsewhere');
  for (const name of ['the site', 'elsewhere', 'policies']) mkdirSync(join(home.root, name), { mode: 0o700 });
  said = [];
});
afterEach(() => home.remove());

const OPTIONS = ['--store', '../the store.db', '--space', 'ops'];

/** Calls kairos and keeps every command that it printed. */
async function call(...args: string[]): Promise<CliResult> {
  const result = await kairos(home, [...args, ...OPTIONS]);
  keep(result);
  return result;
}

function keep({ stdout, stderr }: CliResult): void {
  for (const line of `${stdout}\n${stderr}`.split('\n')) {
    for (const text of textsOf(line)) {
      for (const part of text.split(/(?=\bkairos [a-z])/).slice(text.startsWith('kairos ') ? 0 : 1)) {
        const [command] =
          /^kairos .*?--space ops(?: --solution '[^']*'| --[a-z]+(?: [^-\s.;][^\s.;]*)?)*/.exec(part) ?? [
            part,
          ];
        said.push(command.trim());
      }
    }
  }
}

/** The texts of an object in one line, or the line itself. */
function textsOf(line: string): string[] {
  try {
    const values = Object.values(JSON.parse(line) as Record<string, unknown>);
    return values.filter((one) => typeof one === 'string');
  } catch {
    return [line];
  }
}

/** A line as a POSIX shell splits it. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.split(/ [>|] /);
  return [...command.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", '')).slice(1);
}

const shell = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20 } } });
const BACK = { strategy: 'command', command: 'echo off > switch.txt', verify: 'grep -q off switch.txt' };

it('types every printed command back, and stays in the same store, space, directory and policy', async () => {
  const policy = join(home.root, 'policies/ours.yaml');
  const approvers = makeApprovers(home, ['mira']);
  const rules = [{ match: { action_types: ['write'] }, approval_class: 'single' }];
  writeFileSync(policy, JSON.stringify({ version: 1, approvers, rules }), { mode: 0o600 });
  const closing = 'Moved the switch and saw the light go on.';
  const answers = answersFile(home, { '2.proposal': '{}', closing });
  const site = ['--workdir', '../the site'];

  // Gated: held, shown, approved, run, failed, rolled back.
  const gated = await protocolFile(
    home,
    guardedDocument({ rollback_semantics: BACK }, 'echo on > switch.txt && false'),
    'gated.md',
  );
  const held = await call(
    'run',
    gated.path,
    '--trust',
    gated.digest,
    '--answers',
    answers,
    '--policy',
    policy,
    ...site,
  );
  expect(held.code).toBe(3);
  const runId = /kairos resume (\S+)/.exec(held.stderr)![1]!;
  for (const words of [
    ['proposal', 'list'],
    ['proposal', 'show', runId],
    ['proposal', 'approve', runId],
    ['runs', 'show', runId],
    ['attestation', runId],
    ['policy', 'explain', runId],
    ['verify', runId],
  ])
    await call(...words);
  const approve = said.find((line) => line.startsWith('kairos proposal approve'))!;
  const approved = await kairos(home, [...wordsOf(approve), '--key', keyOf(home, 'mira')], {
    cwd: elsewhere,
  });
  expect(approved.code).toBe(0);
  keep(approved);
  const failed = await call('resume', runId, '--trust', gated.digest, '--answers', answers);
  expect(failed.code).toBe(1);

  // By hand, and what goes wrong.
  const plain = await protocolFile(home, protocolWith(shell('test -d .'), 'By hand'), 'plain.md');
  await call('list');
  await call('mint', plain.path);
  writeFileSync(join(home.work, 'other.md'), protocolWith(shell('test -d /'), 'By hand'));
  await call('mint', 'other.md');
  await call('search', 'by hand');
  const begun = await call('begin', 'by-hand');
  const next = said.find((line) => line.startsWith('kairos next'))!;
  keep(await kairos(home, wordsOf(next.replace('<EXIT CODE>', '0')), { cwd: elsewhere }));
  expect(begun.code).toBe(0);
  await call('begin', 'by-hand', '--require-trust');
  await call('begin', 'nothing-of-the-kind');
  await call('begin');
  await call('runs', 'stats', 'by-hand');
  await call('runs', 'stats', 'nothing-of-the-kind');
  await call('doctor');
  await call('report', 'no-such.jsonl');
  await call('next', 'plain.md');
  await call('next', 'kairos://mem/00000000-0000-4000-8000-000000000000');
  await call('runs', 'show', 'ffffffff');
  const open = await call('run', plain.path, '--trust', plain.digest);
  expect(open.code).toBe(3);
  await call('run', plain.path, '--trust', plain.digest);
  const told = answersFile(home, { closing }, 'plain.yaml');
  expect((await call('run', plain.path, '--trust', plain.digest, '--answers', told)).code).toBe(0);
  await call('answer', 'latest');
  await call('rollback', runId, '2', '--dry-run');
  await call('answer', 'latest', 'Looked at all of it, and it is right.');
  await call('resume', 'latest');
  await call('resume', runId, '--with', plain.path);
  await call('report', runId);
  await call('attestation', runId);
  await call('proposal', 'request', runId, '--out', join(home.home, 'request.json'));
  await call('proposal', 'submit-answer', join(home.home, 'request.json'));
  await call('proposal', 'list', runId);
  await call('trust', 'by-hand', '--digest', gated.digest);
  await call('trust', '--revoke', 'by-hand');
  await call('dump', 'kairos://mem/00000000-0000-4000-8000-000000000000');
  await call('update', 'by-hand', '--file', 'other.md');
  await call('update', 'by-hand');
  await call('delete', 'nothing-of-the-kind');
  await call('policy', 'explain', 'latest');
  await call('policy', 'test', 'no-such.yaml');
  await call('import', plain.path);
  writeFileSync(join(home.work, 'prose.md'), '# Notes\n\nNothing to prove.\n');
  await call('run', 'prose.md');
  await call('store', 'import', 'prose.md');
  await call('new', 'made.md', '--title', 'Made by hand');
  await call('migrate', plain.path);
  await call('hold', 'list');
  await call('index');

  const lines = [...new Set(said)];
  const kinds = new Set(
    lines.map((line) =>
      line
        .split(' ')
        .slice(1, line.startsWith('kairos proposal') ? 3 : 2)
        .join(' '),
    ),
  );
  for (const kind of [
    'resume',
    'proposal approve',
    'rollback',
    'verify',
    'next',
    'runs',
    'run',
    'dump',
    'list',
    'trust',
  ])
    expect(
      [...kinds].some((one) => one.startsWith(kind)),
      `${kind} in ${[...kinds]}`,
    ).toBe(true);

  /** With the blanks that are for a person to fill in. */
  const filled = (line: string) =>
    wordsOf(
      line
        .replace(/\bFILE\b/g, plain.path)
        .replace(/\bTEXT\b/g, "'Looked at all of it.'")
        .replace(/\bDIR\b/g, `'${join(home.root, 'the site')}'`)
        .replace(/\bKEY\b/g, keyOf(home, 'mira'))
        .replace(/<[A-Z ]+>/g, '0'),
    );
  const wrong: string[] = [];
  for (const line of lines) {
    // Words about kairos, how a command is called, and what does not depend on the store.
    if (/^kairos (?:ran|cannot)\b|^kairos (?:verify|migrate)(?:\.|<| does)|SLUG|URI|trust --list/.test(line))
      continue;
    if (!line.includes(`--store '${home.root}/the store.db' --space ops`))
      wrong.push(`without its store: ${line}`);
    if (wrong.at(-1)?.endsWith(line) === true) continue;
    const { code, stderr } = await kairos(home, filled(line), { cwd: elsewhere });
    if (/unknown|USAGE|too many arguments|missing required|no run |no protocol|does not exist/.test(stderr))
      wrong.push(`${line}: ${code} ${stderr}`);
  }
  expect(wrong).toEqual([]);
  // Nothing was done here, nor in the default store.
  expect(readdirSync(elsewhere)).toEqual([]);
  const { stdout } = await kairos(home, ['runs', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ runs: [] });
});
