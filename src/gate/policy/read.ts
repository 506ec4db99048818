import type { $ZodIssue } from 'zod/v4/core';
import { FIELD_CONSTRAINTS } from '../../protocol/terms.ts';
import { readSshKey } from '../approval/ssh-key.ts';
import { checkJsonValue } from '../json/read.ts';
import { policyDigest } from '../proposal.ts';
import {
  didYouMean,
  type PolicyChecks,
  type PolicyProblem,
  quorumProblems,
  readRule,
  ruleConflicts,
  ruleNameProblems,
  ruleProblems,
  shortQuoted,
  unknownName,
} from './read-rules.ts';
import { foldedName } from './rule-for.ts';
import {
  type ApproverKey,
  approverKeySchema,
  approverSchema,
  type LoadedPolicy,
  matchSchema,
  type Policy,
  type PolicyDocument,
  policySchema,
  ruleSchema,
  thresholdSchema,
  windowSchema,
} from './schema.ts';

export type PolicyReading = { ok: true; loaded: LoadedPolicy } | { ok: false; problems: PolicyProblem[] };

/**
 * A parsed `kairos.policy.yaml` as a policy, or everything that is wrong with it: its shape first, then its meaning. A policy
 * that asks for what can't be is an error, because it would be read as asking for something else. Whether a key has expired is
 * left to the moment of a decision.
 */
export function readPolicy(value: unknown, checks: PolicyChecks): PolicyReading {
  const foreign = checkJsonValue(value);
  if (foreign.length > 0)
    return {
      ok: false,
      problems: foreign.map(({ pointer, message }) => ({
        path: pointer.slice(1).replaceAll('/', '.'),
        message,
      })),
    };
  const result = policySchema.safeParse(value, { reportInput: true });
  if (!result.success)
    return { ok: false, problems: result.error.issues.flatMap((issue) => shapeProblems(issue, POLICY_KEYS)) };
  const document = result.data;
  const rules = document.rules.map((rule, at) => readRule(rule, at, document));
  const policy: Policy = { ...document, rules: rules.map(({ rule }) => rule) };
  const problems = [
    ...approverProblems(document),
    ...groupProblems(document),
    ...rules.flatMap((read) => read.problems),
    ...policy.rules.flatMap((rule, at) => quorumProblems(rule, at, policy)),
    ...document.rules.flatMap((rule, at) => ruleProblems(rule, `rules.${at}`, checks)),
    ...ruleNameProblems(policy),
    ...otherProblems(document, checks),
  ];
  // Rules that can't be read alone are not compared.
  if (problems.length === 0) problems.push(...ruleConflicts(policy, checks));
  if (problems.length > 0) return { ok: false, problems };
  const named = document.rules.map((rule, at) => ({
    ...rule,
    approval_class: policy.rules[at]!.approval_class,
  }));
  return { ok: true, loaded: { policy, digest: policyDigest({ ...document, rules: named }) } };
}

const POLICY_KEYS = [
  policySchema,
  approverSchema,
  approverKeySchema,
  ruleSchema,
  matchSchema,
  windowSchema,
  thresholdSchema,
].flatMap(({ shape }) => Object.keys(shape));

/** What is wrong with the shape of a file, and what is expected; `known`: the keys for suggestions. */
export function shapeProblems(issue: $ZodIssue, known: readonly string[]): PolicyProblem[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path,
      message: `There is no key ${shortQuoted(key)} here.${didYouMean(key, known)}`,
    }));
  return [{ path, message: `${wanted(issue)}${given(issue.input)}.` }];
}

function wanted(issue: $ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `Expected ${KINDS['format' in issue ? 'int' : issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `Expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      if (issue.format === 'datetime') return 'Expected an instant like 2026-01-31T09:00:00+01:00';
      if (issue.path.some((part) => part === 'from' || part === 'until')) return 'Expected a time like 09:30';
      return 'Expected 1 to 64 letters, digits and . _ @ + -';
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string' || issue.origin === 'map'
        ? 'Expected something that is not empty'
        : `Expected at least ${issue.minimum}`;
    case 'invalid_union':
      return 'Expected a value or a list of values';
    case 'invalid_key':
      return 'Expected a name of 1 to 64 letters, digits and . _ @ + -';
    default:
      return 'Expected something else';
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function given(input: unknown): string {
  if (input === undefined) return ', and it is missing';
  if (input === null || typeof input === 'number' || typeof input === 'boolean')
    return `, not ${String(input)}`;
  if (typeof input === 'string') return `, not ${shortQuoted(input)}`;
  return Array.isArray(input) ? ', not a list' : ', not a mapping';
}

function approverProblems({ approvers, approvals }: PolicyDocument): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const owners = new Map<string, string>();
  const names = new Map<string, string>();
  const accounts = new Map<string, string>();
  for (const [at, { name, keys, actors }] of approvers.entries()) {
    const path = `approvers.${at}`;
    const other = names.get(foldedName(name));
    if (other !== undefined)
      problems.push({
        path,
        message: `The name ${shortQuoted(name)} is used twice; letter case doesn't matter.`,
      });
    names.set(foldedName(name), name);
    for (const [index, entry] of keys.entries())
      problems.push(...keyProblems(entry, `${path}.keys.${index}`, name, owners));
    if (approvals.hardware_keys && keys.length > 0 && keys.every(({ key }) => !key.trim().startsWith('sk-')))
      problems.push({
        path: `${path}.keys`,
        message: 'hardware_keys is true, and no key is one of a security key (sk-…).',
      });
    for (const actor of actors) {
      const owner = accounts.get(foldedName(actor));
      if (owner !== undefined)
        problems.push({
          path: `${path}.actors`,
          message: `The account ${shortQuoted(actor)} is listed twice.`,
        });
      accounts.set(foldedName(actor), name);
    }
  }
  for (const [at, { name }] of approvers.entries()) {
    const owner = accounts.get(foldedName(name));
    if (owner !== undefined && owner !== name)
      problems.push({
        path: `approvers.${at}.name`,
        message: `${shortQuoted(name)} is an account of ${shortQuoted(owner)} too.`,
      });
  }
  return problems;
}

function keyProblems(
  { key, valid_from: from, valid_until: until }: ApproverKey,
  path: string,
  name: string,
  owners: Map<string, string>,
): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const read = readSshKey(key);
  if ('problem' in read) problems.push({ path, message: `This key can't be used: ${read.problem}.` });
  else {
    const owner = owners.get(read.identity);
    if (owner !== undefined)
      problems.push({
        path,
        message:
          owner === name
            ? 'This key is listed twice.'
            : `This key is one of ${shortQuoted(owner)} too. The owner of its private key would count as two people.`,
      });
    owners.set(read.identity, name);
  }
  if (from !== undefined && until !== undefined && Date.parse(from) >= Date.parse(until))
    problems.push({ path, message: 'It is never valid: valid_from is not before valid_until.' });
  return problems;
}

function groupProblems({ groups = {}, approvers }: PolicyDocument): PolicyProblem[] {
  const names = approvers.map(({ name }) => name);
  return Object.entries(groups).flatMap(([group, members]) => [
    ...(names.includes(group)
      ? [{ path: `groups.${group}`, message: 'An approver has the same name.' }]
      : []),
    ...members
      .filter((member) => !names.includes(member))
      .map((member) => ({ path: `groups.${group}`, message: unknownName(member, names) })),
    ...repeats(members).map((member) => ({
      path: `groups.${group}`,
      message: `${shortQuoted(member)} is listed twice.`,
    })),
  ]);
}

function repeats(list: readonly string[]): string[] {
  return [...new Set(list.filter((item, at) => list.indexOf(item) !== at))];
}

function otherProblems({ tools, constraints }: PolicyDocument, checks: PolicyChecks): PolicyProblem[] {
  return [
    ...tools.flatMap(({ tool_name }, at) =>
      tools.findIndex((other) => other.tool_name === tool_name) === at
        ? []
        : [{ path: `tools.${at}`, message: `The tool ${shortQuoted(tool_name)} is mapped twice.` }],
    ),
    ...Object.entries(constraints).flatMap(([name, schemas]) => [
      ...(FIELD_CONSTRAINTS.includes(name)
        ? [
            {
              path: `constraints.${name}`,
              message: 'kairos has this constraint already; it needs no schema.',
            },
          ]
        : []),
      ...(['value', 'parameters'] as const).flatMap((part) => {
        const problem = checks.schema(schemas[part]);
        return problem === null
          ? []
          : [{ path: `constraints.${name}.${part}`, message: `The schema can't be used: ${problem}.` }];
      }),
    ]),
  ];
}
