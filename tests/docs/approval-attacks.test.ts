import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statementText } from '../../src/gate/approval/statement.ts';
import { signApproval } from '../../src/host/ssh/sign.ts';
import { osCaller } from '../../src/host/system.ts';
import { approvable, approverByAccount, giveApproval, statementFor } from '../../src/operations/approve.ts';
import { record } from '../../src/operations/next.ts';
import { policyOf } from '../gate/support/case.ts';
import {
  answerWithKey,
  attackRows,
  DONE,
  entriesOf,
  guardedDocument,
  keyOf,
  ME,
  makeApprovers,
  mintTrusted,
  resumeGuarded,
  runGuarded,
  SWITCH,
  timesRun,
  toolDocument,
  writePolicy,
} from '../gate/support/cli.ts';
import { walkToGuard } from '../gate/support/walk.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { as, makeContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** Each row of the table in docs/approval-attacks.md, tried on the command line or in the record itself. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const ROWS = attackRows('first');

type Approvers = ReturnType<typeof makeApprovers>;
const rule = (approval_class = 'single') => ({ match: { action_types: ['write'] }, approval_class });

/** A run that waits for approval, with the people who could give it. */
async function held({
  names = ['mira', 'noor'],
  rules = [rule()] as object[],
  document = guardedDocument(),
  proposal = '{}' as unknown,
  adapt = (approvers: Approvers): object[] => approvers,
} = {}) {
  const approvers = makeApprovers(home, names);
  writePolicy(home, { approvers: adapt(approvers), rules });
  const run = await runGuarded(home, document, { '2.proposal': proposal }, { prepares: true });
  return { ...run, approvers, rules };
}
type Held = Awaited<ReturnType<typeof held>>;

const approve = (runId: string, name: string) => answerWithKey(home, 'approve', runId, name);
const texts = (...results: { stdout: string; stderr: string }[]) =>
  results.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join('\n');

/** Tries to go on, and returns all that was printed. */
async function resumed(
  { runId, trust }: Pick<Held, 'runId' | 'trust'>,
  ...before: { stdout: string; stderr: string }[]
) {
  const result = await resumeGuarded(home, runId, trust);
  expect(result.code).not.toBe(0);
  const shown = await kairosJson(home, ['proposal', 'show', runId], { prepares: true });
  return texts(...before, result, shown);
}

/** A statement about the newest proposal, signed by a person with `ssh-keygen` alone. */
async function signed(
  runId: string,
  {
    change = (text: string) => text,
    key = 'mira',
    approver = 'mira',
    namespace = 'kairos-approval',
    bound = true,
  } = {},
) {
  const { objects } = await kairosJson(home, ['proposal', 'show', runId], { prepares: true });
  const { screen, proposal_hash } = objects[0] as { screen: Record<string, never>; proposal_hash: string };
  const { protocol, step, policy, binding } = screen as Record<string, { digest: string; index: number }>;
  const statement = statementText({
    v: 1,
    decision: 'approve',
    approver,
    proposal_hash,
    run_id: runId,
    step: step!.index,
    chain_digest: protocol!.digest,
    policy_digest: policy!.digest,
    ...(bound ? { binding: binding as unknown as string } : {}),
    expires_at_ms: Date.now() + 600_000,
  });
  const file = join(home.home, `statement-${key}-${approver}`);
  writeFileSync(file, statement);
  execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-f', keyOf(home, key), '-n', namespace, file]);
  writeFileSync(file, change(statement));
  return { hash: proposal_hash, options: ['--statement', file, '--signature', `${file}.sig`] };
}

const policyFile = () => join(home.config, 'kairos.policy.yaml');
const store = () => join(home.data, 'kairos.db');

/** Changes the policy of a run that waits. */
const under = (change: (held: Held) => void) => async () => {
  const run = await held();
  await approve(run.runId, 'mira');
  change(run);
  return resumed(run);
};

/** How long an approval counts in runs in memory, in milliseconds. */
const SHORT_MS = 60_000;

/** A run in memory whose proposal waits for one person, with a clock that can be moved. */
async function inMemory(actor = 'ada') {
  const approvers = makeApprovers(home, ['mira', 'noor']);
  const walk = await walkToGuard({
    ctx: await makeContext({ caller: { actor } }),
    policy: { version: 1, approvers, rules: [rule()], approvals: { ttl_ms: SHORT_MS } },
  });
  const draft = walk.shown.challenge!.proposal_draft;
  expect(await walk.propose(draft)).toMatchObject({ decision: 'HOLD' });
  const sign = async () => {
    const subject = await approvable(walk.ctx, walk.runId);
    const statement = statementFor(subject, 'mira', 'approve', walk.ctx.clock());
    return { subject, statement, signature: await signApproval(statement, keyOf(home, 'mira')) };
  };
  const give = async () => {
    const { subject, statement, signature } = await sign();
    await giveApproval(as(walk.ctx, { actor: 'mira' }), subject, statementText(statement), signature);
  };
  const again = async () => {
    const answer = await walk.propose(draft);
    await walk.consume();
    expect(await walk.kinds()).not.toContain('permit.consumed');
    return JSON.stringify(answer);
  };
  return { walk, approvers, sign, give, again };
}

const FAILS = guardedDocument(
  { rollback_semantics: { strategy: 'command', command: `echo back >> ${DONE}` } },
  `echo ran >> ${DONE}; false`,
);

/** Lets an approved run do its step once. */
async function usedOnce(document: string) {
  const run = await held({ document });
  await approve(run.runId, 'mira');
  cpSync(store(), join(home.root, 'copy.db'));
  cpSync(home.data, join(home.root, 'data-before'), { recursive: true });
  await resumeGuarded(home, run.runId, run.trust);
  expect(timesRun(home)).toBe(1);
  return run;
}

const TRIED: Record<string, () => Promise<string>> = {
  'resumes the run without approvals': async () => resumed(await held()),
  'submits the solution without a permit': async () => {
    const run = await held();
    const uri = (await entriesOf(home, run.runId)).findLast(({ kind }) => kind === 'step.shown')!.data.uri;
    const solution = JSON.stringify({ type: 'shell', shell: { exit_code: 0 } });
    const next = await kairosJson(home, ['next', String(uri), '--run', run.runId, '--solution', solution]);
    return resumed(run, next);
  },
  'approves its own proposal with its own key': async () => {
    const run = await held({ names: [ME, 'mira'] });
    return resumed(run, await approve(run.runId, ME));
  },
  'approves with the key of the person that sudo names': async () => {
    const { walk, sign } = await inMemory('root (sudo by mira)');
    const { subject, statement, signature } = await sign();
    const giving = giveApproval(
      as(walk.ctx, { actor: 'noor' }),
      subject,
      statementText(statement),
      signature,
    );
    return (await giving.catch(String)) as string;
  },
  'answers at a terminal under a name that sudo gives': async () => {
    const run = await inMemory();
    const subject = await approvable(run.walk.ctx, run.walk.runId);
    const { actor } = osCaller({ SUDO_USER: 'mira' }, true, () => ({ username: 'root' }));
    const asked = {
      ...subject,
      loaded: policyOf({
        version: 1,
        approvers: run.approvers,
        rules: [rule()],
        approvals: { terminal: true },
      }),
    };
    try {
      return approverByAccount(asked, actor, 'approve');
    } catch (error) {
      return String(error);
    }
  },
  'approves with a key that the policy does not list': async () => {
    const run = await held();
    makeApprovers(home, ['eve']);
    return resumed(run, await approve(run.runId, 'eve'));
  },
  'approves twice with the same key': async () => {
    const run = await held({ rules: [rule('dual')] });
    await approve(run.runId, 'mira');
    return resumed(run, await approve(run.runId, 'mira'));
  },
  'approves with one key under two names': under(({ approvers, rules }) => {
    const [mira] = approvers;
    writePolicy(home, { approvers: [...approvers, { ...mira, name: 'mira-2', actors: [] }], rules });
  }),
  'lists a certificate of a key as a second key': under(({ approvers, rules }) => {
    makeApprovers(home, ['authority']);
    execFileSync('ssh-keygen', [
      ...['-q', '-s', keyOf(home, 'authority'), '-I', 'mira', '-n', 'mira'],
      `${keyOf(home, 'mira')}.pub`,
    ]);
    const key = readFileSync(`${keyOf(home, 'mira')}-cert.pub`, 'utf8').trim();
    writePolicy(home, { approvers: [...approvers, { name: 'mira-2', keys: [{ key }] }], rules });
  }),
  'approves with an expired key': async () => {
    const past = '2020-01-01T00:00:00Z';
    const adapt = ([mira, noor]: Approvers) => [
      { ...mira, keys: [{ ...mira!.keys[0], valid_until: past }] },
      noor!,
    ];
    const run = await held({ adapt });
    return resumed(run, await approve(run.runId, 'mira'));
  },
  'approves with a revoked key': async () => {
    const adapt = ([mira, noor]: Approvers) => [
      { ...mira, keys: [{ ...mira!.keys[0], revoked: true }] },
      noor!,
    ];
    const run = await held({ adapt });
    return resumed(run, await approve(run.runId, 'mira'));
  },
  'replays an approval of another run': async () => {
    const first = await held();
    const { options } = await signed(first.runId);
    const other = await runGuarded(home, guardedDocument());
    return resumed(other, await kairosJson(home, ['proposal', 'approve', other.runId, ...options]));
  },
  'replays an approval of another proposal of the run': async () => {
    const run = await held();
    const { options } = await signed(run.runId);
    const draft = await kairos(home, ['proposal', 'new', run.runId]);
    await kairos(home, ['proposal', 'submit', run.runId, '-'], { stdin: draft.stdout });
    const { objects } = await kairosJson(home, ['proposal', 'show', run.runId], { prepares: true });
    const words = ['proposal', 'approve', run.runId, String(objects[0]?.proposal_hash), ...options];
    return resumed(run, await kairos(home, words));
  },
  'changes a signed statement': async () => {
    const run = await held();
    const change = (text: string) => text.replace(/"expires_at_ms":\d+/, '"expires_at_ms":8000000000000000');
    const { options } = await signed(run.runId, { change });
    return resumed(run, await kairos(home, ['proposal', 'approve', run.runId, ...options]));
  },
  'signs a statement without the binding': async () => {
    const run = await held();
    const { options } = await signed(run.runId, { bound: false });
    return resumed(run, await kairos(home, ['proposal', 'approve', run.runId, ...options]));
  },
  'signs in another namespace': async () => {
    const run = await held();
    const { options } = await signed(run.runId, { namespace: 'file' });
    return resumed(run, await kairos(home, ['proposal', 'approve', run.runId, ...options]));
  },
  'signs in the name of another approver': async () => {
    const run = await held();
    const { options } = await signed(run.runId, { approver: 'noor' });
    return resumed(run, await kairos(home, ['proposal', 'approve', run.runId, ...options]));
  },
  'renames an approver in the policy': under(({ approvers: [mira, noor], rules }) =>
    writePolicy(home, { approvers: [{ ...mira, name: 'maria', actors: [] }, noor], rules }),
  ),
  'edits the policy to ask for less': under(() =>
    writePolicy(home, { rules: [{ match: { action_types: ['write'] }, evidence_optional: true }] }),
  ),
  'removes the policy of a run that has begun': under(() => rmSync(policyFile())),
  'puts a link in the place of the policy': under(() => {
    const other = join(home.home, 'lax.yaml');
    copyFileSync(policyFile(), other);
    rmSync(policyFile());
    symlinkSync(other, policyFile());
  }),
  'makes the policy writable for others': under(() => chmodSync(policyFile(), 0o666)),
  'opens a folder above the policy for all users': under(() => chmodSync(home.root, 0o777)),
  'moves an approved run to another directory': async () => {
    const run = await held();
    await approve(run.runId, 'mira');
    const elsewhere = join(home.root, 'elsewhere');
    mkdirSync(elsewhere);
    const answers = join(home.work, 'answers.yaml');
    const words = ['resume', run.runId, '--here', '--trust', run.trust, '--answers', answers];
    return resumed(run, await kairos(home, words, { cwd: elsewhere }));
  },
  'puts a link in the place of the approved directory': async () => {
    const run = await held();
    await approve(run.runId, 'mira');
    const aside = join(home.root, 'aside');
    renameSync(home.work, aside);
    const other = join(home.root, 'other');
    mkdirSync(other);
    cpSync(join(aside, 'answers.yaml'), join(other, 'answers.yaml'));
    symlinkSync(other, home.work);
    const said = await resumed(run);
    expect(existsSync(join(other, DONE))).toBe(false);
    return said;
  },
  "puts a link in the place of the approved step's directory": async () => {
    for (const folder of ['inner', 'inner2']) mkdirSync(join(home.work, folder));
    const cmd = `echo ran >> ../${DONE}`;
    const run = await held({
      document: guardedDocument({}, cmd, 'Move the inner switch', { workdir: 'inner' }),
    });
    await approve(run.runId, 'mira');
    renameSync(join(home.work, 'inner'), join(home.work, 'aside'));
    symlinkSync('inner2', join(home.work, 'inner'));
    return resumed(run);
  },
  'changes the server of an approved tool': async () => {
    const server = (database: string) => {
      const args = ['-c', `echo ran >> ${join(home.work, DONE)}`, database];
      writeFileSync(
        join(home.home, '.cursor', 'mcp.json'),
        JSON.stringify({ mcpServers: { db: { command: 'sh', args } } }),
      );
    };
    mkdirSync(join(home.home, '.cursor'));
    server('staging');
    const run = await held({ document: toolDocument() });
    expect(texts(await kairos(home, ['proposal', 'show', run.runId]))).toContain('staging');
    await approve(run.runId, 'mira');
    server('production');
    return resumed(run);
  },
  'gives a secret input another value at `resume`': async () => {
    const { run, resume } = await heldSecretly();
    return texts(await resume('--input', 'DB_WORD=another-horse'), await kairos(home, ['runs', 'show', run]));
  },
  'loses the key of the digests to give a secret another value': async () => {
    const { resume } = await heldSecretly();
    rmSync(join(home.data, 'keys', 'values.key'));
    return texts(await resume('--input', 'DB_WORD=another-horse'));
  },
  'gives a variable that the step names another value': async () => {
    home.env.SITE = 'staging';
    const run = await held({ document: guardedDocument({}, undefined, undefined, { env: ['SITE'] }) });
    await approve(run.runId, 'mira');
    home.env.SITE = 'production';
    return resumed(run);
  },
  'edits the script that an approved command starts': async () => {
    const script = (text: string) => writeFileSync(join(home.work, 'move.sh'), text, { mode: 0o755 });
    script(`#!/bin/sh\necho ran >> ${DONE}\n`);
    const run = await held({ document: guardedDocument({}, './move.sh') });
    await approve(run.runId, 'mira');
    script(`#!/bin/sh\necho more >> ${DONE}\n`);
    return resumed(run);
  },
  'names a target with other case to avoid a rule': async () => {
    const target = { ...SWITCH.target, resource_id: 'MAIN' };
    const rules = [
      { match: { resource_id: 'main' }, approval_class: 'dual' },
      { match: { action_types: ['write'] } },
    ];
    return resumed(await held({ rules, document: guardedDocument({ target }) }));
  },
  'names a target with letters of another script': async () => {
    const target = { ...SWITCH.target, resource_id: 'm\u0430in' };
    const rules = [
      { match: { resource_id: 'main' }, approval_class: 'dual' },
      { match: { action_types: ['write'] } },
    ];
    return resumed(await held({ rules, document: guardedDocument({ target }) }));
  },
  'names a target in another spelling, such as a percent code': async () => {
    const target = { ...SWITCH.target, resource_id: 'm%61in' };
    const rules = [
      { match: { resource_id: 'main' }, approval_class: 'dual' },
      { match: { action_types: ['write'] } },
    ];
    return resumed(await held({ rules, document: guardedDocument({ target }) }));
  },
  'proposes a lower class than the policy asks': async () =>
    resumed(await held({ proposal: { approval_class: 'none' } })),
  'changes a byte of an approved proposal': async () => {
    const run = await held();
    await approve(run.runId, 'mira');
    const { objects } = await kairosJson(home, ['proposal', 'show', run.runId], { prepares: true });
    const { proposal } = objects[0] as { proposal: { proposal_id: string } };
    const stdin = JSON.stringify({ ...proposal, proposal_id: `${proposal.proposal_id}x` });
    return resumed(run, await kairos(home, ['proposal', 'submit', run.runId, '-'], { stdin }));
  },
  'submits a denied proposal again': async () => {
    const run = await held();
    await approve(run.runId, 'mira');
    await answerWithKey(home, 'deny', run.runId, 'noor');
    const { objects } = await kairosJson(home, ['proposal', 'show', run.runId], { prepares: true });
    const stdin = JSON.stringify((objects[0] as { proposal: object }).proposal);
    const again = await kairos(home, ['proposal', 'submit', run.runId, '-'], { stdin });
    return texts(again);
  },
  'uses a permit twice': async () => {
    const run = await usedOnce(FAILS);
    const [decided] = (await entriesOf(home, run.runId)).filter(({ kind }) => kind === 'proposal.decided');
    const stdin = String(decided!.data.proposal_json);
    const again = await kairos(home, ['proposal', 'submit', run.runId, '-'], { stdin });
    expect(timesRun(home)).toBe(1);
    return texts(again);
  },
  'uses a permit in a copy of the store': async () => {
    const run = await usedOnce(guardedDocument());
    const answers = join(home.work, 'answers.yaml');
    const words = ['resume', run.runId, '--trust', run.trust, '--answers', answers];
    const again = await kairos(home, [...words, '--store', join(home.root, 'copy.db')]);
    expect(timesRun(home)).toBe(1);
    return texts(again);
  },
  'uses a permit in a copy of the whole data folder': async () => {
    const run = await usedOnce(guardedDocument());
    const answers = join(home.work, 'answers.yaml');
    const words = ['resume', run.runId, '--trust', run.trust, '--answers', answers];
    const again = await kairos(home, words, { env: { KAIROS_DATA_DIR: join(home.root, 'data-before') } });
    expect(timesRun(home)).toBe(1);
    return texts(again);
  },
  'restores a backup of the store after the use': async () => {
    const run = await usedOnce(guardedDocument());
    for (const end of ['', '-wal', '-shm']) rmSync(`${store()}${end}`, { force: true });
    cpSync(join(home.root, 'copy.db'), store());
    const again = await resumeGuarded(home, run.runId, run.trust);
    expect(timesRun(home)).toBe(1);
    return texts(again);
  },
  'sets the clock back to revive an approval': async () => {
    const { walk, give, again } = await inMemory();
    await give();
    walk.ctx.clock.advance(2 * SHORT_MS);
    expect(await again()).toContain('HOLD');
    walk.ctx.clock.advance(-2 * SHORT_MS);
    return again();
  },
  'sets the clock back a little, after the approval was seen to run out': async () => {
    const { walk, give, again } = await inMemory();
    await give();
    let newest = 0;
    walk.ctx.permitMarks = {
      prepare: async () => {},
      use: async () => true,
      seen: async (now) => {
        const known = newest;
        newest = Math.max(newest, now);
        return known;
      },
    };
    walk.ctx.clock.advance(SHORT_MS + 2000);
    await approvable(walk.ctx, walk.runId);
    walk.ctx.clock.advance(-12_000);
    return again();
  },
  'uses an approval that has run out': async () => {
    const { walk, give, again } = await inMemory();
    await give();
    walk.ctx.clock.advance(2 * SHORT_MS);
    return again();
  },
  'rolls back without the approvals for it': async () => {
    const run = await usedOnce(FAILS);
    const back = await kairosJson(home, ['rollback', run.runId, '2', '--yes', '--trust', run.trust]);
    expect(timesRun(home)).toBe(1);
    const listed = await kairosJson(home, ['proposal', 'list']);
    expect(back.code).toBe(3);
    return texts(back, listed);
  },
  'changes the protocol that an approved rollback runs': async () => {
    const undo = (said: string) =>
      `# Undo the switch\n\n${stepOf('Undo', 'Undo it.', { proof_of_work: { type: 'shell', shell: { cmd: `echo ${said} >> ${DONE}`, timeout_seconds: 20 } } })}`;
    const uri = await mintTrusted(home, undo('gentle'), 'undo-the-switch');
    const rollback_semantics = { strategy: 'chain', chain_uri: uri };
    const run = await usedOnce(guardedDocument({ rollback_semantics }, `echo ran >> ${DONE}; false`));
    await kairosJson(home, ['rollback', run.runId, '2', '--yes', '--trust', run.trust]);
    const { objects } = await kairosJson(home, ['proposal', 'list']);
    const hash = String(
      (objects[0] as { proposals: { proposal_hash: string }[] }).proposals[0]!.proposal_hash,
    );
    const shown = await kairos(home, ['proposal', 'show', run.runId, hash]);
    expect(texts(shown)).toContain('gentle');
    await kairos(home, ['proposal', 'approve', run.runId, hash, '--key', keyOf(home, 'mira')]);
    await mintTrusted(home, undo('harsh'), 'undo-the-switch');
    const back = await kairosJson(home, ['rollback', run.runId, '2', '--yes', '--trust', run.trust]);
    expect(back.code).toBe(3);
    return texts(back, await kairos(home, ['proposal', 'show', run.runId, hash]));
  },
  'writes an approval into the record without a signature': async () => {
    const { walk, sign, again } = await inMemory();
    const { statement } = await sign();
    const { step, proposal_hash, decision, approver, expires_at_ms } = statement;
    await record(walk.ctx, walk.runId, 'approval.given', {
      ...{ step, proposal_hash, decision, approver, expires_at_ms, source: 'ssh', by: 'mira' },
      ...{
        key: readFileSync(`${keyOf(home, 'mira')}.pub`, 'utf8')
          .split(' ')
          .slice(0, 2)
          .join(' '),
      },
      ...{ statement: statementText(statement), signature: 'none' },
    });
    return again();
  },
  'signs a request that was changed to look harmless': async () => {
    const run = await held();
    const file = join(home.home, 'request.json');
    await kairos(home, ['proposal', 'request', run.runId, '--out', file]);
    const request = JSON.parse(readFileSync(file, 'utf8')) as {
      screen: { action: { command: string }; proposal_hash: string };
    };
    request.screen.action.command = 'true';
    writeFileSync(file, JSON.stringify(request));
    const words = ['proposal', 'sign', file, request.screen.proposal_hash, '--key', keyOf(home, 'mira')];
    return resumed(run, await kairos(home, words));
  },
};

/** An approved run with a secret input. */
async function heldSecretly() {
  const inputs = '---\ninputs:\n  DB_WORD: { description: Word of the replica, secret: true }\n---\n';
  const document = inputs + guardedDocument({}, `test -n "$DB_WORD" && echo ran >> ${DONE}`);
  writePolicy(home, { approvers: makeApprovers(home, ['mira']), rules: [rule()] });
  const { path, digest } = await protocolFile(home, document);
  const answers = answersFile(home, { '2.proposal': '{}', closing: 'Moved the switch and saw the light.' });
  const words = ['--trust', digest, '--answers', answers];
  const begun = await kairosJson(home, ['run', path, ...words, '--input', 'DB_WORD=correct-horse']);
  const run = String(begun.objects.find(({ event }) => event === 'begun')?.run_id);
  await approve(run, 'mira');
  return { run, resume: (...more: string[]) => kairos(home, ['resume', run, ...words, ...more]) };
}

/** What the command may have done before the attempt, in lines of its file. */
const DONE_BEFORE = new Set([
  'uses a permit twice',
  'uses a permit in a copy of the store',
  'uses a permit in a copy of the whole data folder',
  'restores a backup of the store after the use',
  'rolls back without the approvals for it',
  'changes the protocol that an approved rollback runs',
]);

describe('docs/approval-attacks.md', () => {
  it('has a row for each way that is tried, and no other', () => {
    expect([...ROWS.keys()]).toEqual(Object.keys(TRIED));
  });

  it.each(Object.keys(TRIED))('an agent that %s', async (attempt) => {
    expect(await TRIED[attempt]!()).toContain(ROWS.get(attempt));
    expect(timesRun(home)).toBe(DONE_BEFORE.has(attempt) ? 1 : 0);
  });
});
