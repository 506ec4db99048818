import * as z from 'zod/mini';
import { canonical, sha256Hex } from '../base/canonical.ts';
import { APPROVAL_CLASSES, preconditionSchema, rollbackSchema } from '../protocol/schema.ts';
import { ACTION_TYPES } from '../protocol/terms.ts';

/**
 * A proposal, as the specification has it (seed 004, section 3). Every object is closed but the three whose keys belong to
 * others: `constraints`, `parameters` and the value of a precondition. Nothing is coerced. Only `approval_class` has a
 * default, `none`; what is given has all its fields.
 */
/** Gives a schema the description that editors and the reference show. */
export const about = <T extends z.ZodMiniType>(schema: T, description: string): T => {
  z.globalRegistry.add(schema, { description });
  return schema;
};
const nonEmpty = () => z.string().check(z.minLength(1));
const anyObject = z.record(z.string(), z.json());
/** The last instant that a date can be (ECMA-262, 21.4.1.1), in milliseconds since the epoch. */
export const LAST_INSTANT_MS = 8_640_000_000_000_000;
/** Milliseconds since the epoch. */
const milliseconds = () => z.int().check(z.gte(0), z.lte(LAST_INSTANT_MS));

export const targetSchema = z.strictObject({
  resource_type: nonEmpty(),
  resource_id: nonEmpty(),
  domain: nonEmpty(),
  constraints: anyObject,
});

export const riskEnvelopeSchema = z.strictObject({
  allowed_side_effects: z.array(nonEmpty()),
  forbidden_effects: z.array(nonEmpty()),
  /** That it is positive is V-PROP-012. */
  max_affected_records: z.int(),
  reversible_required: z.boolean(),
});

export const timeWindowSchema = z.strictObject({
  valid_from_ms: about(
    milliseconds(),
    'First instant at which it may be done, in milliseconds since the epoch.',
  ),
  valid_until_ms: about(
    milliseconds(),
    'From this instant on it may not be done, in milliseconds since the epoch.',
  ),
  max_duration_ms: z.int().check(z.gte(1)),
});

const evidenceBindingSchema = z.strictObject({
  evidence_id: nonEmpty(),
  ref: nonEmpty(),
  freshness_ms: z.optional(z.int().check(z.gte(1))),
});

export const proposalSchema = z.strictObject({
  proposal_id: about(nonEmpty(), 'Names the proposal. Another content needs another id.'),
  ts_ms: about(z.int().check(z.gte(1)), 'When it was made, in milliseconds since the epoch.'),
  actor: about(nonEmpty(), 'Who submits it: the OS user or the bearer identity.'),
  action_type: z.enum(ACTION_TYPES),
  target: targetSchema,
  parameters: about(
    z.record(z.string(), z.json()),
    'A command gets them as variables KAIROS_PARAM_NAME, a tool as its arguments.',
  ),
  preconditions: z.optional(z.array(preconditionSchema)),
  risk_envelope: z.optional(riskEnvelopeSchema),
  rollback_semantics: z.optional(rollbackSchema),
  time_window: z.optional(timeWindowSchema),
  approval_class: z.optional(z.enum(APPROVAL_CLASSES)),
  evidence_bindings: z.optional(z.array(evidenceBindingSchema)),
  /** A kairos field: the effects of the template that the step should have; all of them when omitted. */
  effects: z.optional(z.array(nonEmpty())),
});
export type Proposal = z.infer<typeof proposalSchema>;
export type ProposalField = keyof Proposal;
export type ProposalTarget = z.infer<typeof targetSchema>;
export type Precondition = z.infer<typeof preconditionSchema>;
export type RiskEnvelope = z.infer<typeof riskEnvelopeSchema>;
export type TimeWindow = z.infer<typeof timeWindowSchema>;
export type Rollback = z.infer<typeof rollbackSchema>;
export type EvidenceBinding = z.infer<typeof evidenceBindingSchema>;
export type ApprovalClass = NonNullable<Proposal['approval_class']>;

/** The fields of a proposal in the order of the schema, the required ones first. */
export const PROPOSAL_FIELDS = Object.keys(proposalSchema.shape) as ProposalField[];

/**
 * What names a proposal: SHA-256 over `"kairos.proposal.v1\n"` and its RFC 8785 text. Two spellings of one JSON value
 * are one proposal; any other value is another one.
 */
export function proposalHash(proposal: unknown): string {
  return sha256Hex(`kairos.proposal.v1\n${canonical(proposal)}`);
}

/** What names a policy: SHA-256 over `"kairos.policy.v1\n"` and the RFC 8785 text of its content, defaults filled in. */
export function policyDigest(policy: unknown): string {
  return sha256Hex(`kairos.policy.v1\n${canonical(policy)}`);
}
