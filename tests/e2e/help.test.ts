import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HELP_EXAMPLES } from '../../src/cli/help-examples.ts';
import { guardedDocument, writePolicy } from '../gate/support/cli.ts';
import { type CliHome, kairos, launchKairos, makeHome } from '../support/cli.ts';
import { protocolWith } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';
import { makeSshKey } from '../support/ssh-key.ts';

/** Every help page, and every example on it. */
let home: CliHome;
let digest: string;
beforeAll(async () => {
  home = makeHome();
  await setUp();
});
afterAll(() => home.remove());

const DEPLOY = protocolWith(
  { proof_of_work: { type: 'shell', shell: { cmd: 'test -n "$HOST"', timeout_seconds: 5 } } },
  'Deploy',
).replace(/^/, '---\nslug: deploy\ninputs:\n  HOST: {description: Where to, default: web0}\n---\n');

/** What the examples name: files, a sealed run, and a newest run that waits for approval. */
async function setUp(): Promise<void> {
  mkdirSync(join(home.work, 'protocols'));
  mkdirSync(join(home.home, '.ssh'));
  mkdirSync(join(home.home, '.local/share/bash-completion/completions'), { recursive: true });
  const key = join(home.home, '.ssh/id_ed25519');
  makeSshKey(key);
  const write = (name: string, text: string) => writeFileSync(join(home.work, name), text);
  digest = (await protocolFile(home, DEPLOY, 'deploy.md')).digest;
  write('protocols/light.md', protocolWith({ proof_of_work: { type: 'comment' } }, 'Light the lamp'));
  write('runbook.md', '# Restart\n\n## Stop it\n\nStop the server.\n\n## Start it\n\nStart it again.\n');
  write('event.json', JSON.stringify({ session_id: 's', cwd: home.work, hook_event_name: 'SessionStart' }));
  write('solution.json', '{"type": "shell", "shell": {"exit_code": 0}}');
  const me = execFileSync('cat', [`${key}.pub`], { encoding: 'utf8' }).trim();
  const policy = {
    approvers: [{ name: 'mira', actors: ['mira'], keys: [{ key: me }] }],
    rules: [{ match: { action_types: ['write', 'delete'] }, approval_class: 'single' }],
  };
  writePolicy(home, policy);
  write('cases.yaml', JSON.stringify({ policy: '../config/kairos.policy.yaml', cases: [] }));
  answersFile(home, { closing: 'The host answered, and all is well.' });
  const walk = ['--answers', 'answers.yaml', '--trust', digest];
  expect(await kairos(home, ['run', 'deploy.md', ...walk])).toMatchObject({ code: 0 });
  for (const file of ['deploy.md']) expect((await kairos(home, ['mint', file])).code).toBe(0);
  expect((await kairos(home, ['update', 'deploy', '--tags', 'old'])).code).toBe(0);
  expect((await kairos(home, ['begin', 'deploy'])).code).toBe(0);
  const gated = await protocolFile(home, guardedDocument(), 'gated.md');
  answersFile(home, { '2.proposal': '{}', closing: 'Moved the switch and saw the light.' }, 'gated.yaml');
  const held = await kairos(home, [
    ...['run', 'gated.md', '--trust', gated.digest, '--answers', 'gated.yaml'],
  ]);
  expect(held.code).toBe(3);
}

/** Words of a command, from its help page down: itself, then those below it. */
async function pages(words: string[] = []): Promise<[words: string[], text: string][]> {
  const { code, stdout } = await kairos(home, [...words, '--help']);
  expect(code).toBe(0);
  const below: [string[], string][] = [];
  let heading = '';
  for (const line of stdout.split('\n')) {
    heading = /^(\S.*):$/.exec(line)?.[1] ?? heading;
    const name = /^ {2}([a-z][a-z-]*)(?: |$)/.exec(line)?.[1];
    const isList = !/^(?:Arguments|Exit codes|Examples|.*Options)$/.test(heading);
    if (name !== undefined && isList && name !== 'help') below.push(...(await pages([...words, name])));
  }
  return [[words, stdout], ...below];
}

/** Examples that a person must answer, or that are about something else than this home has, with their exit code. */
const ENDS: Readonly<Record<string, number>> = {
  'kairos run deploy --input HOST=web1 --answers answers.yaml': 3,
  'kairos resume latest': 3,
  'kairos next kairos://mem/UUID --solution @solution.json': 2,
  'kairos answer latest "yes, continue"': 2,
  'kairos proposal submit latest proposal.json': 1,
  'kairos proposal approve latest --key ~/.ssh/id_ed25519': 2,
  'kairos proposal deny latest --key ~/.ssh/id_ed25519 --reason "Not this week."': 2,
  'kairos proposal sign request.json --key ~/.ssh/id_ed25519 --out answer.json': 2,
  'kairos proposal submit-answer answer.json': 2,
  'kairos policy test cases.yaml': 2,
  'kairos rollback latest 2 --dry-run': 2,
  'kairos trust deploy.md': 2,
  'kairos mint deploy.md': 1,
  'kairos runs diff 3f2a 9c41': 1,
  'kairos runs close latest --reason "The release was called off."': 2,
  'kairos store copy old.db new.db --dry-run': 1,
  'kairos lsp': 1,
  'kairos key new': 2,
  'kairos fmt deploy.md --check': 1,
};
const SERVERS = /^kairos (?:serve --http|view)/;
/** These need a sealed run, or leave nothing for the others. */
const LATE =
  /^kairos (?:begin|attest |view|serve --http|attestation|verify|runs close|delete|config set|config unset)/;

/** A line as a shell splits it, without its redirection. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.split(/ [<>] /);
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain!.replace(/^~/, home.home))
    .slice(1);
}

describe('help', () => {
  it('ends every page with an example', async () => {
    const [main, ...all] = await pages();
    expect(main![1]).toContain('Run a protocol:');
    expect(all.length).toBeGreaterThan(60);
    const without = all.filter(([words, text]) => {
      const [, end = ''] = text.split('\nExamples:\n');
      return !end
        .trimEnd()
        .split('\n')
        .every((line) => line.startsWith(`  kairos ${words.join(' ')}`));
    });
    expect(without.map(([words]) => words.join(' '))).toEqual([]);
  });

  it('prints examples that work as typed', async () => {
    const lines = HELP_EXAMPLES;
    const ordered = [...lines.filter((line) => !LATE.test(line)), ...lines.filter((line) => LATE.test(line))];
    const wrong: string[] = [];
    for (const line of ordered) {
      const words = wordsOf(line);

      if (SERVERS.test(line)) {
        const port = words.map((word) => word.replace('8080', '0').replace(':7777', ':0'));
        const call = await launchKairos(home, port);
        await Promise.race([call.said(/http:\/\//, 'stderr'), call.said(/http:\/\//)]);
        call.signal('SIGTERM');
        await call.exit;
        continue;
      }
      const stdin = line.includes(' < ') ? JSON.stringify({ session_id: 's', cwd: home.work }) : '';
      const { code, stderr, stdout } = await kairos(home, words, { stdin });
      const [, into] = / > (\S+)$/.exec(line) ?? [];
      if (into !== undefined) writeFileSync(join(home.work, into.split('/').at(-1)!), stdout);
      if (code !== (ENDS[line] ?? 0)) wrong.push(`${line}: ${code} ${stderr.trim()}`);
    }
    expect(wrong).toEqual([]);
    expect(existsSync(join(home.work, 'report.html'))).toBe(true);
  });

  it('lists the exit codes of a run', async () => {
    const { stdout } = await kairos(home, ['help', 'run']);
    for (const code of [0, 1, 2, 3, 4, 124, 130]) expect(stdout).toMatch(new RegExp(`^  ${code} `, 'm'));
  });
});
