import { actionType } from './action-type.ts';
import { actor } from './actor.ts';
import { actorIdentity } from './actor-identity.ts';
import { actorPermitted } from './actor-permitted.ts';
import { affectedRecords } from './affected-records.ts';
import { approvalsPossible } from './approvals-possible.ts';
import { classLowered } from './class-lowered.ts';
import { constraintHolds } from './constraint-holds.ts';
import { constraintKnown } from './constraint-known.ts';
import { covered } from './covered.ts';
import { customNeedsPolicy } from './custom-needs-policy.ts';
import { durationEnforceable } from './duration-enforceable.ts';
import { effectsDisjoint } from './effects-disjoint.ts';
import { effectsEnclosed } from './effects-enclosed.ts';
import { effectsPermitted } from './effects-permitted.ts';
import { effectsWidened } from './effects-widened.ts';
import { evidence } from './evidence.ts';
import { fieldsAllowed } from './fields-allowed.ts';
import { fromTheFuture } from './from-the-future.ts';
import { optionalField } from './optional-field.ts';
import { parameters } from './parameters.ts';
import { parametersCarried } from './parameters-carried.ts';
import { parametersSchema } from './parameters-schema.ts';
import { preconditionHolds } from './precondition-holds.ts';
import { preconditionsKept } from './preconditions-kept.ts';
import { proposalId } from './proposal-id.ts';
import { proposalReused } from './proposal-reused.ts';
import { resourceCarried } from './resource-carried.ts';
import { reversible } from './reversible.ts';
import { rollbackFixed } from './rollback-fixed.ts';
import type { Rule } from './rule.ts';
import { secretFree } from './secret-free.ts';
import { somethingSpeaksForIt } from './something-speaks-for-it.ts';
import { target } from './target.ts';
import { templateEqual } from './template-equal.ts';
import { toolOfStep } from './tool-of-step.ts';
import { tsMs } from './ts-ms.ts';
import { unknownField } from './unknown-field.ts';
import { windowOpen } from './window-open.ts';
import { windowOrder } from './window-order.ts';

/** Every rule, in the order in which violations are told. Reading (K-PROP-100 to 105, 108) comes before them. */
export const RULES: readonly Rule[] = [
  unknownField,
  optionalField,
  actorIdentity,
  proposalId,
  tsMs,
  actor,
  actionType,
  target,
  parameters,
  windowOpen,
  windowOrder,
  affectedRecords,
  evidence,
  approvalsPossible,
  proposalReused,
  fromTheFuture,
  templateEqual,
  effectsWidened,
  preconditionsKept,
  rollbackFixed,
  classLowered,
  parametersSchema,
  parametersCarried,
  resourceCarried,
  toolOfStep,
  secretFree,
  preconditionHolds,
  constraintKnown,
  fieldsAllowed,
  constraintHolds,
  effectsDisjoint,
  effectsEnclosed,
  reversible,
  durationEnforceable,
  customNeedsPolicy,
  covered,
  actorPermitted,
  effectsPermitted,
  somethingSpeaksForIt,
];
