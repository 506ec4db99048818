import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { Approval } from '../../../src/gate/approval/statement.ts';
import type { EvidenceProof, GatedStep, GateInput, PastProposal } from '../../../src/gate/input.ts';
import { readPolicy } from '../../../src/gate/policy/read.ts';
import type { LoadedPolicy } from '../../../src/gate/policy/schema.ts';
import { loadTools, type ProofTools } from '../../../src/proof/tools.ts';
import { type ProofOfWork, proofOfWorkSchema, proposalTemplateSchema } from '../../../src/protocol/schema.ts';
import { policyChecks } from './policy-checks.ts';

/** 2024-01-13T20:01:40Z: inside the window of the specification's example. */
export const NOW = 1_705_171_300_000;
export const CHAIN_DIGEST = 'c'.repeat(64);
export const RUN_ID = '11111111-2222-4333-8444-555555555555';

const checks = await policyChecks();
/** Loaded once for all cases. */
export const tools: ProofTools = await loadTools({ patterns: true, schemas: true });

export const SHELL: ProofOfWork = proofOfWorkSchema.parse({
  type: 'shell',
  shell: { cmd: 'crm update "$KAIROS_PARAM_UPDATES"', timeout_seconds: 120 },
});

/** What a case may say instead of the ordinary. */
export interface CaseParts {
  submitted: unknown;
  template?: unknown;
  demand?: unknown;
  evidence?: EvidenceProof[];
  actor?: string;
  policy?: unknown;
  past?: PastProposal[];
  approvals?: Approval[];
  now?: number;
  step?: number;
}

export function policyOf(value: unknown): LoadedPolicy {
  const reading = readPolicy(value, checks);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.loaded;
}

/** The input of one decision; every part has a harmless default. */
export function caseOf(parts: CaseParts): GateInput {
  const gated: GatedStep = {
    runId: RUN_ID,
    step: parts.step ?? 3,
    chainDigest: CHAIN_DIGEST,
    names: { title: 'Update a contact', slug: 'update-a-contact', step: 'Update', steps: 3 },
    template: proposalTemplateSchema.parse(parts.template ?? {}),
    demand: parts.demand === undefined ? SHELL : proofOfWorkSchema.parse(parts.demand),
  };
  return {
    submitted: parts.submitted,
    gated,
    evidence: parts.evidence ?? [proof()],
    actor: parts.actor ?? 'agent-sales-001',
    policy: parts.policy === undefined || parts.policy === null ? null : policyOf(parts.policy),
    past: parts.past ?? [],
    approvals: parts.approvals ?? [],
    now: parts.now ?? NOW,
    tools,
    holdsSecret: (text) => text.includes('sk_live_'),
  };
}

/** A proof of step 1, observed a minute ago. */
export function proof(over: Partial<EvidenceProof> = {}): EvidenceProof {
  return {
    hash: 'e'.repeat(64),
    step: 1,
    type: 'mcp',
    assurance: 'observed',
    at: NOW - 60_000,
    packet: { record_exists: true, count: 3, name: 'Ada', tags: ['a', 'b'], nothing: null, deep: { x: 1 } },
    ...over,
  };
}

/** The example of the specification (seed 004, section 6), as data of its own. */
export function example(): Record<string, unknown> {
  return structuredClone(EXAMPLE);
}

const EXAMPLE = {
  proposal_id: '550e8400-e29b-41d4-a716-446655440000',
  ts_ms: 1705171200000,
  actor: 'agent-sales-001',
  action_type: 'write',
  target: {
    resource_type: 'crm_record',
    resource_id: 'contact-12345',
    domain: 'salesforce.com',
    constraints: { allowed_fields: ['email', 'phone', 'notes'], forbidden_fields: ['ssn', 'credit_card'] },
  },
  parameters: { updates: { email: 'new@example.com', notes: 'Updated via automation' } },
  preconditions: [{ field: 'record_exists', operator: 'eq', value: true, evidence_ref: 'evidence-001' }],
  risk_envelope: {
    allowed_side_effects: ['audit_log_entry'],
    forbidden_effects: ['email_notification', 'workflow_trigger'],
    max_affected_records: 1,
    reversible_required: true,
  },
  time_window: { valid_from_ms: 1705171200000, valid_until_ms: 1705171500000, max_duration_ms: 30000 },
  approval_class: 'none',
};

/** A template that sets what the example says, and supplies the rollback and the evidence. */
export function exampleTemplate(): Record<string, unknown> {
  const { action_type, target, preconditions, risk_envelope, approval_class } = example();
  return {
    action_type,
    target,
    effects: ['audit_log_entry'],
    preconditions,
    risk_envelope,
    rollback_semantics: { strategy: 'command', command: 'crm restore contact-12345', deadline_ms: 60_000 },
    time_window: { max_duration_ms: 30000 },
    approval_class,
    evidence_bindings: [{ evidence_id: 'evidence-001', ref: 'step:1', freshness_ms: 600_000 }],
  };
}

/** The Ed25519 public key line of a private key made of this text. */
export function publicKeyOfSeed(text: string): string {
  const seed = createHash('sha256').update(text).digest();
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  const type = Buffer.from('ssh-ed25519');
  const point = Buffer.from(String(x), 'base64url');
  const length = (bytes: Buffer) => Buffer.from([0, 0, 0, bytes.length]);
  return `ssh-ed25519 ${Buffer.concat([length(type), type, length(point), point]).toString('base64')}`;
}
