import { programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { parseYaml } from '../formats/yaml.ts';
import { decideProposal } from '../gate/decide.ts';
import {
  caseInput,
  type PolicyCaseResult,
  type PolicyCases,
  readPolicyCases,
  tryPolicyCase,
} from '../gate/policy/cases.ts';
import { explainPolicy, explanationRows, type PolicyExplanation } from '../gate/policy/explain.ts';
import { asksText, asksWords } from '../gate/policy/rule-for.ts';
import type { LoadedPolicy, Policy } from '../gate/policy/schema.ts';
import { sourceName } from '../host/files/read-source.ts';
import { loadTools } from '../proof/tools.ts';
import { gateInputFor } from '../run/decide/answer.ts';
import { askGate } from '../run/decide/guard.ts';
import type { OperationContext } from './context.ts';
import { proposalOf } from './proposals.ts';
import { gateEnvOf } from './run/gate-env.ts';

/** A policy with the explanation of its decision; `rows` is the explanation for people. */
export interface ExplainedPolicy {
  policy: LoadedPolicy | null;
  explanation: PolicyExplanation;
  rows: [label: string, text: string][];
}

/**
 * Explains how the policy decides on a proposal of a run: by its hash, else the newest. Of a used one, how it was decided when its
 * permit was given. Throws NOT_FOUND.
 */
export async function explainProposal(
  ctx: OperationContext,
  runId: string,
  hash: string | undefined,
): Promise<ExplainedPolicy> {
  const { state, proposal } = await proposalOf(ctx, runId, hash);
  const gate = await gateEnvOf(ctx, state);
  const input = gateInputFor(state, proposal, gate, ctx.clock());
  if (input !== null && proposal.used && proposal.permit !== null) {
    const { decision, approvals, permit } = proposal;
    const then = { ...input, now: permit.valid_from_ms };
    const answer = { ...decideProposal(then), decision, approvals, reasons: [] };
    const { rows, ...rest } = explained(gate.policy, explainPolicy(then, answer));
    return { ...rest, rows: [...rows, ['used', 'its permit was used, so this is how it was decided then']] };
  }
  if (input === null)
    throw new KairosError('NOT_FOUND', `run ${runId} has no such proposal that could still be used`, {
      hint: `See its proposals with: ${ctx.commandLine(['proposal', 'list', runId])}`,
    });
  return explained(gate.policy, explainPolicy(input, askGate(input, gate)));
}

/** An action without a proposal. */
export interface ActionCase {
  action: string;
  resourceType: string;
  resourceId: string;
  domain: string;
  actor: string;
  effects: string[];
  /** Milliseconds since the epoch. */
  at: number;
}

/** Explains how a policy decides on an action, with all evidence given. Throws INVALID_INPUT. */
export async function explainAction(
  policy: LoadedPolicy,
  { action, resourceType, resourceId, domain, actor, effects, at }: ActionCase,
): Promise<ExplainedPolicy> {
  const parts = {
    now: new Date(at).toISOString(),
    actor,
    template: { effects },
    proposal: {
      action_type: action,
      target: { resource_type: resourceType, resource_id: resourceId, domain, constraints: {} },
      preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
    },
    evidence: [{ step: 1, type: 'shell' as const, assurance: 'attested' as const, fields: { exit_code: 0 } }],
  };
  const built = caseInput(parts, policy, await loadTools({ patterns: true, schemas: true }));
  if ('problem' in built)
    throw new KairosError('INVALID_INPUT', built.problem, { hint: 'Correct the options of the action.' });
  return explained(policy, explainPolicy(built.input));
}

function explained(policy: LoadedPolicy | null, explanation: PolicyExplanation): ExplainedPolicy {
  return { policy, explanation, rows: explanationRows(explanation) };
}

/** Reads a file of policy cases. Throws INVALID_INPUT with every problem. */
export function readCases(file: string, text: string): PolicyCases {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (cause) {
    throw new KairosError('INVALID_INPUT', `${sourceName(file)} can't be read: ${(cause as Error).message}`, {
      hint: 'Correct the YAML.',
      cause,
    });
  }
  const reading = readPolicyCases(value);
  if (reading.ok) return reading.suite;
  throw new KairosError(
    'INVALID_INPUT',
    `${sourceName(file)} can't be used: ${reading.problems.map(({ path, message }) => `\n  ${path || 'file'}: ${message}`).join('')}`,
    { hint: `${programName()} schema policy-cases prints what a file of cases may contain.` },
  );
}

/** Asks the gate about each case of a suite. `readProposal` reads the file of a proposal that a case names. */
export async function tryCases(
  { cases }: PolicyCases,
  policy: LoadedPolicy,
  readProposal: (name: string) => Promise<string>,
): Promise<{ results: PolicyCaseResult[]; untested: string[] }> {
  const tools = await loadTools({ patterns: true, schemas: true });
  const results: PolicyCaseResult[] = [];
  for (const one of cases) {
    const text = typeof one.proposal === 'string' ? await readProposal(one.proposal) : undefined;
    results.push(tryPolicyCase(one, policy, tools, text));
  }
  const reached = new Set(results.flatMap(({ rules }) => rules));
  const untested = policy.policy.rules.map(({ name }) => name).filter((name) => !reached.has(name));
  return { results, untested };
}

/** Each rule of a policy with the approvals that it asks for, for people. */
export function ruleRows({ rules }: Policy): string[] {
  return rules.map((rule) => `${rule.name}: ${asksWords(asksText(rule))}`);
}
