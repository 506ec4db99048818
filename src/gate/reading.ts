import type { $ZodIssue } from 'zod/v4/core';
import { isJsonObject } from '../proof/json-equal.ts';
import type { ProposalTemplate } from '../protocol/schema.ts';
import type { FieldProblems, Reading } from './input.ts';
import { checkJsonValue } from './json/check.ts';
import { UNREADABLE } from './json/limits.ts';
import { readJsonStrictly } from './json/read.ts';
import { isKernelRequest, mapKernelRequest } from './kernel-request.ts';
import type { LoadedPolicy } from './policy/schema.ts';
import { PROPOSAL_FIELDS, type Proposal, type ProposalField, proposalSchema } from './proposal.ts';
import { pointerTo, type Violation } from './violation.ts';

/**
 * Reads a submission: strictly, into the fields of a proposal, each judged by itself. Never throws on any value. With the
 * template of its step a KernelRequest gets what it has no words for.
 */
export function readProposal(
  submitted: unknown,
  policy: LoadedPolicy | null,
  template: ProposalTemplate = {},
): Reading {
  const text = typeof submitted === 'string' ? readJsonStrictly(submitted) : null;
  const value = text === null ? submitted : text.value;
  const violations: Violation[] = text === null ? checkJsonValue(value) : text.violations;
  if (!isJsonObject(value) || violations.length > 0) {
    if (violations.length === 0)
      violations.push({ code: UNREADABLE, pointer: '', message: 'A proposal is a JSON object.' });
    return { value: null, raw: null, fields: {}, problems: new Map(), violations };
  }
  const mapped = isKernelRequest(value)
    ? mapKernelRequest(value, policy, template)
    : { raw: value, violations: [] };
  return { value, raw: mapped.raw, violations: mapped.violations, ...readFields(mapped.raw) };
}

function readFields(raw: Record<string, unknown>): Pick<Reading, 'fields' | 'problems'> {
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
