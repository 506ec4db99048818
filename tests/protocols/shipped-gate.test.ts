import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { statementText } from '../../src/gate/approval/statement.ts';
import { decideProposal } from '../../src/gate/decide.ts';
import { readPolicy } from '../../src/gate/policy/read.ts';
import { signApproval } from '../../src/host/ssh/sign.ts';
import { approvable, giveApproval, statementFor } from '../../src/operations/approve.ts';
import { type AttestInput, type AttestOutput, attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { propose } from '../../src/operations/propose.ts';
import { toContent } from '../../src/protocol/identity.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { caseOf, proof } from '../gate/support/case.ts';
import { policyChecks } from '../gate/support/policy-checks.ts';
import { as, makeContext } from '../support/context.ts';
import { makeSshKey } from '../support/ssh-key.ts';
import { walkLiterally } from '../support/walker.ts';
import { runShell, type ShellOutcome } from './run-step.ts';
import { chainOf, loadShipped } from './shipped.ts';
import { FAKES_PATH, loadWalks, prepareDirectory } from './walk-data.ts';

/** The protocol that uses every class of approval, with the policy and the proposals of docs/examples. */
const EXAMPLES = join(import.meta.dirname, '../../docs/examples/retire-service');
const protocol = (await loadShipped()).find(({ name }) => name === 'retire-service')!;
const walk = loadWalks()['retire-service']!;
const { steps } = toContent(chainOf(protocol));
const policyText = readFileSync(join(EXAMPLES, 'kairos.policy.yaml'), 'utf8');
const PEOPLE = ['mira', 'noor', 'otis'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-shipped-gate-'));
  for (const name of PEOPLE) makeSshKey(join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The example policy with keys that somebody has. */
const checks = await policyChecks();

function policyWithKeys() {
  const policy = parse(policyText);
  for (const approver of policy.approvers)
    approver.keys = [{ key: readFileSync(join(folder, `${approver.name}.pub`), 'utf8').trim() }];
  const reading = readPolicy(policy, checks);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.loaded;
}

it('uses each class once', () => {
  expect(steps.flatMap(({ block }) => block?.proposal?.approval_class ?? [])).toEqual([
    'none',
    'single',
    'dual',
    'threshold',
  ]);
});

describe('the proposals next to the policy', () => {
  test.each([
    ['write-down', 2, 'ALLOW', 0],
    ['take-down', 3, 'HOLD', 1],
    ['delete-deployment', 4, 'HOLD', 2],
    ['delete-data', 5, 'HOLD', 2],
  ])('%s: step %i gets %s, %i approvals needed', (name, step, decision, needed) => {
    const block = steps[step - 1]!.block!;
    const now = 1_767_225_600_000;
    const input = caseOf({
      submitted: readFileSync(join(EXAMPLES, `${name}.proposal.json`), 'utf8'),
      template: block.proposal,
      demand: block.proof_of_work,
      policy: parse(policyText),
      actor: 'agent-ops',
      step,
      now,
      evidence: [1, 2, 3, 4].map((at) =>
        proof({ step: at, type: 'shell', at: now - 1000, packet: { exit_code: 0, stdout: '' } }),
      ),
    });
    expect(decideProposal(input)).toMatchObject({ decision, reasons: [], approvals: { needed, given: 0 } });
    const without = { ...input, evidence: [] };
    expect(decideProposal(without).reasons.map(({ code }) => code)).toContain('V-PROP-013');
  });
});

it('can be rolled back by the commands that it names, and verifies it', async () => {
  const directory = await prepareDirectory(walk);
  try {
    const [, written] = steps.map(({ block }) => block?.proof_of_work);
    if (written?.type !== 'shell') throw new Error('the state is written by a command');
    const at = (cmd: string) =>
      runShell({ ...written, shell: { ...written.shell, cmd } }, directory, walk, FAKES_PATH);
    const ways = steps.flatMap(({ block }) => block?.proposal?.rollback_semantics ?? []);
    expect(ways.map(({ strategy }) => strategy)).toEqual(['command', 'command', 'manual']);
    for (const { command } of ways)
      if (command !== undefined) expect((await at(command)).exit_code).not.toBe(0);
    await at(written.shell.cmd);
    for (const { command, verify } of ways) {
      if (command !== undefined) expect(await at(command)).toMatchObject({ exit_code: 0 });
      if (verify !== undefined) expect(await at(verify)).toMatchObject({ exit_code: 0 });
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it('is sealed by a literal agent, which asks people when required; its commands really run', async () => {
  const ctx = await makeContext({ caller: { actor: 'agent-ops' } });
  const loaded = policyWithKeys();
  ctx.policy = async () => loaded;
  const { items } = await mint(ctx, { markdown_doc: protocol.source });
  const directory = await prepareDirectory(walk);
  const asked: string[] = [];
  try {
    const shells: ShellOutcome[] = [];
    for (const { block } of steps) {
      const demand = block?.proof_of_work;
      if (demand?.type === 'shell') shells.push(await runShell(demand, directory, walk, FAKES_PATH));
    }
    const proposals = Object.values(walk.steps).flatMap(({ proposal }) => proposal ?? []);
    const walked = await walkLiterally(
      {
        begin: async (input) => (await begin(ctx, { ...input, inputs: walk.inputs })) as RunFields,
        next: (input) => {
          const { type } = (input.solution ?? {}) as { type?: string };
          return next(ctx, input, { assurance: type === 'shell' ? 'observed' : 'client' });
        },
        attest: (input) => attest(ctx, input as AttestInput),
        propose: (input) => propose(ctx, input),
      },
      items[0]!.uri,
      {
        convention: 'as-told',
        complete: (draft) => ({ ...draft, ...proposals.shift() }),
        approve: async (answer) => {
          const subject = await approvable(ctx, answer.run_id!);
          const name = PEOPLE.find(
            (person) =>
              !subject.state.gate.approvals.some(
                ({ statement }) =>
                  statement.approver === person && statement.proposal_hash === subject.proposal.hash,
              ),
          )!;
          asked.push(`${subject.proposal.step} ${name}`);
          const statement = statementFor(subject, name, 'approve', ctx.clock());
          const signature = await signApproval(statement, join(folder, name));
          await giveApproval(as(ctx, { actor: name }), subject, statementText(statement), signature);
        },
        solve: (challenge) =>
          challenge.type === 'shell'
            ? { type: 'shell', shell: shells.shift() }
            : { type: 'comment', comment: { text: walk.steps['6']!.comment } },
      },
    );
    expect(asked).toEqual(['3 mira', '4 mira', '4 noor', '5 mira', '5 noor']);
    const sealed = walked.answers.at(-1) as AttestOutput;
    expect(sealed).toMatchObject({ next_action: null, total_rated: 1, assurance: { observed: 5 } });
    const [first] = sealed.results!;
    expect(first).toMatchObject({ outcome: 'success' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
