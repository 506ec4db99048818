import * as z from 'zod/mini';
import { assuranceSchema } from '../../protocol/schema.ts';
import { PROOF_TYPES } from '../../protocol/terms.ts';
import { about } from '../proposal.ts';

/** `kairos policy test`: decisions that a policy has to give. Descriptions are the hovers of editors and the reference page. */
const instant = () => z.iso.datetime({ offset: true });
const nonEmpty = () => z.string().check(z.minLength(1));
const anyObject = () => z.record(z.string(), z.json());

export const caseEvidenceSchema = z.strictObject({
  step: about(z._default(z.int().check(z.gte(1)), 1), 'Number of the step that the proof is of.'),
  type: about(z._default(z.enum(PROOF_TYPES), 'shell'), 'Type of the proof.'),
  assurance: about(z._default(assuranceSchema, 'observed'), 'What the proof is worth.'),
  at: about(z.optional(instant()), 'When it was accepted, RFC 3339. Left out: now.'),
  fields: about(
    z._default(anyObject(), { exit_code: 0 }),
    'What preconditions look up, for example exit_code and stdout.',
  ),
});

export const caseApprovalSchema = z.strictObject({
  approver: about(nonEmpty(), 'Name of an approver of the policy.'),
  decision: about(z._default(z.enum(['approve', 'deny']), 'approve'), 'The answer.'),
  via: about(z._default(z.enum(['key', 'terminal']), 'key'), 'Signed with a key, or typed at a terminal.'),
  key: about(
    z.optional(z.int().check(z.gte(1))),
    'Which of the keys of the approver: 1 is the first. Left out: the first that can be used.',
  ),
  at: about(z.optional(instant()), 'When it was given, RFC 3339. Left out: now.'),
});

export const caseExpectationSchema = z.strictObject({
  decision: about(z.enum(['ALLOW', 'HOLD', 'DENY']), 'What the gate has to decide.'),
  codes: about(
    z.optional(z.array(nonEmpty())),
    'Codes of the reasons, each once, in any order. Left out: not compared.',
  ),
  rules: about(z.optional(z.array(nonEmpty())), 'Names of the rules that have to cover it, all of them.'),
  needed: about(z.optional(z.int().check(z.gte(0))), 'How many people have to approve it.'),
  given: about(z.optional(z.int().check(z.gte(0))), 'How many of the approvals count.'),
});

const partsShape = {
  now: about(
    z.optional(instant()),
    'The instant of the decision, RFC 3339. Left out: 2026-01-05T12:00:00Z, a Monday.',
  ),
  actor: about(z.optional(nonEmpty()), 'Who submits the proposal. Left out: agent.'),
  proposal: about(
    z.optional(z.union([anyObject(), nonEmpty()])),
    'Fields of the proposal; what is left out is filled from the template. Or the path of a JSON file, which is judged unchanged.',
  ),
  template: about(
    z.optional(anyObject()),
    'The template of the step (proposal of its step block). Left out: empty.',
  ),
  proof_of_work: about(z.optional(anyObject()), 'What the step demands. Left out: a command.'),
  evidence: about(z.optional(z.array(caseEvidenceSchema)), 'Proofs of the run so far. Left out: none.'),
  approvals: about(z.optional(z.array(caseApprovalSchema)), 'Answers of approvers. Left out: none.'),
};
export const partsSchema = z.strictObject(partsShape);

export const policyCaseSchema = z.strictObject({
  name: about(nonEmpty(), 'Names what is tried.'),
  ...partsShape,
  expect: about(caseExpectationSchema, 'What the gate has to decide.'),
});

export const policyCasesSchema = z.strictObject({
  policy: about(
    z.optional(nonEmpty()),
    'Path of the policy, seen from this file. Left out: kairos.policy.yaml (or .yml) in the folder of this file.',
  ),
  defaults: about(
    z.optional(partsSchema),
    'What cases share. A case replaces it key by key; fields of proposals are merged.',
  ),
  cases: about(z.array(policyCaseSchema).check(z.minLength(1)), 'The cases, at least one.'),
});
