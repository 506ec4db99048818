import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { canonical, sha256Hex } from '../../src/base/canonical.ts';
import type { ProposeOutput } from '../../src/operations/propose.ts';
import { attestedFindings } from '../../src/operations/verify-beside.ts';
import {
  answerWithKey,
  entriesOf,
  guardedDocument,
  keyOf,
  ME,
  makeApprovers,
  resumeGuarded,
  runGuarded,
  timesRun,
  writePolicy,
} from '../gate/support/cli.ts';
import { serveToGuard } from '../gate/support/served.ts';
import { FAKES_PATH, loadWalks } from '../protocols/walk-data.ts';
import { type CliHome, kairos, kairosJson, makeHome, SPAWNS } from '../support/cli.ts';
import { answer, openKairos } from '../support/kairos-terminal.ts';
import { closeTerminals } from '../support/pty.ts';
import { answersFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

const rules = (approval_class: string, more: object = {}) => [
  { match: { action_types: ['write'] }, approval_class, ...more },
];
const approve = (runId: string, name: string) => answerWithKey(home, 'approve', runId, name);

describe('kairos proposal', () => {
  it('makes, validates, submits, shows and lists a proposal, and answers to it from other processes', async () => {
    const approvers = makeApprovers(home, ['mira', 'noor']);
    writePolicy(home, { approvers, rules: rules('dual') });
    const held = await runGuarded(home, guardedDocument());
    expect(held.code).toBe(3);
    const { runId, trust } = held;
    expect(held.objects.at(-1)?.reason).toContain(`kairos proposal approve ${runId}`);

    // A hold is in the ledger and nowhere else: every call here is another process.
    const fresh = await kairos(home, ['proposal', 'new', runId]);
    const draft = JSON.parse(fresh.stdout);
    expect(draft).toMatchObject({ actor: ME, action_type: 'write', target: { resource_id: 'main' } });
    const judged = (text: string) => kairosJson(home, ['proposal', 'validate', runId, '-'], { stdin: text });
    expect(await judged(fresh.stdout)).toMatchObject({
      code: 0,
      objects: [{ decision: 'HOLD', reasons: [] }],
    });
    const lowered = await judged(JSON.stringify({ ...draft, action_type: 'read', sudo: 1 }));
    expect(lowered.code).toBe(1);
    expect((lowered.objects[0] as unknown as ProposeOutput).reasons?.map(({ code }) => code)).toEqual([
      'K-PROP-106',
      'K-PROP-112',
      'K-PROP-131',
    ]);
    const [{ proposals }] = (await kairosJson(home, ['proposal', 'list', runId])).objects as [
      { proposals: { proposal_hash: string; decision: string }[] },
    ];
    expect(proposals).toHaveLength(1);

    expect((await approve(runId, 'mira')).code).toBe(0);
    expect((await kairosJson(home, ['proposal', 'submit', runId])).objects[0]).toMatchObject({
      decision: 'HOLD',
      approvals: { needed: 2, given: 1 },
    });
    expect((await resumeGuarded(home, runId, trust)).code).toBe(3);
    expect((await approve(runId, 'noor')).code).toBe(0);
    expect((await kairosJson(home, ['proposal', 'show', runId])).objects[0]).toMatchObject({
      decision: 'HOLD',
      answers: [
        { approver: 'mira', decision: 'approve', source: 'ssh' },
        { approver: 'noor', decision: 'approve', source: 'ssh' },
      ],
    });
    expect(timesRun(home)).toBe(0);
    expect((await resumeGuarded(home, runId, trust)).code).toBe(0);
    expect(timesRun(home)).toBe(1);
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
    const shown = (await kairos(home, ['runs', 'show', runId, '--entries'])).stdout;
    expect(shown).toContain('step 2 "Move" approved by mira (signed)');
    expect(shown).toContain('effects unverified');

    const attested = await kairos(home, ['attestation', runId, '--format', 'statement']);
    const { predicate } = JSON.parse(attested.stdout) as {
      predicate: { policies: { digest: string }[]; approvals: Record<string, string>[] };
    };
    expect(predicate).toMatchObject({
      policies: [
        { digest: expect.stringMatching(/^[0-9a-f]{64}$/), origin: expect.stringMatching(/policy/) },
      ],
      approvals: [
        { step: 2, decision: 'approve', approver: 'mira', source: 'ssh' },
        { step: 2, decision: 'approve', approver: 'noor', source: 'ssh' },
      ],
    });
    const schema = JSON.parse((await kairos(home, ['schema', 'run-attestation'])).stdout) as object;
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect([validate(predicate), validate.errors]).toEqual([true, null]);
    await kairos(home, ['attestation', runId, '--out', 'run.dsse.json']);
    expect(await kairos(home, ['verify', 'run.dsse.json'])).toMatchObject({ code: 0 });
    const [, noor] = predicate.approvals;
    expect(attestedFindings(runId, [predicate.approvals[0]!, { ...noor!, approver: 'mira' }])).toMatchObject([
      { code: 'approval-invalid', message: 'Approval 2 of the attestation differs from its statement.' },
    ]);
    const swapped = { ...noor!, signature: predicate.approvals[0]!.signature! };
    expect(attestedFindings(runId, [swapped]).map(({ message }) => message)).toEqual([
      'Approval 1 of the attestation is not signed by the key that it names.',
    ]);
  });

  it('is ended by one denial, after any approvals', async () => {
    const approvers = makeApprovers(home, ['mira', 'noor']);
    writePolicy(home, { approvers, rules: rules('single') });
    const { runId, trust } = await runGuarded(home, guardedDocument());
    await approve(runId, 'mira');
    expect((await answerWithKey(home, 'deny', runId, 'noor')).code).toBe(0);
    const resumed = await resumeGuarded(home, runId, trust);
    expect(resumed.code).toBe(1);
    expect(JSON.stringify(resumed.objects)).toContain('K-PROP-140');
    expect(timesRun(home)).toBe(0);
    // What was denied takes no approval, neither a new one nor one that was typed; nothing is added to the record.
    const given = async () =>
      (await entriesOf(home, runId)).filter(({ kind }) => kind === 'approval.given').length;
    expect(await given()).toBe(2);
    expect(await approve(runId, 'mira')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be approved: it was denied'),
    });
    const again = await answerWithKey(home, 'deny', runId, 'noor', '--json');
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('has denied it already') });
    expect(await given()).toBe(2);
  });

  it('counts approvals at the time of showing, after any changes', async () => {
    const approvers = makeApprovers(home, ['mira', 'noor']);
    writePolicy(home, { approvers, rules: rules('dual') });
    const { runId } = await runGuarded(home, guardedDocument());
    const policy = ['--policy', join(home.config, 'kairos.policy.yaml')];
    const show = async () => (await kairosJson(home, ['proposal', 'show', runId, ...policy])).objects[0];
    expect(await show()).toMatchObject({ approvals: { needed: 2, given: 0 }, now: { decision: 'HOLD' } });

    expect((await approve(runId, 'mira')).stdout).toContain('until');
    expect(await show()).toMatchObject({ decision: 'HOLD', approvals: { needed: 2, given: 1 } });
    await approve(runId, 'noor');
    expect(await show()).toMatchObject({
      decision: 'HOLD',
      approvals: { needed: 2, given: 2 },
      now: { decision: 'ALLOW', reasons: [] },
    });
    expect((await kairos(home, ['proposal', 'show', runId, ...policy])).stdout).toMatch(
      /now +ALLOW\napprovals +2 of 2/,
    );

    // Approvals are bound to the policy that they were given under.
    writePolicy(home, { approvers, rules: rules('single') });
    expect(await show()).toMatchObject({ approvals: { needed: 1, given: 0 }, now: { decision: 'HOLD' } });

    const denied = await answerWithKey(home, 'deny', runId, 'noor');
    expect(denied.stdout).toMatch(/^denied by +noor\nproposal +[0-9a-f]{64}\s*$/m);
    expect(denied.stdout.split('denied by')[1]).not.toContain('until');
    expect(await show()).toMatchObject({
      decision: 'HOLD',
      now: { decision: 'DENY', reasons: [{ code: 'K-PROP-140' }] },
    });
    const shown = (await kairos(home, ['proposal', 'show', runId, ...policy])).stdout;
    expect(shown).toMatch(/now +DENY\n +K-PROP-140 It was denied by noor\./);
    expect(shown).toMatch(/deny +noor \(ssh\)\n/);

    // It can be read where nothing can be counted.
    chmodSync(join(home.config, 'kairos.policy.yaml'), 0o666);
    const unusable = await kairosJson(home, ['proposal', 'show', runId, ...policy]);
    expect(unusable).toMatchObject({ code: 0, objects: [{ approvals: { needed: 2, given: 0 }, now: null }] });
  });

  it('shows the proposal that counts without a name: the one submitted last', async () => {
    const approvers = makeApprovers(home, ['mira']);
    writePolicy(home, { approvers, rules: rules('single') });
    const { runId } = await runGuarded(home, guardedDocument());
    const draft = JSON.parse((await kairos(home, ['proposal', 'new', runId])).stdout);
    const submit = (proposal: object) =>
      kairosJson(home, ['proposal', 'submit', runId, '-'], { stdin: JSON.stringify(proposal) });
    for (const proposal of [draft, { ...draft, proposal_id: 'other' }, draft]) await submit(proposal);
    expect((await kairosJson(home, ['proposal', 'show', runId])).objects[0]).toMatchObject({
      proposal: { proposal_id: draft.proposal_id },
    });
  });

  it('accepts a statement that was signed elsewhere with ssh-keygen, and rejects a changed one', async () => {
    const approvers = makeApprovers(home, ['mira']);
    writePolicy(home, { approvers, rules: rules('single') });
    const { runId } = await runGuarded(home, guardedDocument());
    const entries = await entriesOf(home, runId);
    const { proposal_hash } = entries.findLast(({ kind }) => kind === 'proposal.decided')!.data;
    const { digest } = entries[0]!.data;
    const [{ digest: policy_digest }] = (await kairosJson(home, ['proposal', 'policy', 'check'])).objects as [
      { digest: string },
    ];
    const [shown] = (await kairosJson(home, ['proposal', 'show', runId])).objects as [
      { screen: { binding: string } },
    ];
    const { statementText } = await import('../../src/gate/approval/statement.ts');
    const { execFileSync } = await import('node:child_process');
    const statement = statementText({
      v: 1,
      decision: 'approve',
      approver: 'mira',
      proposal_hash: String(proposal_hash),
      run_id: runId,
      step: 2,
      chain_digest: String(digest),
      policy_digest,
      binding: String(shown.screen.binding),
      expires_at_ms: Date.now() + 600_000,
    });
    const file = join(home.work, 'statement.json');
    writeFileSync(file, statement);
    execFileSync('ssh-keygen', [
      '-q',
      '-Y',
      'sign',
      '-n',
      'kairos-approval',
      '-f',
      keyOf(home, 'mira'),
      file,
    ]);
    const given = ['proposal', 'approve', runId, '--statement', file, '--signature', `${file}.sig`];
    writeFileSync(file, statement.replace('"step":2', '"step":3'));
    expect((await kairos(home, given)).code).not.toBe(0);
    writeFileSync(file, statement);
    expect(await kairos(home, ['proposal', 'deny', ...given.slice(2)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the statement's decision is approve, not deny"),
    });
    expect(await kairos(home, given)).toMatchObject({ code: 0 });
    expect((await kairosJson(home, ['proposal', 'submit', runId])).objects[0]).toMatchObject({
      decision: 'ALLOW',
    });
  });
});

it('kairos run keeps the fields of the draft next to a given one', async () => {
  const { code, objects } = await runGuarded(
    home,
    guardedDocument({ risk_envelope: { max_affected_records: 1 } }),
    {
      '2.proposal': JSON.stringify({
        target: { constraints: {} },
        risk_envelope: { reversible_required: false },
      }),
    },
  );
  expect([code, timesRun(home)]).toEqual([0, 1]);
  const { proposal_json } = (await entriesOf(home, String(objects[0]?.run_id))).find(
    ({ kind }) => kind === 'proposal.decided',
  )!.data;
  expect(JSON.parse(String(proposal_json))).toMatchObject({
    target: { resource_id: 'main', domain: 'house.example', constraints: {} },
    risk_envelope: { max_affected_records: 1, reversible_required: false, allowed_side_effects: [] },
  });
});

describe('the one who proposed', () => {
  it.runIf(SPAWNS)(
    'cannot approve it: not with a key, not by typing, not on a terminal, not for a dual step',
    async () => {
      const approvers = makeApprovers(home, [ME]);
      writePolicy(home, {
        approvers: [...approvers, { name: 'mira', actors: ['mira'] }],
        approvals: { terminal: true },
        rules: rules('single'),
      });
      const { runId, trust } = await runGuarded(home, guardedDocument());
      const byKey = await approve(runId, ME);
      expect(byKey).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot approve') });
      const typed = await kairos(home, ['proposal', 'approve', runId], { stdin: 'approve\n' });
      expect(typed).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot approve') });
      const terminal = openKairos(home, ['proposal', 'approve', runId]);
      await terminal.waitFor('cannot approve');
      expect((await terminal.exit).exitCode).toBe(2);
      expect((await resumeGuarded(home, runId, trust)).code).toBe(3);
      expect((await entriesOf(home, runId)).some(({ kind }) => kind === 'approval.given')).toBe(false);
      expect(timesRun(home)).toBe(0);
    },
  );
});

describe.runIf(SPAWNS && process.platform !== 'win32')('an approval at a terminal', () => {
  /** An agent with a name of its own proposes over HTTP; whoever sits at this machine is asked. */
  async function heldForAgent(policy: object) {
    writePolicy(home, { approvers: [{ name: 'owner', actors: [ME] }], ...policy });
    const { guard, close } = await serveToGuard(home, guardedDocument(), 'sdk-1', 'agent-x');
    expect(await guard.propose(guard.draft)).toMatchObject({
      decision: 'HOLD',
      next_action: `ask the user for approval, then call kairos_propose with ${guard.uri}; run_id ${guard.run_id}`,
    });
    return { guard, close };
  }

  it('counts for a single step, from a person who has seen it and types the word', async () => {
    const { guard, close } = await heldForAgent({ approvals: { terminal: true }, rules: rules('single') });
    // No terminal, no approval: a pipe has no person at its end.
    const piped = await kairos(home, ['proposal', 'approve', guard.run_id], { stdin: 'approve\n' });
    expect(piped).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no terminal is available, and --key is missing'),
    });
    const dumb = openKairos(home, ['proposal', 'approve', guard.run_id]);
    await answer(dumb, 'Do you approve this proposal?', 'yes');
    await dumb.waitFor(/approve/);
    // The colours of the screen are colours.
    expect(dumb.screen()).not.toContain(String.raw`\x1b`);
    dumb.send('\x03');
    await dumb.exit;
    expect(await guard.propose()).toMatchObject({ decision: 'HOLD' });

    const terminal = openKairos(home, ['proposal', 'approve', guard.run_id], { env: { TERM: 'dumb' } });
    await terminal.waitFor('switch main in house.example');
    await answer(terminal, 'Do you approve this proposal?', 'approve');
    expect((await terminal.exit).exitCode).toBe(0);
    expect(await guard.propose()).toMatchObject({ decision: 'ALLOW', approvals: { needed: 1, given: 1 } });
    expect(await guard.next()).toMatchObject({
      protocol_status: 'completed',
      proof_hash: expect.any(String),
    });
    expect(timesRun(home)).toBe(1);
    await close();
  });

  it.each([
    ['a dual step', { approvals: { terminal: true }, rules: rules('dual') }],
    ['a policy that does not permit it', { rules: rules('single') }],
  ])('does not count for %s', async (_, policy) => {
    const second = { approvers: [{ name: 'owner', actors: [ME] }, ...makeApprovers(home, ['mira', 'noor'])] };
    const { guard, close } = await heldForAgent({ ...policy, ...second });
    const terminal = openKairos(home, ['proposal', 'approve', guard.run_id]);
    await terminal.waitFor('does not count');
    expect((await terminal.exit).exitCode).toBe(2);
    expect(await guard.propose()).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
    await close();
  });
});

describe('retire-service', () => {
  it('runs with kairos run to its seal, with an approval from another process at each hold', async () => {
    const walk = loadWalks()['retire-service']!;
    const examples = join(import.meta.dirname, '../../docs/examples/retire-service/kairos.policy.yaml');
    const { version: _, ...policy } = parse(readFileSync(examples, 'utf8'));
    writePolicy(home, { ...policy, approvers: makeApprovers(home, ['mira', 'noor', 'otis']) });
    const protocol = join(import.meta.dirname, '../../protocols/retire-service.md');
    const env = { PATH: FAKES_PATH };
    const inputs = Object.entries(walk.inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`]);
    const asked = await kairosJson(home, ['run', protocol, ...inputs, '--no-input', '--yes'], { env });
    const { questions } = asked.objects[0] as {
      questions: { id: string; message: string; phrase?: string }[];
    };
    const trust = /--trust ([0-9a-f]{64})/.exec(questions.find(({ id }) => id === 'trust')!.message)![1]!;
    const answers = Object.fromEntries(
      questions
        .filter(({ id }) => id !== 'trust')
        .map(({ id, phrase }) => {
          const step = walk.steps[id.split('.')[0]!];
          if (id.endsWith('.proposal')) return [id, JSON.stringify(step!.proposal)];
          return [id, phrase ?? (id === 'closing' ? walk.closing : step!.comment)];
        }),
    );
    const given = ['--trust', trust, '--answers', answersFile(home, answers)];
    let run = await kairosJson(home, ['run', protocol, ...inputs, ...given], { env });
    const runId = String(run.objects[0]?.run_id);
    const waited: number[] = [];
    for (const people of [['otis'], ['mira', 'noor'], ['noor', 'otis']]) {
      expect(run.code).toBe(3);
      for (const name of people) expect((await approve(runId, name)).code).toBe(0);
      // The approved proposal is used: nobody is asked for another.
      const left = await kairosJson(home, ['resume', runId, '--no-input'], { env });
      const [{ questions: open }] = left.objects as [{ questions: { id: string }[] }];
      const proposals = open.map(({ id }) => id).filter((id) => id.endsWith('.proposal'));
      waited.push(proposals.length);
      run = await kairosJson(home, ['resume', runId, ...given], { env });
    }
    expect(waited).toEqual([2, 1, 0]);
    expect(run.objects.at(-1)).toMatchObject({
      event: 'sealed',
      outcome: 'success',
      assurance: { observed: 5 },
      verified: 'whole',
    });
  });
});

describe('marks of used permits', () => {
  /** A run whose permit is there and unused. */
  async function permitted() {
    writePolicy(home, { approvers: makeApprovers(home, ['mira']), rules: rules('single') });
    const run = await runGuarded(home, guardedDocument());
    await approve(run.runId, 'mira');
    return run;
  }

  it.skipIf(SPAWNS)('refuse a permit that was used, and a new proposal leads on', async () => {
    const { runId, trust } = await permitted();
    const hash = (await kairosJson(home, ['proposal', 'show', runId])).objects[0]!.proposal_hash;
    const folder = join(home.home, '.local/state/kairos/used-permits');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const use = { run_id: runId, step: 2, proposal_hash: hash, rollback: false };
    writeFileSync(join(folder, sha256Hex(canonical(use))), '');

    const refused = await resumeGuarded(home, runId, trust);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('was used before');
    const again = await resumeGuarded(home, runId, trust);
    expect(again.code).not.toBe(0);
    expect(timesRun(home)).toBe(0);

    const { stdout } = await kairos(home, ['proposal', 'new', runId]);
    await kairos(home, ['proposal', 'submit', runId, '-'], { stdin: stdout });
    expect((await approve(runId, 'mira')).code).toBe(0);
    expect((await resumeGuarded(home, runId, trust)).code).toBe(0);
    expect(timesRun(home)).toBe(1);
  });

  it.skipIf(SPAWNS)('must be possible before a permit is used', async () => {
    const { runId, trust } = await permitted();
    const obstacle = join(home.home, '.local');
    rmSync(obstacle, { recursive: true, force: true });
    writeFileSync(obstacle, '');
    const refused = await resumeGuarded(home, runId, trust);
    expect(refused.stderr).toContain('FILE_UNWRITABLE');
    expect(refused.stderr).toContain('The permit is unused.');
    expect(timesRun(home)).toBe(0);
    expect((await entriesOf(home, runId)).map(({ kind }) => kind)).not.toContain('permit.consumed');

    rmSync(obstacle);
    expect((await resumeGuarded(home, runId, trust)).code).toBe(0);
    expect(timesRun(home)).toBe(1);
  });
});
