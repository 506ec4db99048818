import { expect, it } from 'vitest';
import { proposalFacts, type Uncounted } from '../../src/gate/approval/count.ts';
import type { Approval } from '../../src/gate/approval/statement.ts';
import { decideProposal, readCase } from '../../src/gate/decide.ts';
import type { GatedStep, GateInput } from '../../src/gate/input.ts';
import { WHY_UNCOUNTED } from '../../src/run/wording.ts';
import { caseOf, example, exampleTemplate, NOW, publicKeyOfSeed } from './support/case.ts';

/** What an approval and a permit are for: everything that decides what will be done, and where. */
const POLICY = {
  version: 1,
  approvers: [{ name: 'ada', keys: [{ key: publicKeyOfSeed('ada') }] }],
  rules: [{ match: {}, approval_class: 'single' }],
};
const COMMAND = {
  type: 'shell',
  shell: { cmd: 'crm update', timeout_seconds: 120, env: ['CRM_URL'], workdir: 'crm' },
};
const TOOL = {
  type: 'mcp',
  mcp: { tool_name: 'crm_update', server: 'crm', arguments: example().parameters },
};

function input(demand: object, changed: Partial<GatedStep> = {}): GateInput {
  const { approval_class: _, ...template } = exampleTemplate();
  const asked = caseOf({ submitted: example(), template, demand, policy: POLICY });
  const place = { host: 'build-1', workdir: '/srv/site' };
  const variables = { TARGET_HOST: 'lb1', DB_PASSWORD: null };
  return { ...asked, gated: { ...asked.gated, place, variables, ...changed } };
}

/** An approval of this, by ada. */
function approvalOf(asked: GateInput): Approval {
  const { proposal_hash, binding } = decideProposal(asked);
  return {
    statement: {
      v: 1,
      decision: 'approve',
      approver: 'ada',
      proposal_hash: proposal_hash!,
      run_id: asked.gated.runId,
      step: asked.gated.step,
      chain_digest: asked.gated.chainDigest,
      policy_digest: asked.policy!.digest,
      binding: binding!,
      expires_at_ms: NOW + 60_000,
    },
    source: 'ssh',
    key: publicKeyOfSeed('ada'),
    by: 'os-ada',
    givenAt: NOW - 1,
  };
}

const command = (over: object) => ({ ...COMMAND.shell, ...over });
const shell = (over: object): Partial<GatedStep> => ({
  demand: { type: 'shell', shell: command({ expect_exit_code: 0, ...over }), required: true } as never,
});
const tool = (over: object): Partial<GatedStep> => ({
  demand: { type: 'mcp', mcp: { ...TOOL.mcp, ...over }, required: true } as never,
});

it.each<[string, object, Partial<GatedStep>]>([
  ['the command', COMMAND, shell({ cmd: 'crm update --all' })],
  ['the interpreter', COMMAND, shell({ interpreter: 'bash' })],
  ['the directory of the step', COMMAND, shell({ workdir: 'other' })],
  ['the environment names', COMMAND, shell({ env: ['CRM_URL', 'CRM_TOKEN'] })],
  ['fewer environment names', COMMAND, shell({ env: [] })],
  ['the value of an input', COMMAND, { variables: { TARGET_HOST: 'lb2', DB_PASSWORD: null } }],
  ['another input', COMMAND, { variables: { TARGET_HOST: 'lb1', DB_PASSWORD: null, REGION: 'eu' } }],
  ['one input less', COMMAND, { variables: { TARGET_HOST: 'lb1' } }],
  ['a secret input that is none any more', COMMAND, { variables: { TARGET_HOST: 'lb1', DB_PASSWORD: '' } }],
  ['no inputs', COMMAND, { variables: {} }],
  ['the directory of the run', COMMAND, { place: { host: 'build-1', workdir: '/srv/other' } }],
  ['the host', COMMAND, { place: { host: 'build-2', workdir: '/srv/site' } }],
  ['the tool', TOOL, tool({ tool_name: 'crm_drop' })],
  ['the server of the tool', TOOL, tool({ server: 'other' })],
])('an approval and a permit are void where this changed: %s', (_, demand, changed) => {
  const asked = input(demand);
  const approvals = [approvalOf(asked)];
  const before = decideProposal({ ...asked, approvals });
  expect(before).toMatchObject({ decision: 'ALLOW', approvals: { needed: 1, given: 1 } });

  const other = { ...input(demand, changed), approvals };
  // The tool of a KernelRequest has its own rule; here only the approval and the permit are looked at.
  const after = decideProposal(other);
  expect(after).toMatchObject({
    decision: 'HOLD',
    reasons: [],
    approvals: { needed: 1, given: 0 },
    permit: null,
  });
  const facts = proposalFacts(readCase(other), after.proposal_hash!);
  expect(facts.not_counted).toEqual([{ name: 'ada', why: 'other-place' satisfies Uncounted }]);
  expect(WHY_UNCOUNTED['other-place']).toContain('another command, variable, environment');

  // Approved again as it is now, it gets a permit, and that is another one.
  const again = decideProposal({ ...other, approvals: [approvalOf(other)] });
  expect(again.decision).toBe('ALLOW');
  expect(again.permit!.binding).not.toBe(before.permit!.binding);
});

it('the arguments of a tool and the parameters of a command are a part of the proposal, and change its hash', () => {
  for (const demand of [COMMAND, TOOL]) {
    const asked = input(demand);
    const approvals = [approvalOf(asked)];
    const submitted = { ...example(), parameters: { updates: { email: 'other@example.com' } } };
    const changed = demand === TOOL ? tool({ arguments: submitted.parameters }) : {};
    const after = decideProposal({ ...input(demand, changed), submitted, approvals });
    expect(after).toMatchObject({ decision: 'HOLD', approvals: { given: 0 } });
    expect(after.proposal_hash).not.toBe(decideProposal(asked).proposal_hash);
  }
});

it('an approval that was given before the run moved is void, and the approver reads why', () => {
  const asked = input(COMMAND);
  const approval = { ...approvalOf(asked), moved: true };
  const item = readCase({ ...asked, approvals: [approval] });
  const { proposal_hash } = decideProposal(asked);
  expect(proposalFacts(item, proposal_hash!)).toMatchObject({
    given: 0,
    approved_by: [],
    not_counted: [{ name: 'ada', why: 'moved' }],
  });
  // Given again, only the new one is read of.
  const renewed = { ...asked, approvals: [approval, approvalOf(asked)] };
  expect(proposalFacts(readCase(renewed), proposal_hash!)).toMatchObject({ given: 1, not_counted: [] });
  expect(decideProposal(renewed).decision).toBe('ALLOW');
});
