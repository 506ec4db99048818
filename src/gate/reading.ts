import type * as z from 'zod/mini';
import type { $ZodIssue } from 'zod/v4/core';
import { isObject, own } from '../base/json.ts';
import type { ProposalTemplate } from '../protocol/schema.ts';
import { preconditionSchema } from '../protocol/schema.ts';
import type { FieldProblems, Parts, ProposalReading } from './input.ts';
import { checkJsonValue, readJsonStrictly, UNREADABLE } from './json/read.ts';
import { isKernelRequest, mapKernelRequest } from './kernel-request.ts';
import type { LoadedPolicy } from './policy/schema.ts';
import {
  PROPOSAL_FIELDS,
  type Proposal,
  type ProposalField,
  proposalSchema,
  riskEnvelopeSchema,
  targetSchema,
  timeWindowSchema,
} from './proposal.ts';
import { pointerTo, type Violation } from './violation.ts';

/**
 * Reads a submission: strictly, into the fields of a proposal, each judged by itself. Never throws on any value. With the
 * template of its step a KernelRequest gets what it has no words for.
 */
export function readProposal(
  submitted: unknown,
  policy: LoadedPolicy | null,
  template: ProposalTemplate = {},
): ProposalReading {
  const text = typeof submitted === 'string' ? readJsonStrictly(submitted) : null;
  const value = text === null ? submitted : text.value;
  const violations: Violation[] = text === null ? checkJsonValue(value) : text.violations;
  if (!isObject(value) || violations.length > 0) {
    if (violations.length === 0)
      violations.push({ code: UNREADABLE, pointer: '', message: 'A proposal is a JSON object.' });
    return { value: null, raw: null, fields: {}, problems: new Map(), violations };
  }
  const mapped = isKernelRequest(value)
    ? mapKernelRequest(value, policy, template)
    : { raw: value, violations: [] };
  return { value, raw: mapped.raw, violations: mapped.violations, ...readFields(mapped.raw) };
}

function readFields(raw: Record<string, unknown>): Pick<ProposalReading, 'fields' | 'problems'> {
  const fields: Partial<Record<ProposalField, unknown>> = {};
  const problems = new Map<string, FieldProblems>();
  for (const field of PROPOSAL_FIELDS) {
    const schema = proposalSchema.shape[field];
    const given = Object.hasOwn(raw, field);
    const result = schema.safeParse(given ? raw[field] : undefined);
    if (!result.success) problems.set(field, problemsOf(field, result.error.issues));
    else if (given) fields[field] = result.data;
  }
  for (const key of Object.keys(raw)) {
    if (!(PROPOSAL_FIELDS as readonly string[]).includes(key))
      problems.set(key, { unknown: [pointerTo('', key)], wrong: [] });
  }
  return { fields: fields as Partial<Proposal>, problems };
}

function problemsOf(field: string, issues: readonly $ZodIssue[]): FieldProblems {
  const problems: FieldProblems = { unknown: [], wrong: [] };
  for (const issue of issues) {
    const pointer = pointerTo('', field, ...issue.path.map(String));
    if (issue.code === 'unrecognized_keys')
      problems.unknown.push(...issue.keys.map((key) => pointerTo(pointer, key)));
    else if (!problems.wrong.includes(pointer)) problems.wrong.push(pointer);
  }
  return problems;
}

/** The well-formed parts of malformed fields, so that one fault hides no other. */
export function partsOf({ raw, fields }: Pick<ProposalReading, 'raw' | 'fields'>): Parts {
  const given = raw ?? {};
  return {
    target: fields.target ?? membersOf(targetSchema, own(given, 'target')),
    risk_envelope: fields.risk_envelope ?? membersOf(riskEnvelopeSchema, own(given, 'risk_envelope')),
    time_window: fields.time_window ?? membersOf(timeWindowSchema, own(given, 'time_window')),
    preconditions: itemsOf(fields.preconditions ?? own(given, 'preconditions')),
  };
}

function membersOf<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  value: unknown,
): Partial<z.infer<z.ZodMiniObject<Shape, z.core.$strict>>> {
  if (!isObject(value)) return {};
  const members = Object.entries(schema.shape).flatMap(([key, member]) => {
    const result = (member as z.ZodMiniType).safeParse(own(value, key));
    return result.success ? [[key, result.data]] : [];
  });
  return Object.fromEntries(members);
}

function itemsOf(value: unknown): Parts['preconditions'] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, at) => {
    const result = preconditionSchema.safeParse(item);
    return result.success ? [{ at, precondition: result.data }] : [];
  });
}
