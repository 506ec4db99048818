import type { $ZodIssue } from 'zod/v4/core';
import { suggest } from '../../base/suggest.ts';
import { readSshKey } from '../approval/ssh-key.ts';
import { checkJsonValue } from '../json/check.ts';
import { policyDigest } from '../proposal.ts';
import { foldedName, isKnownTimeZone, minutesOf, PATTERN_MARK, TARGET_KEYS } from './rule-for.ts';
import {
  type ApproverKey,
  approverKeySchema,
  approverSchema,
  FIELD_CONSTRAINTS,
  type LoadedPolicy,
  matchSchema,
  type Policy,
  type PolicyDocument,
  type PolicyQuorum,
  type PolicyRule,
  policySchema,
  ruleSchema,
  thresholdSchema,
  windowSchema,
} from './schema.ts';

/** One thing that keeps a policy from being used. `path` in the words of the file, for example `rules.0.match`. */
export interface PolicyProblem {
  path: string;
  message: string;
}

export type PolicyReading = { ok: true; loaded: LoadedPolicy } | { ok: false; problems: PolicyProblem[] };

/** What judges the patterns and schemas in a policy; null when nothing is wrong with one. */
export interface PolicyChecks {
  pattern(pattern: string): string | null;
  schema(schema: Record<string, unknown>): string | null;
}

type Document = PolicyDocument;
type Rule = Document['rules'][number];

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
  if (!result.success) return { ok: false, problems: result.error.issues.flatMap(shapeProblems) };
  const document = result.data;
  const rules = document.rules.map((rule, at) => readRule(rule, at, document));
  const policy: Policy = { ...document, rules: rules.map(({ rule }) => rule) };
  const problems = [
    ...approverProblems(document),
    ...groupProblems(document),
    ...rules.flatMap((read) => read.problems),
    ...policy.rules.flatMap((rule, at) => quorumProblems(rule, at, policy)),
    ...document.rules.flatMap((rule, at) => ruleProblems(rule, `rules.${at}`, checks)),
    ...nameProblems(policy),
    ...otherProblems(document, checks),
  ];
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

/** What is wrong with the shape, and what is expected. */
function shapeProblems(issue: $ZodIssue): PolicyProblem[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path,
      message: `There is no key ${quoted(key)} here.${didYouMean(key, POLICY_KEYS)}`,
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
  if (typeof input === 'string') return `, not ${quoted(input)}`;
  return Array.isArray(input) ? ', not a list' : ', not a mapping';
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function approverProblems({ approvers, approvals }: Document): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const owners = new Map<string, string>();
  const names = new Map<string, string>();
  const accounts = new Map<string, string>();
  for (const [at, { name, keys, actors }] of approvers.entries()) {
    const path = `approvers.${at}`;
    const other = names.get(foldedName(name));
    if (other !== undefined)
      problems.push({ path, message: `The name ${quoted(name)} is used twice; letter case doesn't matter.` });
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
        problems.push({ path: `${path}.actors`, message: `The account ${quoted(actor)} stands twice.` });
      accounts.set(foldedName(actor), name);
    }
  }
  for (const [at, { name }] of approvers.entries()) {
    const owner = accounts.get(foldedName(name));
    if (owner !== undefined && owner !== name)
      problems.push({
        path: `approvers.${at}.name`,
        message: `${quoted(name)} is an account of ${quoted(owner)} too.`,
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
            ? 'This key stands twice.'
            : `This key is one of ${quoted(owner)} too. Whoever has its private key would count as two people.`,
      });
    owners.set(read.identity, name);
  }
  if (from !== undefined && until !== undefined && Date.parse(from) >= Date.parse(until))
    problems.push({ path, message: 'It is never valid: valid_from is not before valid_until.' });
  return problems;
}

function groupProblems({ groups = {}, approvers }: Document): PolicyProblem[] {
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
      message: `${quoted(member)} stands twice.`,
    })),
  ]);
}

function unknownName(name: string, known: readonly string[]): string {
  return `${quoted(name)} is not an approver of this policy.${didYouMean(name, known)}`;
}

function didYouMean(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

function repeats(list: readonly string[]): string[] {
  return [...new Set(list.filter((item, at) => list.indexOf(item) !== at))];
}

/** A rule as the gate uses it, and what keeps its quorum from being read. */
function readRule(
  { name, match, approval_class, threshold, ...rest }: Rule,
  at: number,
  document: Document,
): { rule: PolicyRule; problems: PolicyProblem[] } {
  const path = `rules.${at}`;
  const quorum = threshold === undefined ? null : readQuorum(threshold, `${path}.threshold`, document);
  const problems = [...(quorum?.problems ?? [])];
  if (threshold !== undefined && approval_class !== undefined && approval_class !== 'threshold')
    problems.push({
      path,
      message: `It asks for class ${approval_class} and for a threshold. A threshold is a class of its own: leave approval_class out, or the threshold.`,
    });
  if (threshold === undefined && approval_class === 'threshold')
    problems.push({ path, message: 'Class threshold needs threshold: {n, of} or threshold: {groups}.' });
  const matched = Object.fromEntries(
    Object.entries(match).flatMap(([key, names]) =>
      names === undefined ? [] : [[key, Array.isArray(names) ? names : [names]]],
    ),
  );
  return {
    rule: {
      ...rest,
      name: name ?? path,
      match: matched,
      approval_class: approval_class ?? (threshold === undefined ? 'none' : 'threshold'),
      ...(quorum === null ? {} : { threshold: quorum.quorum }),
    },
    problems,
  };
}

function readQuorum(
  { n, of, groups = {} }: NonNullable<Rule['threshold']>,
  path: string,
  { approvers, groups: known = {} }: Document,
): { quorum: PolicyQuorum; problems: PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const names = approvers.map(({ name }) => name);
  const members = (group: string) => (Object.hasOwn(known, group) ? known[group]! : null);
  const parts = Object.entries(groups).map(([name, least]) => {
    const people = members(name);
    if (people === null)
      problems.push({ path: `${path}.groups`, message: `There is no group ${quoted(name)}.` });
    return { name, n: least, of: people ?? [] };
  });
  if (of === undefined && parts.length === 0)
    problems.push({
      path,
      message: 'It says how many and not of whom: of: [names], or groups: {name: number}.',
    });
  if (n === undefined && parts.length === 0)
    problems.push({ path, message: 'It does not say how many: n, or groups: {name: number}.' });
  const people = (of ?? parts.map(({ name }) => name)).flatMap((name) => {
    const group = members(name);
    if (group !== null) return group;
    if (!names.includes(name) && !parts.some((part) => part.name === name))
      problems.push({ path: `${path}.of`, message: unknownName(name, [...names, ...Object.keys(known)]) });
    return [name];
  });
  const least = Math.max(0, ...parts.map((part) => part.n));
  if (n !== undefined && n < least)
    problems.push({ path: `${path}.n`, message: `It is ${n}, and a group alone asks for ${least}.` });
  return {
    quorum: { n: n ?? parts.reduce((sum, part) => sum + part.n, 0), of: [...new Set(people)], groups: parts },
    problems,
  };
}

/** A quorum that the people of the policy can't fill, whatever the day: their keys are missing, revoked or of the wrong kind. */
function quorumProblems(rule: PolicyRule, at: number, policy: Policy): PolicyProblem[] {
  const { approval_class, threshold, actors } = rule;
  const terminal = policy.approvals.terminal && approval_class === 'single';
  const able = policy.approvers
    .filter(({ name, actors: own, keys }) => {
      // Who alone may propose can't approve.
      if (actors?.every((actor) => actor === name || own.includes(actor))) return false;
      return (
        (terminal && own.length > 0) ||
        keys.some(
          ({ revoked, key }) => !revoked && (!policy.approvals.hardware_keys || key.trim().startsWith('sk-')),
        )
      );
    })
    .map(({ name }) => name);
  const path = threshold === undefined ? `rules.${at}` : `rules.${at}.threshold`;
  const short = (needed: number, people: readonly string[], whom: string): PolicyProblem[] => {
    const count = people.filter((name) => able.includes(name)).length;
    return count >= needed
      ? []
      : [{ path, message: `It takes ${needed} ${whom}, and ${count} can approve.` }];
  };
  if (threshold === undefined)
    return short({ none: 0, single: 1, dual: 2, threshold: 0 }[approval_class], able, 'approvers');
  return [
    ...short(threshold.n, threshold.of, 'of these people'),
    ...threshold.groups.flatMap(({ name, n, of }) =>
      short(
        n,
        of.filter((person) => threshold.of.includes(person)),
        `of group ${name}`,
      ),
    ),
  ];
}

/** Patterns that can't be used, and conditions that nothing can fulfil. */
function ruleProblems(rule: Rule, path: string, checks: PolicyChecks): PolicyProblem[] {
  const { match, windows = [], allowed_effects: allowed, forbidden_effects: forbidden } = rule;
  const problems: PolicyProblem[] = [];
  for (const key of TARGET_KEYS) {
    const names = [match[key] ?? []].flat();
    for (const name of names.filter((text) => text.startsWith(PATTERN_MARK))) {
      const problem = name === PATTERN_MARK ? 'it is empty' : checks.pattern(name.slice(PATTERN_MARK.length));
      if (problem !== null)
        problems.push({
          path: `${path}.match.${key}`,
          message: `The pattern ${quoted(name)} can't be used: ${problem}.`,
        });
    }
    for (const name of names.filter((text) => text !== text.trim() || HIDDEN.test(text)))
      problems.push({
        path: `${path}.match.${key}`,
        message: `${quoted(name)} can never match: it begins or ends with a blank, or holds a character that can't be seen.`,
      });
  }
  for (const [at, window] of windows.entries()) {
    if (!isKnownTimeZone(window.time_zone))
      problems.push({
        path: `${path}.windows.${at}.time_zone`,
        message: `${quoted(window.time_zone)} is not a time zone. Expected a name like Europe/Vienna or UTC.`,
      });
    if (minutesOf(window.from) >= minutesOf(window.until))
      problems.push({
        path: `${path}.windows.${at}`,
        message: 'It never opens: from is not before until. Write a window past midnight as two.',
      });
  }
  for (const effect of (allowed ?? []).filter((name) => forbidden.includes(name)))
    problems.push({ path, message: `The effect ${quoted(effect)} is allowed and forbidden.` });
  return problems;
}

/** Characters that a target can't have (see K-PROP-136). */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

function nameProblems({ rules }: Policy): PolicyProblem[] {
  const all = rules.map(({ name }) => name);
  return rules.flatMap(({ name }, at) =>
    all.indexOf(name) === at
      ? []
      : [{ path: `rules.${at}.name`, message: `Another rule is named ${quoted(name)}.` }],
  );
}

function otherProblems({ tools, constraints }: Document, checks: PolicyChecks): PolicyProblem[] {
  return [
    ...tools.flatMap(({ tool_name }, at) =>
      tools.findIndex((other) => other.tool_name === tool_name) === at
        ? []
        : [{ path: `tools.${at}`, message: `The tool ${quoted(tool_name)} is mapped twice.` }],
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
