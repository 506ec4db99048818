import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type CliHome,
  firstObject,
  KAIROS_BIN,
  kairos,
  kairosJson,
  makeHome,
  SPAWNS,
} from '../support/cli.ts';
import { closeTerminals, KEYS, openTerminal } from '../support/pty.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

const get = (name: string) => readFileSync(join(home.work, name), 'utf8');
const terminal = (args: string[], env: Record<string, string> = {}) =>
  openTerminal(process.execPath, {
    args: [KAIROS_BIN, ...args],
    cwd: home.work,
    env: { ...(home.env as Record<string, string>), ...env },
  });

it('accepts flags, and its output can be linted, shown and minted unchanged', async () => {
  const { code, objects } = await kairosJson(home, [
    'new',
    '--title',
    'Ship the thing',
    '--kind',
    'release',
    '--check',
    'make test',
  ]);
  expect({ code, objects }).toEqual({
    code: 0,
    objects: [
      {
        findings: [],
        file: 'ship-the-thing.md',
        slug: 'ship-the-thing',
        title: 'Ship the thing',
        kind: 'release',
        next: `kairos show ${join(home.work, 'ship-the-thing.md')}`,
      },
    ],
  });
  expect(get('ship-the-thing.md')).toContain('\nmake test\n');
  expect(await kairos(home, ['lint', '--fail-on', 'info', 'ship-the-thing.md'])).toMatchObject({ code: 0 });
  expect(await kairos(home, ['show', 'ship-the-thing.md'])).toMatchObject({ code: 0 });
  expect(await kairos(home, ['mint', 'ship-the-thing.md'])).toMatchObject({ code: 0 });
});

it('never overwrites without --force', async () => {
  writeFileSync(join(home.work, 'mine.md'), 'mine');
  const refused = await kairos(home, ['new', 'mine.md', '--title', 'Mine']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/mine\.md exists already\n.*--force/);
  expect(get('mine.md')).toBe('mine');
  expect(await kairos(home, ['new', 'mine.md', '--title', 'Mine', '--force'])).toMatchObject({ code: 0 });
  expect(get('mine.md')).toContain('# Mine\n');
});

it('writes to standard output for -, with steps of the author', async () => {
  const { code, stdout } = await kairos(home, [
    'new',
    '-',
    '--title',
    'お茶',
    '--slug',
    'tea',
    '--step',
    'Boil',
    '--step',
    'Pour',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^---\nslug: tea\n[\s\S]*# お茶\n[\s\S]*## Boil\n[\s\S]*## Pour\n/);
});

it.each([
  ['an unknown kind', ['--title', 'A', '--kind', 'relaese'], 'Did you mean release?'],
  ['a slug that is none', ['--title', 'A', '--slug', 'A b'], 'is not a slug'],
  ['an empty title', ['--title', ' '], 'the title is empty'],
  [
    'a title with a hidden character',
    ['--title', 'Ship\u200b it'],
    'the title contains the hidden character U+200B',
  ],
  [
    'a step with a hidden character',
    ['--title', 'A', '--step', 'Bo\u202eil'],
    'contains the hidden character U+202E',
  ],
  [
    'a command with a hidden character',
    ['--title', 'A', '--kind', 'agent', '--check', 'a\u200d b'],
    '--check contains the hidden character U+200D',
  ],
  ['an empty step', ['--title', 'A', '--step', ''], 'a --step is empty'],
  [
    'two steps of one name',
    ['--title', 'A', '--step', 'Boil', '--step', 'boil '],
    'two steps are called "boil "',
  ],
  [
    'a step that would be none',
    ['--title', 'A', '--step', 'Completion Rule'],
    'a section called "Completion Rule" isn\'t a step',
  ],
  [
    'a command for a kind without one',
    ['--title', 'A', '--check', 'make'],
    'Kinds with a command: runbook, release, agent.',
  ],
  [
    'a command beside own steps',
    ['--title', 'A', '--kind', 'agent', '--check', 'make', '--step', 'B'],
    '--check has no place in them',
  ],
  ['an empty command', ['--title', 'A', '--kind', 'agent', '--check', ' '], '--check is empty'],
  ['a command with an error', ['--title', 'A', '--kind', 'agent', '--check', 'make "all'], '(shell-syntax)'],
])('ends with 2 for %s', async (_name, args, said) => {
  const result = await kairos(home, ['new', ...args]);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(said);
});

it('writes a protocol with advice, and shows the advice', async () => {
  const result = await kairos(home, ['new', '--title', 'Restart', '--kind', 'agent', '--check', 'sudo make']);
  expect(result).toMatchObject({ code: 0, stdout: 'wrote  restart.md\n' });
  expect(result.stderr).toContain('(shell-sudo-password)');
});

it('asks again when an answer makes an error, and keeps the others', async () => {
  const stdin = 'Ship it\nagent\nmake "all\n-\nShip it\nagent\nmake all\n';
  const result = await kairos(home, ['new'], { stdin });
  expect(result).toMatchObject({ code: 0, stdout: 'wrote  ship-it.md\n' });
  expect(result.stderr).toContain('(shell-syntax)');
  expect(get('ship-it.md')).toContain('\nmake all\n');
});

it('ends with 3 and the questions without a person', async () => {
  const result = await kairosJson(home, ['new', '--no-input']);
  expect(result.code).toBe(3);
  expect(firstObject(result)).toEqual({
    questions: [{ id: 'title', kind: 'text', message: 'What is the protocol called?' }],
  });
});

it('reads piped answers', async () => {
  expect(await kairos(home, ['new'], { stdin: 'Ship it\nagent\nmake check\n' })).toMatchObject({
    code: 0,
    stdout: 'wrote  ship-it.md\n',
  });
  expect(get('ship-it.md')).toContain('\nmake check\n');
});

it('offers a pipe inputs and a capture too', async () => {
  const stdin = 'Ship it\nagent\nship "$TARGET_HOST" "$RELEASE"\nWhere to\n-\nTAG\n';
  expect(await kairos(home, ['new'], { stdin })).toMatchObject({ code: 0, stdout: 'wrote  ship-it.md\n' });
  const text = get('ship-it.md');
  expect(text).toMatch(/inputs:\n {2}TARGET_HOST: \{ "?description"?: "?Where to"? \}\n/);
  expect(text).not.toContain('RELEASE:');
  expect(text).toContain('"name": "TAG"');
});

it('keeps typed answers when the file cannot be written', async () => {
  writeFileSync(join(home.work, 'ship-it.md'), 'mine');
  const result = await kairos(home, ['new'], { stdin: 'Ship it\nagent\nmake check\n' });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(get('ship-it.md')).toBe('mine');
  const [, kept = ''] = /kept as a protocol in (\S+\.md)\./.exec(result.stderr) ?? [];
  expect(readFileSync(kept, 'utf8')).toContain('\nmake check\n');
  rmSync(dirname(kept), { recursive: true });
});

it.runIf(SPAWNS)('asks on a terminal', async () => {
  const asked = terminal(['new']);
  await asked.waitFor('What is the protocol called?');
  asked.send(`Restore the backup${KEYS.enter}`);
  await asked.waitFor('What kind of protocol is it?');
  await asked.waitFor('incident');
  asked.send(`2${KEYS.enter}`);
  await asked.waitFor('Which command shows that the work is right?');
  asked.send(`make check${KEYS.enter}`);
  await asked.waitFor('Do later steps need what it prints?');
  asked.send(KEYS.enter);
  await asked.waitFor('wrote  restore-the-backup.md');
  expect(await asked.exit).toEqual({ exitCode: 0, signal: 0 });
  expect(get('restore-the-backup.md')).toContain('tags: [runbook]');
});

it.runIf(SPAWNS)('asks in plain lines on a simple terminal, and writes nothing when it is left', async () => {
  const asked = terminal(['new'], { TERM: 'dumb' });
  await asked.waitFor('What is the protocol called?');
  asked.send(`Tea${KEYS.enter}`);
  await asked.waitFor('1) checklist');
  asked.send(KEYS.ctrlC);
  expect(await asked.exit).toEqual({ exitCode: 130, signal: 0 });
  expect(existsSync(join(home.work, 'tea.md'))).toBe(false);
});

it('declares inputs and a capture of the command', async () => {
  const args = ['new', '--title', 'Tag it', '--kind', 'release', '--check', 'tag --host "$TARGET_HOST"'];
  await kairosJson(home, [...args, '--input', 'TARGET_HOST=Host to tag', '--capture', 'TAG']);
  const text = get('tag-it.md');
  expect(text).toMatch(/inputs:\n {2}TARGET_HOST: \{ "?description"?: "?Host to tag"? \}\n/);
  expect(text).toMatch(/"captures": \[\n\s+\{\n\s+"name": "TAG",\n\s+"from": "stdout"/);
  expect(await kairos(home, ['lint', 'tag-it.md'])).toMatchObject({ code: 0 });
  const bad = await kairos(home, [...args, '--input', 'path=x']);
  expect({ code: bad.code, stderr: bad.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('"path" can'),
  });
});

it('begins with a kind, a file, a stored protocol or a run', async () => {
  const first =
    '---\nslug: look\n---\n# Look\n\nWhy.\n\n## See\n\nSee it well.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```\n\n## Completion Rule\n\nSeen.\n';
  writeFileSync(join(home.work, 'look.md'), first);
  writeFileSync(join(home.work, 'list.md'), '# Fuel\n\n1. Open\n2. Fill\n3. Close\n');
  await kairos(home, ['mint', 'look.md']);
  const { run_id: run } = firstObject<{ run_id: string }>(await kairosJson(home, ['begin', 'look']));
  const make = async (from: string, title: string) =>
    firstObject<{ file: string; slug: string; kind: string }>(
      await kairosJson(home, ['new', '--from', from, '--title', title]),
    );
  expect((await make('incident', 'An incident')).kind).toBe('incident');
  for (const [at, from] of ['./look.md', 'look', run, run.slice(0, 8)].entries()) {
    const { file, kind, slug } = await make(from, `Look again ${at}`);
    expect({ kind, slug }).toEqual({ kind: 'copy', slug: `look-again-${at}` });
    expect(get(file)).toContain(`- "look again ${at}"`);
    expect(get(file)).toContain('## See\n\nSee it well.');
    expect(get(file)).toContain('Seen.');
  }
  expect(get((await make('./list.md', 'Fuel up')).file)).toContain('## Fill');
  expect((await kairosJson(home, ['new', '--from', 'release', '--title', 'A kind'])).objects).toMatchObject([
    { kind: 'release' },
  ]);
  writeFileSync(
    join(home.work, 'own.md'),
    first.replace('slug: look', 'slug: release').replace('# Look', '# Pumps of the harbour'),
  );
  expect(await kairos(home, ['mint', 'own.md'])).toMatchObject({ code: 0 });
  const own = await kairosJson(home, ['new', '--from', 'release', '--title', 'A copy']);
  expect(own.objects).toMatchObject([{ kind: 'copy' }]);
  expect(own.stderr).toContain(
    'release is stored here, so this is a copy of it. --kind release begins with the kind.',
  );
  expect((await kairos(home, ['new', '--from', 'nothing', '--title', 'T'])).stderr).toContain(
    'neither a kind, a stored protocol nor a run',
  );
  expect((await kairos(home, ['new', '--from', 'look', '--kind', 'agent', '--title', 'T'])).code).toBe(2);
  expect((await kairos(home, ['new', '--from', 'look', '--check', 'x', '--title', 'T'])).code).toBe(2);
});

it('keeps the form of a file that it begins with', async () => {
  const rest =
    'Why.\n\n## One\n\n* bullet\n\n```yaml\n# why so long\nproof_of_work:\n  type: shell\n  shell:\n    cmd: probe "$HOST"\n    timeout_seconds: 600\n```\n\n## Two\n\n```bash proof timeout=10m\nmake\n```\n';
  const inputs = 'inputs:\n  # the host\n  HOST:\n    description: Host\nowner: ops\n';
  const triggers = (words: string) => `## Natural Language Triggers\n\n- "${words}"\n\n`;
  const wanted = `---\nslug: look-again\nversion: 0.1.0\n${inputs}title: Look *again*\n---\n\n# Look \\*again\\*\n\n${rest.replace('## One', `${triggers('look \\*again\\*')}## One`)}`;
  const make = async (source: string) => {
    writeFileSync(join(home.work, 'own.md'), source);
    const { code } = await kairos(home, [
      'new',
      'made.md',
      '--force',
      '--from',
      './own.md',
      '--title',
      'Look *again*',
    ]);
    expect(code).toBe(0);
    return get('made.md');
  };
  const head = `---\nslug: old\nversion: 3.2.1\n${inputs}title: Old\n---\n\n`;
  expect(await make(`${head}# Old\n\n${rest}`)).toBe(wanted);
  expect(
    await make(
      `\ufeff${head}Old *one*\n===\n\n${rest.replace('## One', `${triggers('old')}## One`)}`.replaceAll(
        '\n',
        '\r\n',
      ),
    ),
  ).toBe(wanted);
  // An older spelling is written in the present one.
  expect(await make('# A\n\n## S\n\nx\n\nPROOF OF WORK: timeout 30s make\n')).toContain(
    '```sh proof timeout=30s\nmake\n```',
  );
});

it('rejects a document of several protocols', async () => {
  const step = '## S\n\nx\n\n```sh proof\nmake\n```\n';
  writeFileSync(join(home.work, 'two.md'), `# One\n\n${step}\n# Two\n\n${step}`);
  writeFileSync(join(home.work, 'prose.md'), '# Ship\n\n## A\n\nx\n\n## B\n\ny\n\n## Rollback\n\nz\n');
  const from = (name: string) => kairos(home, ['new', '--from', name, '--title', 'T', '-']);
  const two = await from('./two.md');
  expect(two).toMatchObject({ code: 1, stdout: '' });
  expect(two.stderr).toContain('./two.md makes 2 protocols, and a copy is of one: "One", "Two"');
  const prose = await from('./prose.md');
  expect(prose).toMatchObject({ code: 1, stdout: '' });
  expect(prose.stderr).toMatch(/"Ship", "Ship: rollback"[\s\S]*import .*prose\.md/);
});

it('reports the triggers that a copy does not have, and keeps those of prose', async () => {
  writeFileSync(
    join(home.work, 'own.md'),
    '# Own\n\n## Natural Language Triggers\n\n- "ship the release"\n- "go"\n\n## S\n\nx\n',
  );
  const { code, stderr } = await kairos(home, ['new', '--from', './own.md', '--title', 'T', '-']);
  expect(code).toBe(0);
  expect(stderr).toContain('finds neither: "ship the release", "go"');
  writeFileSync(
    join(home.work, 'prose.md'),
    '---\ndescription: Fuels it\n---\n# Fuel\n\n1. Open\n2. Fill\n3. Close\n',
  );
  const prose = await kairos(home, ['new', '--from', './prose.md', '--title', 'Fuel up', '-']);
  expect(prose.stdout).toContain('## Natural Language Triggers\n\n- "fuel up"\n- "Fuels it"\n');
});

it('names the command that imports a part of a document', async () => {
  writeFileSync(join(home.work, 'prose.md'), '# Rome\n\nIt was founded.\n');
  const { code, stderr } = await kairos(home, ['new', '--from', './prose.md', '--title', 'T']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/no procedure found[\s\S]*import .*prose\.md.* with --steps or --section/);
});

it('rejects piped answers without a question', async () => {
  const result = await kairos(home, ['new'], { stdin: 'Ship it\nagent\nmake check\nTAG\nmore\n' });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain('piped answers without a question: 1');
  expect(existsSync(join(home.work, 'ship-it.md'))).toBe(false);
});

it.runIf(SPAWNS)('asks for a title again until a copy has its own', async () => {
  writeFileSync(
    join(home.work, 'old.md'),
    '# Old\n\n## S\n\nText.\n\n```sh proof timeout=1m\nmake\n```\n\n## Completion Rule\n\nDone.\n',
  );
  const asked = terminal(['new', '--from', './old.md']);
  await asked.waitFor('What is the new protocol called? It begins as a copy of "Old".');
  asked.send(KEYS.enter);
  await asked.waitFor('the title is empty');
  asked.send(`Newer${KEYS.enter}`);
  expect(await asked.exit).toEqual({ exitCode: 0, signal: 0 });
  expect(get('newer.md')).toContain('# Newer\n');
});

it.runIf(SPAWNS)('offers inputs, shows findings and keeps what was typed', async () => {
  const asked = terminal(['new', '--kind', 'runbook']);
  await asked.waitFor('What is the protocol called?');
  asked.send(`Look at it${KEYS.enter}`);
  await asked.waitFor('Which command shows that the work is right?');
  asked.send(`probe "$TARGET_HOST" > /tmp/probe.txt${KEYS.enter}`);
  await asked.waitFor('The command reads TARGET_HOST. What is it?');
  asked.send(KEYS.enter);
  await asked.waitFor('Do later steps need what it prints?');
  asked.send(`STATE${KEYS.enter}`);
  await asked.waitFor('shell-fixed-temp-path');
  await asked.waitFor('answer again; Enter keeps the last answer');
  asked.send(`2${KEYS.enter}`);
  for (const question of ['called?', 'is right?', 'What is it?', 'it prints?', 'findings?']) {
    await asked.waitFor(question);
    asked.send(KEYS.enter);
  }
  expect(await asked.exit).toEqual({ exitCode: 0, signal: 0 });
  const text = get('look-at-it.md');
  expect(text).toMatch(/"?description"?: "?target host/);
  expect(text).toContain('"name": "STATE"');
});
