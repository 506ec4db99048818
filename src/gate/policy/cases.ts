import type * as z from 'zod/mini';
import type { ProofTools } from '../../proof/verdict.ts';
import { type ProofOfWork, proofOfWorkSchema, proposalTemplateSchema } from '../../protocol/schema.ts';
import { keyProblem } from '../approval/count.ts';
import type { Approval } from '../approval/statement.ts';
import { decideProposal, type GateAnswer, readCase } from '../decide.ts';
import { coveringRules } from '../effective.ts';
import { fillTemplate } from '../fill.ts';
import type { EvidenceProof, GatedStep, GateInput } from '../input.ts';
import { checkJsonValue } from '../json/read.ts';
import { completeProposal } from '../kernel-request.ts';
import { proposalHash } from '../proposal.ts';
import { readProposal } from '../reading.ts';
import {
  caseApprovalSchema,
  caseEvidenceSchema,
  caseExpectationSchema,
  type partsSchema,
  policyCaseSchema,
  policyCasesSchema,
} from './cases-schema.ts';
import { shapeProblems } from './read.ts';
import type { PolicyProblem } from './read-rules.ts';
import type { Approver, LoadedPolicy } from './schema.ts';

type CaseParts = z.infer<typeof partsSchema>;
type PolicyCase = z.infer<typeof policyCaseSchema>;

/** A file of cases after reading; every case has the defaults in it. */
export interface PolicyCases {
  policy: string | null;
  cases: PolicyCase[];
}

/** A parsed file of cases, or everything that is wrong with it. */
export function readPolicyCases(
  value: unknown,
): { ok: true; suite: PolicyCases } | { ok: false; problems: PolicyProblem[] } {
  const foreign = checkJsonValue(value);
  if (foreign.length > 0)
    return { ok: false, problems: foreign.map(({ pointer, message }) => ({ path: pointer, message })) };
  const result = policyCasesSchema.safeParse(value, { reportInput: true });
  if (!result.success)
    return { ok: false, problems: result.error.issues.flatMap((issue) => shapeProblems(issue, CASE_KEYS)) };
  const { policy = null, defaults = {}, cases } = result.data;
  const names = cases.map(({ name }) => name);
  const problems = names.flatMap((name, at) =>
    names.indexOf(name) === at
      ? []
      : [{ path: `cases.${at}.name`, message: `Another case is named ${JSON.stringify(name)}.` }],
  );
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, suite: { policy, cases: cases.map((one) => withDefaults(one, defaults)) } };
}

const CASE_KEYS = [
  policyCasesSchema,
  policyCaseSchema,
  caseEvidenceSchema,
  caseApprovalSchema,
  caseExpectationSchema,
].flatMap(({ shape }) => Object.keys(shape));

function withDefaults(one: PolicyCase, defaults: CaseParts): PolicyCase {
  const { proposal } = one;
  const merged =
    typeof defaults.proposal === 'object' && typeof proposal === 'object'
      ? completeProposal(defaults.proposal, proposal)
      : (proposal ?? defaults.proposal);
  return {
    ...defaults,
    ...one,
    ...(merged === undefined ? {} : { proposal: merged as PolicyCase['proposal'] }),
  };
}

/** What a case came to. */
export interface PolicyCaseResult {
  name: string;
  passed: boolean;
  decision: GateAnswer['decision'] | null;
  reasons: GateAnswer['reasons'];
  /** Names of the rules that cover it. */
  rules: string[];
  /** What differs from what is expected, or why the case can't be tried. */
  problems: string[];
}

/** Asks the gate about a case. `text`: the JSON of a proposal that the case names by its path. */
export function tryPolicyCase(
  one: PolicyCase,
  loaded: LoadedPolicy,
  tools: ProofTools,
  text?: string,
): PolicyCaseResult {
  const built = caseInput({ ...one, ...(text === undefined ? {} : { proposal: text }) }, loaded, tools);
  if ('problem' in built)
    return {
      name: one.name,
      passed: false,
      decision: null,
      reasons: [],
      rules: [],
      problems: [built.problem],
    };
  const { input } = built;
  const answer = decideProposal(input);
  const rules = coveringRules(readCase(input)).map(({ name }) => name);
  const problems = differences(one.expect, answer, rules);
  const { decision, reasons } = answer;
  return { name: one.name, passed: problems.length === 0, decision, reasons, rules, problems };
}

function differences(
  expected: PolicyCase['expect'],
  { decision, reasons, approvals }: GateAnswer,
  rules: readonly string[],
): string[] {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort().join(', ') || 'none';
  const compare = (what: string, wanted: string | undefined, got: string) =>
    wanted === undefined || wanted === got ? [] : [`${what}: expected ${wanted}, got ${got}`];
  return [
    ...compare('decision', expected.decision, decision),
    ...compare('codes', expected.codes && sorted(expected.codes), sorted(reasons.map(({ code }) => code))),
    ...compare('rules', expected.rules && sorted(expected.rules), sorted(rules)),
    ...compare('needed', expected.needed?.toString(), String(approvals.needed)),
    ...compare('given', expected.given?.toString(), String(approvals.given)),
  ];
}

/** The time of a case that sets none: a Monday at noon, UTC. */
const DEFAULT_NOW = '2026-01-05T12:00:00Z';
const DEFAULT_DEMAND: ProofOfWork = {
  type: 'shell',
  required: true,
  shell: { cmd: 'true', timeout_seconds: 60 },
} as ProofOfWork;
const CASE_RUN = '00000000-0000-4000-8000-000000000000';
const CASE_CHAIN = '0'.repeat(64);

/** The input of the gate for a case, or why it can't be made. Everything that a case leaves out has one fixed value. */
export function caseInput(
  parts: Omit<CaseParts, 'proposal'> & { proposal?: unknown },
  loaded: LoadedPolicy,
  tools: ProofTools,
): { input: GateInput } | { problem: string } {
  const template = proposalTemplateSchema.safeParse(parts.template ?? {});
  if (!template.success) return { problem: `template: ${issueText(template.error.issues)}` };
  const demand = proofOfWorkSchema.safeParse(parts.proof_of_work ?? DEFAULT_DEMAND);
  if (!demand.success) return { problem: `proof_of_work: ${issueText(demand.error.issues)}` };
  const now = Date.parse(parts.now ?? DEFAULT_NOW);
  const actor = parts.actor ?? 'agent';
  const gated: GatedStep = {
    runId: CASE_RUN,
    step: Math.max(0, ...(parts.evidence ?? []).map(({ step }) => step)) + 1,
    chainDigest: CASE_CHAIN,
    names: { title: '', slug: '', step: '', steps: 1 },
    template: template.data,
    demand: demand.data,
  };
  const draft = fillTemplate(template.data, demand.data, { proposalId: 'case', actor, now });
  const submitted =
    typeof parts.proposal === 'object' && parts.proposal !== null
      ? completeProposal(draft, parts.proposal as Record<string, unknown>)
      : (parts.proposal ?? draft);
  const value = readProposal(submitted, loaded, template.data).value;
  const approvals: Approval[] = [];
  for (const approval of parts.approvals ?? []) {
    const approver = loaded.policy.approvers.find(({ name }) => name === approval.approver);
    if (approver === undefined)
      return { problem: `approvals: ${JSON.stringify(approval.approver)} is not an approver of the policy` };
    if (value !== null)
      approvals.push(givenApproval(approval, approver, loaded, { gated, hash: proposalHash(value), now }));
  }
  const evidence: EvidenceProof[] = (parts.evidence ?? []).map(
    ({ step, type, assurance, at, fields }, index) => ({
      hash: String(index + 1).padStart(64, '0'),
      step,
      type,
      assurance,
      at: at === undefined ? now : Date.parse(at),
      packet: fields,
    }),
  );
  return {
    input: {
      submitted,
      gated,
      evidence,
      actor,
      policy: loaded,
      past: [],
      approvals,
      now,
      tools,
      holdsSecret: () => false,
    },
  };
}

/** An answer as if its signature had been verified. */
function givenApproval(
  { decision, via, key, at }: z.infer<typeof caseApprovalSchema>,
  approver: Approver,
  { policy, digest }: LoadedPolicy,
  about: { gated: GatedStep; hash: string; now: number },
): Approval {
  const { gated, hash, now } = about;
  const givenAt = at === undefined ? now : Date.parse(at);
  const { keys } = approver;
  const usable = keys.find((entry) => keyProblem(entry, givenAt, policy) === null);
  const entry = key === undefined ? (usable ?? keys[0]) : keys[key - 1];
  return {
    statement: {
      v: 1,
      decision,
      approver: approver.name,
      proposal_hash: hash,
      run_id: gated.runId,
      step: gated.step,
      chain_digest: gated.chainDigest,
      policy_digest: digest,
      expires_at_ms: givenAt + policy.approvals.ttl_ms,
    },
    source: via === 'terminal' ? 'terminal' : 'ssh',
    key: via === 'terminal' ? null : (entry?.key ?? null),
    by: approver.actors[0] ?? approver.name,
    givenAt,
    // Cases name no command, so there is nothing to bind.
    ...(decision === 'approve' ? { taken: true } : {}),
  };
}

function issueText(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ');
}
