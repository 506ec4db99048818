import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statementText } from '../../src/gate/approval/statement.ts';
import { record } from '../../src/operations/next.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import {
  answerWithKey,
  attackRows,
  DONE,
  entriesOf,
  guardedDocument,
  keyOf,
  ME,
  makeApprovers,
  resumeGuarded,
  runGuarded,
  SWITCH,
  timesRun,
  toolDocument,
  writePolicy,
} from '../gate/support/cli.ts';
import { type GuardedWalk, walkToGuard } from '../gate/support/walk.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { makeContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** The rows under "Further attempts" in docs/approval-attacks.md. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const ROWS = attackRows('further');

type Said = { code?: number | null; stdout: string; stderr: string };
const texts = (...results: Said[]) => results.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join('\n');
const rule = (approval_class = 'single') => ({ match: { action_types: ['write'] }, approval_class });
const LAX = { rules: [{ match: { action_types: ['write'] } }] };

/** A run that waits for mira or noor. */
async function held({
  document = guardedDocument(),
  proposal = '{}' as unknown,
  rules = [rule()] as object[],
  names = ['mira', 'noor'],
  answers = {},
} = {}) {
  writePolicy(home, { approvers: makeApprovers(home, names), rules });
  return runGuarded(home, document, { '2.proposal': proposal, ...answers });
}
type Held = Awaited<ReturnType<typeof held>>;
const approve = (runId: string, name = 'mira') => answerWithKey(home, 'approve', runId, name);

/** Tries to go on; returns all that was printed. */
async function resumed({ runId, trust }: Pick<Held, 'runId' | 'trust'>, ...before: Said[]) {
  const result = await resumeGuarded(home, runId, trust);
  expect(result.code).not.toBe(0);
  return texts(...before, result, await kairosJson(home, ['proposal', 'show', runId]));
}

/** What a person would sign, as an object, and a function that signs a text and gives it to kairos. */
async function statementOf(runId: string) {
  const { objects } = await kairosJson(home, ['proposal', 'show', runId], { prepares: true });
  const { screen, proposal_hash } = objects[0] as {
    screen: {
      protocol: { digest: string };
      step: { index: number };
      policy: { digest: string };
      binding: string;
    };
    proposal_hash: string;
  };
  const statement = {
    v: 1,
    decision: 'approve',
    approver: 'mira',
    proposal_hash,
    run_id: runId,
    step: screen.step.index,
    chain_digest: screen.protocol.digest,
    policy_digest: screen.policy.digest,
    binding: screen.binding,
    expires_at_ms: Date.now() + 600_000,
  } as const;
  const give = async (text: string) => {
    const file = join(home.home, 'statement');
    writeFileSync(file, text);
    rmSync(`${file}.sig`, { force: true });
    const sign = ['-Y', 'sign', '-q', '-f', keyOf(home, 'mira'), '-n', 'kairos-approval', file];
    execFileSync('ssh-keygen', sign);
    return kairos(home, ['proposal', 'approve', runId, '--statement', file, '--signature', `${file}.sig`]);
  };
  return { statement, give };
}
type Statement = Awaited<ReturnType<typeof statementOf>>['statement'];

/** A validly signed text that is not the statement of kairos. */
const signedText = (textOf: (statement: Statement) => string) => async () => {
  const run = await held();
  const { statement, give } = await statementOf(run.runId);
  return resumed(run, await give(textOf(statement)));
};

/** An approved run that is resumed in another environment. */
const resumedWith = (change: (run: Held) => Record<string, string> | undefined) => async () => {
  const run = await held({ rules: [rule('dual')] });
  await approve(run.runId);
  const env = change(run);
  const words = ['resume', run.runId, '--trust', run.trust, '--answers', join(home.work, 'answers.yaml')];
  const result = await kairosJson(home, words, env === undefined ? {} : { env });
  expect(result.code).not.toBe(0);
  return texts(result, await kairosJson(home, ['proposal', 'show', run.runId]));
};

/** A proposal that is not what the template allows. */
const proposing =
  (proposal: object, document = guardedDocument(WIDE)) =>
  async () =>
    resumed(await held({ document, proposal }));

const WIDE = {
  effects: ['light_on'],
  risk_envelope: { allowed_side_effects: ['light_on'], max_affected_records: 1 },
};

/** A run in memory that waits for one person. */
async function inMemory(options: Parameters<typeof walkToGuard>[0] = {}): Promise<GuardedWalk> {
  const approvers = makeApprovers(home, ['mira', 'noor']);
  return walkToGuard({
    ctx: await makeContext({ caller: { actor: 'ada' } }),
    policy: { version: 1, approvers, rules: [rule()] },
    ...options,
  });
}

const TRIED: Record<string, () => Promise<string>> = {
  'signs the statement with a carriage return': signedText((one) => statementText(one).replace('\n', '\r\n')),
  'signs the statement with a byte order mark': signedText((one) => `\uFEFF${statementText(one)}`),
  'signs the statement with its keys in another order': signedText((one) => `${JSON.stringify(one)}\n`),
  'signs the statement with a key that is there twice': signedText((one) =>
    statementText(one).replace('{', '{"approver":"noor",'),
  ),
  'signs a statement about another step': signedText((one) => statementText({ ...one, step: 3 })),
  'signs a statement under another policy': signedText((one) =>
    statementText({ ...one, policy_digest: 'f'.repeat(64) }),
  ),
  'signs a statement that has run out': signedText((one) => statementText({ ...one, expires_at_ms: 1 })),
  'gives a signed denial as an approval': signedText((one) => statementText({ ...one, decision: 'deny' })),
  'gives the same answer twice where two people are needed': async () => {
    const run = await held({ rules: [rule('dual')] });
    const { statement, give } = await statementOf(run.runId);
    await give(statementText(statement));
    return resumed(run, await give(statementText(statement)));
  },
  'proposes under the name of another person to approve it': async () => {
    writePolicy(home, { approvers: makeApprovers(home, [ME, 'mira']), rules: [rule()] });
    const { path, digest } = await protocolFile(home, guardedDocument());
    const answers = answersFile(home, { '2.proposal': '{}', closing: 'Moved the switch and saw the light.' });
    const words = ['--trust', digest, '--answers', answers, '--actor', 'somebody-else'];
    const { objects } = await kairosJson(home, ['run', path, ...words]);
    const runId = String(objects.find(({ event }) => event === 'begun')?.run_id);
    return resumed({ runId, trust: digest }, await approve(runId, ME));
  },
  'approves its own proposal as an approver whose account is written in capitals': async () => {
    const approvers = makeApprovers(home, ['mira']).map((one) => ({ ...one, actors: [ME.toUpperCase()] }));
    writePolicy(home, { approvers: [...approvers, ...makeApprovers(home, ['noor'])], rules: [rule()] });
    const run = await runGuarded(home, guardedDocument());
    return resumed(run, await approve(run.runId));
  },
  'has both names of the policy file': resumedWith(() => {
    const other = join(home.config, 'kairos.policy.yml');
    writeFileSync(other, JSON.stringify({ version: 1, ...LAX }), { mode: 0o600 });
    return undefined;
  }),
  'puts a policy that asks for less into the project': resumedWith(() => {
    for (const folder of [home.work, home.root])
      writeFileSync(join(folder, 'kairos.policy.yaml'), JSON.stringify({ version: 1, ...LAX }), {
        mode: 0o600,
      });
    return undefined;
  }),
  'moves the configuration folder to a policy that asks for less': resumedWith(() => {
    const folder = join(home.root, 'other-config');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'kairos.policy.yaml'), JSON.stringify({ version: 1, ...LAX }), {
      mode: 0o600,
    });
    return { KAIROS_CONFIG_DIR: folder };
  }),
  'moves the home folder': resumedWith(() => {
    const other = join(home.root, 'other-home');
    mkdirSync(join(other, '.config', 'kairos'), { recursive: true, mode: 0o700 });
    const file = join(other, '.config', 'kairos', 'kairos.policy.yaml');
    writeFileSync(file, JSON.stringify({ version: 1, ...LAX }), { mode: 0o600 });
    return { HOME: other };
  }),
  'adds an effect to the proposal': proposing({
    risk_envelope: { allowed_side_effects: ['light_on', 'fire'] },
  }),
  'raises the number of records': proposing({ risk_envelope: { max_affected_records: 1000 } }),
  'removes a precondition': proposing({ preconditions: [] }),
  'proposes another rollback': proposing({ rollback_semantics: { strategy: 'command', command: 'true' } }),
  'proposes another target': proposing({ target: { ...SWITCH.target, resource_id: 'spare' } }),
  'hands over one variable twice': proposing(
    { parameters: { service: 'a', SERVICE: 'b' } },
    guardedDocument(),
  ),
  'names one thing as the target and another in its parameters': proposing(
    { parameters: { resource_id: 'spare' } },
    guardedDocument(),
  ),
  'asks for a class without a quorum': async () =>
    resumed(await held({ proposal: { approval_class: 'threshold' } })),
  'proposes a window that is over': async () =>
    resumed(
      await held({
        document: guardedDocument({ time_window: { max_duration_ms: 20_000 } }),
        proposal: { time_window: { valid_from_ms: 1, valid_until_ms: 1000, max_duration_ms: 20_000 } },
      }),
    ),
  'claims the evidence': async () => {
    const walk = await inMemory({ assurance: 'claimed', policy: { version: 1, ...LAX } });
    return JSON.stringify(await walk.propose(walk.shown.challenge!.proposal_draft));
  },
  'uses the approval of one step for the next one': async () => {
    const act = (label: string) =>
      stepOf(label, 'Move it.', {
        proof_of_work: { type: 'shell', shell: { cmd: `echo ran >> ${DONE}`, timeout_seconds: 20 } },
        proposal: SWITCH,
      });
    const look = { proof_of_work: { type: 'shell', shell: { cmd: 'test -d .', timeout_seconds: 20 } } };
    const document = `# Move it twice\n\n${stepOf('Look', 'Look.', look)}\n${act('Move')}\n${act('Move again')}\n${stepOf('Look back', 'See.', null)}`;
    const run = await held({ document, answers: { '3.proposal': '{}' } });
    await approve(run.runId);
    const [first] = (await entriesOf(home, run.runId)).filter(({ kind }) => kind === 'proposal.decided');
    await resumeGuarded(home, run.runId, run.trust);
    expect(timesRun(home)).toBe(1);
    const stdin = String(first!.data.proposal_json);
    return resumed(run, await kairos(home, ['proposal', 'submit', run.runId, '-'], { stdin }));
  },
  'carries an approved run over to another command': async () => {
    const run = await held();
    await approve(run.runId);
    const { path, digest } = await protocolFile(
      home,
      guardedDocument({}, `echo ran ran >> ${DONE}`),
      'other.md',
    );
    const answers = ['--answers', join(home.work, 'answers.yaml')];
    const words = ['resume', run.runId, '--with', path, '--trust', digest, ...answers];
    const carried = await kairosJson(home, words);
    expect(carried.code).not.toBe(0);
    return resumed({ ...run, trust: digest }, carried);
  },
  'moves an approved run away and back': async () => {
    const run = await held();
    await approve(run.runId);
    const elsewhere = join(home.root, 'elsewhere');
    mkdirSync(elsewhere);
    const words = ['resume', run.runId, '--trust', run.trust, '--answers', join(home.work, 'answers.yaml')];
    await kairos(home, [...words, '--workdir', elsewhere]);
    return resumed(run, await kairos(home, [...words, '--workdir', home.work]));
  },
  'asks again for what was denied, with another text': async () => {
    const run = await held();
    await approve(run.runId, 'noor');
    await answerWithKey(home, 'deny', run.runId, 'mira', '--reason', 'Not on a Friday.');
    const draft = JSON.parse((await kairos(home, ['proposal', 'new', run.runId])).stdout) as object;
    const again = await kairos(home, ['proposal', 'submit', run.runId, '-'], {
      stdin: JSON.stringify(draft),
    });
    const shown = await kairos(home, ['proposal', 'show', run.runId]);
    expect(shown.stdout).toMatch(/approvals +0 of 1\n/);
    return resumed(run, again, shown);
  },
  'denies with a reason of many pages': async () => {
    const run = await held();
    const reason = ['--reason', 'Not today. '.repeat(300)];
    return texts(await answerWithKey(home, 'deny', run.runId, 'mira', ...reason));
  },
  'rolls back again with the approval of a rollback that did not verify': async () => {
    const rollback = { strategy: 'command', command: `echo back >> ${DONE}`, verify: 'false' };
    const document = guardedDocument({ rollback_semantics: rollback }, `echo ran >> ${DONE}; false`);
    const run = await held({ document });
    await approve(run.runId);
    await resumeGuarded(home, run.runId, run.trust);
    const back = () => kairosJson(home, ['rollback', run.runId, '2', '--yes', '--trust', run.trust]);
    await back();
    const waiting = (await kairosJson(home, ['proposal', 'list'])).objects[0] as {
      proposals: { proposal_hash: string }[];
    };
    const hash = waiting.proposals[0]!.proposal_hash;
    await kairos(home, ['proposal', 'approve', run.runId, hash, '--key', keyOf(home, 'mira')]);
    await back();
    expect(timesRun(home)).toBe(2);
    const again = await back();
    expect([again.code, timesRun(home)]).toEqual([3, 2]);
    return texts(again, await kairosJson(home, ['proposal', 'list']));
  },
  'uses a permit in an export that was imported elsewhere': async () => {
    const run = await held();
    await approve(run.runId);
    const file = join(home.root, 'backup.jsonl');
    await kairos(home, ['store', 'export', file]);
    await resumeGuarded(home, run.runId, run.trust);
    expect(timesRun(home)).toBe(1);
    const env = { KAIROS_DATA_DIR: join(home.root, 'other-data') };
    expect((await kairos(home, ['store', 'import', file], { env })).code).toBe(0);
    const words = ['resume', run.runId, '--trust', run.trust, '--answers', join(home.work, 'answers.yaml')];
    return texts(await kairos(home, words, { env }));
  },
  'writes a permit into the record': async () => {
    const walk = await inMemory();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    const { state } = (await loadRun(walk.ctx, walk.runId))!;
    const [proposal] = [...state.gate.proposals.values()];
    const { hash, text, step, station, proposalId, actor } = proposal!;
    const permit = {
      ...{
        permit_id: 'a'.repeat(64),
        proposal_hash: hash,
        run_id: walk.runId,
        step,
        binding: 'b'.repeat(64),
      },
      ...{ valid_from_ms: 0, valid_until_ms: walk.ctx.clock() + 600_000 },
    };
    await record(walk.ctx, walk.runId, 'proposal.decided', {
      ...{
        step,
        station,
        uri: walk.uris[1]!,
        proposal_id: proposalId,
        proposal_hash: hash,
        proposal_json: text,
      },
      ...{
        decision: 'ALLOW',
        reasons: [],
        approval_class: 'single',
        approvals_needed: 1,
        approvals_given: 1,
      },
      ...{ permit, policy_digest: null, actor, rollback: false },
    });
    const answer = await walk.consume();
    expect(await walk.kinds()).not.toContain('permit.consumed');
    return JSON.stringify(answer);
  },
  'writes the use of a permit into the record': async () => {
    const walk = await inMemory();
    await walk.propose(walk.shown.challenge!.proposal_draft);
    const { state } = (await loadRun(walk.ctx, walk.runId))!;
    const [{ hash, step, station } = { hash: '', step: 2, station: 1 }] = [...state.gate.proposals.values()];
    await record(walk.ctx, walk.runId, 'permit.consumed', {
      ...{ step, station, uri: walk.uris[1]!, permit_id: 'a'.repeat(64), proposal_hash: hash },
      ...{ binding: 'b'.repeat(64), policy_digest: null, env: [], actor: 'ada', rollback: false },
    });
    const answer = await walk.consume();
    expect(JSON.stringify(answer)).not.toContain('crm-update');
    return JSON.stringify(answer);
  },
  'adds an MCP server that was missing when it was approved': async () => {
    const run = await held({ document: toolDocument() });
    await approve(run.runId);
    mkdirSync(join(home.home, '.cursor'));
    const args = ['-c', `echo ran >> ${join(home.work, DONE)}`];
    const definition = { mcpServers: { db: { command: 'sh', args } } };
    writeFileSync(join(home.home, '.cursor', 'mcp.json'), JSON.stringify(definition));
    return resumed(run);
  },
};

/** How often the command may have run before the attempt. */
const DONE_BEFORE: Readonly<Record<string, number>> = {
  'uses the approval of one step for the next one': 1,
  'uses a permit in an export that was imported elsewhere': 1,
  'rolls back again with the approval of a rollback that did not verify': 2,
};

describe('further attempts in docs/approval-attacks.md', () => {
  it('has a row for each attempt, and no other', () => {
    expect([...ROWS.keys()]).toEqual(Object.keys(TRIED));
  });

  it.each(Object.keys(TRIED))('an agent that %s', async (attempt) => {
    expect(await TRIED[attempt]!()).toContain(ROWS.get(attempt) ?? 'nothing');
    expect(timesRun(home)).toBe(DONE_BEFORE[attempt] ?? 0);
  });
});
