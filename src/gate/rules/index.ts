import { constraintHolds, constraintKnown, fieldsAllowed } from './constraints.ts';
import { affectedRecords, effectsDisjoint, effectsEnclosed, reversible } from './effects.ts';
import { evidence, preconditionHolds } from './evidence.ts';
import { FIELD_RULES, optionalField, unknownField } from './fields.ts';
import { actorIdentity, namesPlain, proposalReused, secretFree, toolOfStep } from './identity.ts';
import { parametersCarried, parametersSchema, resourceCarried } from './parameters.ts';
import {
  actorPermitted,
  approvalsPossible,
  covered,
  customNeedsPolicy,
  effectsPermitted,
  somethingSpeaksForIt,
  timePermitted,
} from './policy.ts';
import type { Rule } from './rule.ts';
import { classLowered, effectsWidened, preconditionsKept, rollbackFixed, templateEqual } from './template.ts';
import { durationEnforceable, fromTheFuture, windowLength, windowOpen, windowOrder } from './time.ts';

/** Every rule, in the order in which violations are reported. Reading (K-PROP-100 to 105, 108) comes before them. */
export const RULES: readonly Rule[] = [
  unknownField,
  optionalField,
  actorIdentity,
  ...FIELD_RULES,
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
  windowLength,
  namesPlain,
  customNeedsPolicy,
  covered,
  actorPermitted,
  effectsPermitted,
  timePermitted,
  somethingSpeaksForIt,
];
