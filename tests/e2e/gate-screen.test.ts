import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  answerWithKey,
  entriesOf,
  guardedDocument,
  keyOf,
  makeApprovers,
  runGuarded,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, KAIROS_BIN, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';
import { answer, openKairos } from '../support/kairos-terminal.ts';
import { closeTerminals, openTerminal } from '../support/pty.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const INPUTS = `---
inputs:
  TARGET_HOST: { description: Load balancer to drain }
  DB_PASSWORD: { description: Password of the replica, secret: true }
---
`;

/** A run with inputs that waits for one person. */
async function held() {
  writePolicy(home, {
    approvers: makeApprovers(home, ['mira']),
    rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
  });
  const document = INPUTS + guardedDocument({}, 'drain "$TARGET_HOST" "$DB_PASSWORD" || true');
  const { path, digest } = await protocolFile(home, document);
  const answers = answersFile(home, { '2.proposal': '{}', closing: 'The load balancer is drained.' });
  const given = ['--input', 'TARGET_HOST=lb1', '--input', 'DB_PASSWORD=correct horse'];
  const walk = ['--trust', digest, '--answers', answers];
  const { code, objects } = await kairosJson(home, ['run', path, ...given, ...walk]);
  expect(code).toBe(3);
  const runId = String(objects.find(({ event }) => event === 'begun')?.run_id);
  return { runId, resume: ['resume', runId, ...walk, '--input', 'DB_PASSWORD=correct horse'] };
}

it('an approver reads the inputs that the command gets, of a secret its name', async () => {
  const { runId, resume } = await held();
  const shown = await kairos(home, ['proposal', 'show', runId]);
  expect(shown.stdout).toMatch(/runs +drain "\$TARGET_HOST"/);
  expect(shown.stdout).toMatch(/variable +TARGET_HOST=lb1\n/);
  expect(shown.stdout).toMatch(/variable +DB_PASSWORD: secret, and it must keep the value that it has now\n/);
  expect(shown.stdout).toMatch(/until +an approval given now counts until .* \(in 1 h\)\n/);
  const request = join(home.home, 'request.json');
  await kairos(home, ['proposal', 'request', runId, '--out', request]);
  const text = readFileSync(request, 'utf8');
  expect(JSON.parse(text).screen.variables).toEqual({
    TARGET_HOST: 'lb1',
    DB_PASSWORD: { secret: expect.stringMatching(/^[0-9a-f]{16}:[0-9a-f]{64}$/) },
  });
  expect(text + shown.stdout).not.toContain('correct horse');
  expect((await answerWithKey(home, 'approve', runId, 'mira')).code).toBe(0);
  expect((await kairosJson(home, resume)).code).toBe(0);
});

it('an approver reads why an approval does not count after the run was moved', async () => {
  const { runId, resume } = await held();
  expect((await answerWithKey(home, 'approve', runId, 'mira')).code).toBe(0);
  const elsewhere = join(home.root, 'elsewhere');
  mkdirSync(elsewhere);
  const { objects } = await kairosJson(home, ['proposal', 'show', runId]);
  const { proposal } = objects[0] as { proposal: object };
  const moved = await kairosJson(home, [...resume, '--workdir', elsewhere]);
  expect(moved.code).toBe(3);
  expect(JSON.stringify(moved.objects)).toContain('Approvals and permits given before do not count here.');
  // Handed in again as it was, it has the approval of the other place, and says that it does not count.
  const again = ['proposal', 'submit', runId, '-'];
  await kairos(home, again, { stdin: JSON.stringify(proposal) });
  const shown = await kairos(home, ['proposal', 'show', runId]);
  expect(shown.stdout).toMatch(/approvals +0 of 1\n/);
  expect(shown.stdout).toMatch(
    /not counted +mira: the run was moved to another directory or machine since\n/,
  );
  expect(shown.stdout).toMatch(/can approve +mira\n/);
  expect((await answerWithKey(home, 'approve', runId, 'mira')).code).toBe(0);
  expect((await kairos(home, ['proposal', 'show', runId])).stdout).not.toContain('not counted');
  expect((await kairosJson(home, resume)).code).toBe(0);
});

/** A run of the ordinary document that waits for two people. */
async function heldForTwo(more: object = {}) {
  writePolicy(home, {
    approvers: makeApprovers(home, ['mira', 'noor']),
    rules: [{ name: 'two-people', match: { action_types: ['write'] }, approval_class: 'dual' }],
  });
  const run = await runGuarded(home, guardedDocument(more));
  expect(run.code).toBe(3);
  const { objects } = await kairosJson(home, ['proposal', 'show', run.runId]);
  return { ...run, hash: String(objects[0]?.proposal_hash) };
}
const key = () => ['--key', keyOf(home, 'mira')];

it.each(['approve', 'deny'] as const)(
  '%s without a terminal needs the whole hash: none, a letter, a beginning and another one record nothing',
  async (decision) => {
    const { runId, hash } = await heldForTwo();
    for (const given of [[], [hash[0]!], [hash.slice(0, 12)], [hash.slice(0, 63)], ['f'.repeat(64)]]) {
      const answered = await kairos(home, ['proposal', decision, runId, ...given, ...key()]);
      expect([given, answered.code]).toEqual([given, given[0]?.startsWith('ffff') ? 1 : 2]);
    }
    const kinds = async () => (await entriesOf(home, runId)).map(({ kind }) => kind);
    expect(await kinds()).not.toContain('approval.given');
    expect((await kairos(home, ['proposal', decision, runId, hash, ...key()])).code).toBe(0);
    expect(await kinds()).toContain('approval.given');
  },
);

it('approve shows what was approved and how many are missing, deny records its reason', async () => {
  const { runId, hash } = await heldForTwo();
  const approved = await kairos(home, ['proposal', 'approve', runId, hash, ...key()]);
  expect(approved.stdout).toMatch(/runs +echo ran/);
  expect(approved.stdout).toMatch(/approvals +1 of 2\nmissing +1 more, of noor/);
  const reason = ['--reason', 'Not today.'];
  const denied = await kairos(home, [
    'proposal',
    'deny',
    runId,
    hash,
    '--key',
    keyOf(home, 'noor'),
    ...reason,
  ]);
  expect(denied.code).toBe(0);
  expect((await kairos(home, ['proposal', 'show', runId])).stdout).toMatch(/denied by +noor: Not today\.\n/);
});

it('the terminal and the file show the same screen, and it names everything that decides', async () => {
  const { runId } = await heldForTwo({
    effects: ['light_on'],
    rollback_semantics: { strategy: 'command', command: 'echo off', verify: 'true', deadline_ms: 60_000 },
    risk_envelope: { allowed_side_effects: ['light_on'], max_affected_records: 1 },
  });
  const { objects } = await kairosJson(home, ['proposal', 'show', runId]);
  const request = join(home.home, 'request.json');
  await kairos(home, ['proposal', 'request', runId, '--out', request]);
  const { screen } = JSON.parse(readFileSync(request, 'utf8'));
  expect(screen).toEqual((objects[0] as { screen: object }).screen);
  const { stdout } = await kairos(home, ['proposal', 'show', runId]);
  const labels = stdout.split('\n').flatMap((line) => /^([a-z][a-z ]*?) {2,}\S/.exec(line)?.[1] ?? []);
  expect(labels).toEqual([
    ...['proposal', 'decision', 'approvals', 'protocol', 'step', 'runs', 'timeout', 'environment'],
    ...['not checked', 'host', 'directory', 'action', 'target', 'effects', 'risk', 'rollback', 'evidence'],
    ...['proposed by', 'needs', 'asked by', 'until', 'can approve', 'policy', 'run', 'content'],
  ]);
  expect(stdout).toMatch(
    /needs +two other people \(class dual\)\nasked by +rule two-people of the policy: two people\n/,
  );
  expect(stdout).toMatch(/can approve +mira, noor\n/);
  expect(stdout).toMatch(
    /evidence +exit_code is 0: true, it is 0\n +step 1, observed by kairos, \d\d \w{3} \d{4}, [^)]*\)\n/,
  );
  expect(stdout).toMatch(/within 1 min of the failure\n/);
  expect(stdout.split('content')[0]).not.toMatch(/\b1[0-9]{12}\b/);
});

it('policy check ends with 1 without a policy, and doctor names the policy or its absence', async () => {
  expect(await kairos(home, ['policy', 'check'])).toMatchObject({ code: 1 });
  const policyOf = async () => {
    const { stdout } = await kairos(home, ['doctor']);
    return stdout.split('\n').find((line) => /\bpolicy\b/.test(line));
  };
  expect(await policyOf()).toMatch(/policy +none \(.*kairos\.policy\.yaml\)/);
  writePolicy(home, { rules: [] });
  expect(await policyOf()).toContain(join(home.config, 'kairos.policy.yaml'));
});

it('signs where TMPDIR does not exist, and counts approvals where ssh-keygen is not installed', async () => {
  const { runId, hash, trust } = await heldForTwo();
  const env = { ...home.env, TMPDIR: join(home.root, 'gone') };
  for (const name of ['mira', 'noor']) {
    const words = ['proposal', 'approve', runId, hash, '--key', keyOf(home, name)];
    expect(await kairos(home, words, { env })).toMatchObject({ code: 0 });
  }
  const bin = join(home.root, 'no-keygen');
  mkdirSync(bin);
  symlinkSync('/bin/sh', join(bin, 'sh'));
  const answers = join(home.work, 'answers.yaml');
  const words = ['resume', runId, '--trust', trust, '--answers', answers];
  expect(await kairos(home, words, { env: { ...home.env, PATH: bin } })).toMatchObject({ code: 0 });
});

it('runs reports that an approved run can be resumed, and a denied one needs a new proposal', async () => {
  const { runId, trust } = await heldForTwo();
  const waits = async () => (await kairosJson(home, ['runs'])).objects[0]?.runs as { waits_for: string }[];
  await answerWithKey(home, 'approve', runId, 'mira');
  expect(await waits()).toMatchObject([{ waits_for: 'approval' }]);
  await answerWithKey(home, 'approve', runId, 'noor');
  expect(await waits()).toMatchObject([{ waits_for: 'resume' }]);
  expect((await kairos(home, ['runs'])).stdout).toContain('approved, resume it');
  await answerWithKey(home, 'deny', runId, 'mira', '--reason', 'Replica 2 is down.');
  expect(await waits()).toMatchObject([{ waits_for: 'a new proposal' }]);
  // Whoever proposed it learns why.
  const said = 'It was denied by mira: "Replica 2 is down."';
  const again = await kairos(home, ['proposal', 'submit', runId]);
  expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining(said) });
  const answers = answersFile(home, {
    '2.proposal': '{}',
    closing: 'Moved the switch and saw the light go on.',
  });
  const resumed = await kairos(home, ['resume', runId, '--trust', trust, '--answers', answers]);
  expect(resumed).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(
      'was denied by mira: "Replica 2 is down." A new one needs its own approvals.',
    ),
  });
});

describe.runIf(SPAWNS && process.platform !== 'win32')('at a terminal', () => {
  afterEach(closeTerminals);

  it.each(['approve', 'deny'] as const)(
    '%s with a key shows the screen, asks, and records a typed word only',
    async (decision) => {
      const { runId } = await heldForTwo();
      const given = async () =>
        (await entriesOf(home, runId))
          .filter(({ kind }) => kind === 'approval.given')
          .map(({ data }) => data);
      const open = () => openKairos(home, ['proposal', decision, runId, ...key()], { env: { TERM: 'dumb' } });
      const refused = open();
      await refused.waitFor(/runs +echo ran/);
      await refused.waitFor(/directory +\//);
      await answer(refused, `Do you ${decision} this proposal?`, 'no');
      await refused.waitFor(decision);
      refused.send('\x03');
      expect((await refused.exit).exitCode).not.toBe(0);
      expect(await given()).toEqual([]);

      const typed = open();
      await typed.waitFor(/can approve +mira, noor/);
      await answer(typed, `Do you ${decision} this proposal?`, decision);
      expect((await typed.exit).exitCode).toBe(0);
      expect(await given()).toMatchObject([{ approver: 'mira', decision, source: 'ssh' }]);
    },
  );

  it.each(['approve', 'sign'] as const)(
    '%s on a small colour terminal prints the screen once, in colours',
    async (how) => {
      const { runId } = await heldForTwo();
      const request = join(home.home, 'request.json');
      await kairos(home, ['proposal', 'request', runId, '--out', request]);
      const words = how === 'approve' ? [how, runId, ...key()] : [how, request, ...key()];
      const terminal = openKairos(home, ['proposal', ...words], { rows: 24 });
      await terminal.waitFor(/protocol +\S/);
      await terminal.waitFor('Type approve to continue:');
      for (const typed of ['a', 'ap', 'app']) {
        terminal.send(typed.at(-1)!);
        await terminal.waitFor(new RegExp(`Type approve to continue: ${typed}`));
      }
      terminal.send('rove\r');
      expect((await terminal.exit).exitCode).toBe(0);
      expect(terminal.raw()).toContain('\x1b[2mprotocol');
      expect(terminal.screen()).not.toContain('\\x1b');
      expect(terminal.screen().match(/^protocol /gm)).toHaveLength(1);
      expect(terminal.screen().match(/Type approve/g)).toHaveLength(1);
    },
  );

  it('approve with a redirected standard output shows the screen on the terminal, and prints only the answer', async () => {
    const { runId } = await heldForTwo();
    const out = join(home.home, 'out.txt');
    const terminal = openTerminal('sh', {
      cwd: home.work,
      args: [
        ...['-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', out],
        ...[process.execPath, KAIROS_BIN, 'proposal', 'approve', runId, ...key()],
      ],
      env: { ...(home.env as Record<string, string>), TERM: 'dumb' },
    });
    await terminal.waitFor(/runs +echo ran/);
    await answer(terminal, 'Do you approve this proposal?', 'approve');
    expect((await terminal.exit).exitCode).toBe(0);
    const printed = readFileSync(out, 'utf8');
    expect(printed).toMatch(/^approved by +mira\n/);
    expect(printed).not.toContain('echo ran');
  });

  it('sign shows the screen of a request and asks', async () => {
    const { runId } = await heldForTwo();
    const [request, signed] = ['request.json', 'answer.json'].map((name) => join(home.home, name)) as [
      string,
      string,
    ];
    await kairos(home, ['proposal', 'request', runId, '--out', request]);
    const words = ['proposal', 'sign', request, ...key(), '--out', signed];
    const terminal = openKairos(home, words, { env: { TERM: 'dumb' } });
    await terminal.waitFor(/asked by +rule two-people/);
    await answer(terminal, 'Do you approve this proposal?', 'approve');
    expect((await terminal.exit).exitCode).toBe(0);
    expect((await kairos(home, ['proposal', 'submit-answer', signed])).code).toBe(0);
  });
});
