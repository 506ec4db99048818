import { createHmac } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import {
  answerWithKey,
  DONE,
  entriesOf,
  guardedDocument,
  makeApprovers,
  SWITCH,
  timesRun,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, everything, protocolFile } from '../support/run.ts';

/** What an approval binds that is on no record: secrets, the environment that a step names, the files that its command starts. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const SECRET = 'correct-horse-battery';
const INPUTS = '---\ninputs:\n  DB_WORD: { description: Word of the replica, secret: true }\n---\n';

/** A run of a document that waits for one person. */
async function held(document: string, words: readonly string[] = [], env: Record<string, string> = {}) {
  writePolicy(home, {
    approvers: makeApprovers(home, ['mira']),
    rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
  });
  const { path, digest } = await protocolFile(home, document);
  const answers = answersFile(home, {
    '2.proposal': '{}',
    closing: 'Moved the switch and saw the light go on.',
  });
  const walk = ['--trust', digest, '--answers', answers];
  const { code, objects } = await kairosJson(home, ['run', path, ...walk, ...words], { env });
  expect(code).toBe(3);
  const runId = String(objects.find(({ event }) => event === 'begun')?.run_id);
  const resume = (...more: string[]) => kairos(home, ['resume', runId, ...walk, ...more], { env });
  const approve = async () => expect((await answerWithKey(home, 'approve', runId, 'mira')).code).toBe(0);
  return { runId, walk, resume, approve, digest };
}

const ran = () => readFileSync(join(home.work, DONE), 'utf8').trim();
const screen = async (runId: string) => (await kairos(home, ['proposal', 'show', runId])).stdout;
const keyFile = () => join(home.data, 'keys', 'values.key');

it('a secret input is bound by a keyed digest: another value is refused, and the value is on no disk', async () => {
  const document = INPUTS + guardedDocument({}, `echo "\${#DB_WORD}" >> ${DONE}`);
  const { runId, resume, approve } = await held(document, ['--input', `DB_WORD=${SECRET}`]);
  const [begun] = await entriesOf(home, runId);
  const key = Buffer.from(readFileSync(keyFile(), 'utf8').trim(), 'hex');
  const hmac = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  const message = canonical({ name: 'DB_WORD', run_id: runId, value: SECRET });
  expect(begun?.data).toMatchObject({
    secret_inputs: ['DB_WORD'],
    secret_digests: {
      DB_WORD: `${hmac('kairos.value.v1').slice(0, 16)}:${hmac(`kairos.value.v1\n${message}`)}`,
    },
  });
  expect(await screen(runId)).toMatch(
    /variable +DB_WORD: secret, and it must keep the value that it has now\n/,
  );

  await approve();
  const other = await resume('--input', 'DB_WORD=another-horse');
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/DB_WORD is not the value that this run has.*Give the same value again/s),
  });
  expect(timesRun(home)).toBe(0);
  const entries = await entriesOf(home, runId);
  expect(entries.at(-1)?.kind).toBe('approval.given');
  expect((await resume('--input', `DB_WORD=${SECRET}`)).code).toBe(0);
  expect(ran()).toBe(String(SECRET.length));
  expect(everything(home.data) + other.stderr).not.toContain(SECRET);
});

it('equal secrets of two runs have different digests', async () => {
  const document = INPUTS + guardedDocument({}, `echo "\${#DB_WORD}" >> ${DONE}`);
  const digests = [];
  for (const _ of [1, 2]) {
    rmSync(join(home.home, 'key-mira'), { force: true });
    const { runId } = await held(document, ['--input', `DB_WORD=${SECRET}`]);
    const [begun] = await entriesOf(home, runId);
    digests.push((begun!.data.secret_digests as { DB_WORD: string }).DB_WORD);
  }
  expect(new Set(digests).size).toBe(2);
});

it('without the key of the digest a secret is refused, and `--here` binds it again and voids the approvals', async () => {
  const document = INPUTS + guardedDocument({}, `echo "\${#DB_WORD}" >> ${DONE}`);
  const { runId, resume, approve } = await held(document, ['--input', `DB_WORD=${SECRET}`]);
  await approve();
  rmSync(keyFile());
  const refused = await resume('--input', 'DB_WORD=another-horse');
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /DB_WORD cannot be compared .* key of another data folder.*resume .* --here/s,
    ),
  });
  const moved = await resume('--input', 'DB_WORD=another-horse', '--here');
  expect(moved.code).toBe(3);
  expect(timesRun(home)).toBe(0);
  expect((await entriesOf(home, runId)).find(({ kind }) => kind === 'run.moved')?.data).toHaveProperty(
    'secret_digests.DB_WORD',
  );
  expect(await screen(runId)).toMatch(/approvals +0 of 1\n/);
  expect((await resume('--input', `DB_WORD=${SECRET}`)).code).toBe(2);
  await approve();
  expect((await resume('--input', 'DB_WORD=another-horse')).code).toBe(0);
  expect(ran()).toBe('13');
});

it('a key that others can read is refused before a run with a secret begins', async () => {
  const document = INPUTS + guardedDocument({}, `echo "\${#DB_WORD}" >> ${DONE}`);
  await held(document, ['--input', `DB_WORD=${SECRET}`]);
  chmodSync(keyFile(), 0o644);
  const { path, digest } = await protocolFile(home, document);
  const words = ['run', path, '--trust', digest, '--no-input', '--input', `DB_WORD=${SECRET}`];
  const answers = answersFile(home, { '2.proposal': '{}', closing: 'Moved the switch.' });
  const begun = await kairos(home, [...words.filter((word) => word !== '--no-input'), '--answers', answers]);
  expect(begun).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('others have access to it (mode 0644)'),
  });
});

it('a captured secret is bound like an input', async () => {
  const look = {
    proof_of_work: { type: 'shell', shell: { cmd: `echo word=${SECRET}`, timeout_seconds: 20 } },
    captures: [{ name: 'DB_WORD', from: 'stdout', pattern: 'word=(.+)', secret: true }],
  };
  const act = {
    proof_of_work: { type: 'shell', shell: { cmd: `echo "\${#DB_WORD}" >> ${DONE}`, timeout_seconds: 20 } },
    proposal: SWITCH,
  };
  const document = `# Move the switch\n\n${stepOf('Look', 'Look at it.', look)}\n${stepOf('Move', 'Move it.', act)}\n${stepOf('Look back', 'See what came of it.', null)}`;
  const { runId, resume, approve } = await held(document);
  const accepted = (await entriesOf(home, runId)).find(({ kind }) => kind === 'proof.accepted');
  expect(accepted?.data).toHaveProperty(
    'secret_digests.DB_WORD',
    expect.stringMatching(/^[0-9a-f]{16}:[0-9a-f]{64}$/),
  );
  await approve();
  expect(await resume('--input', 'DB_WORD=another-horse')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('DB_WORD is not the value that this run has'),
  });
  expect((await resume('--input', `DB_WORD=${SECRET}`)).code).toBe(0);
  expect(ran()).toBe(String(SECRET.length));
});

it('a variable that the step names keeps the value that it had at the proposal', async () => {
  const document = guardedDocument({}, `echo "$SITE" >> ${DONE}`, 'Move the switch', {
    env: ['SITE', 'ZONE'],
  });
  const { runId, walk, approve, resume } = await held(document, [], { SITE: 'staging' });
  const decided = (await entriesOf(home, runId)).findLast(({ kind }) => kind === 'proposal.decided');
  expect(decided?.data.surroundings).toMatchObject({
    environment: { SITE: expect.stringMatching(/^[0-9a-f]{16}:[0-9a-f]{64}$/), ZONE: null },
    files: {},
  });
  expect(await screen(runId)).toMatch(
    /environment +SITE: set, and it must keep the value that it has now\n +ZONE: not set\n/,
  );
  await approve();
  const other = await kairos(home, ['resume', runId, ...walk], { env: { SITE: 'production' } });
  expect(other).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(
      `Approvals that were given do not count now. See why: kairos proposal show ${runId}`,
    ),
  });
  expect(timesRun(home)).toBe(0);
  expect(await screen(runId)).toMatch(
    /not counted +mira: it is about another command, variable, environment/,
  );
  // As it was, the approval counts again.
  expect((await resume()).code).toBe(0);
  expect(ran()).toBe('staging');
});

it('another value of a variable can be approved by itself', async () => {
  const document = guardedDocument({}, `echo "$SITE" >> ${DONE}`, 'Move the switch', { env: ['SITE'] });
  const { runId, walk, approve } = await held(document, [], { SITE: 'staging' });
  const env = { SITE: 'production' };
  expect((await kairos(home, ['resume', runId, ...walk], { env })).code).toBe(3);
  await approve();
  expect((await kairos(home, ['resume', runId, ...walk], { env })).code).toBe(0);
  expect(ran()).toBe('production');
});

it.each([
  ['the script that the command starts', './move.sh', 'move.sh'],
  ['a script that this one starts', './outer.sh', 'move.sh'],
  ['the program of an interpreter', 'node move.js', 'move.js'],
  ['a script in another directory', 'cd inner && ./inside.sh', 'inner/inside.sh'],
])('a file is bound: %s', async (_, cmd, file) => {
  const scripts: Record<string, string> = {
    'move.sh': `#!/bin/sh\necho ran >> ${DONE}\n`,
    'outer.sh': '#!/bin/sh\n. ./move.sh\n',
    'inner/inside.sh': `#!/bin/sh\necho ran >> ../${DONE}\n`,
    'move.js': `require('node:fs').appendFileSync('${DONE}', 'ran\\n');\n`,
  };
  mkdirSync(join(home.work, 'inner'));
  for (const [name, text] of Object.entries(scripts))
    writeFileSync(join(home.work, name), text, { mode: 0o755 });
  const { runId, resume, approve } = await held(guardedDocument({}, cmd));
  const path = cmd === './outer.sh' ? './move.sh' : cmd.split(' ').at(-1)!;
  expect(await screen(runId)).toContain(path);
  expect(await screen(runId)).toMatch(/SHA-256 [0-9a-f]{64}\n/);
  await approve();
  cpSync(join(home.work, file), join(home.work, 'before'));
  writeFileSync(join(home.work, file), `${scripts[file]}# more\n`);
  expect((await resume()).code).toBe(3);
  expect(timesRun(home)).toBe(0);
  writeFileSync(join(home.work, file), readFileSync(join(home.work, 'before')));
  expect((await resume()).code).toBe(0);
  expect(timesRun(home)).toBe(1);
});
