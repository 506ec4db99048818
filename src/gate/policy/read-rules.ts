import { suggest } from '../../base/errors.ts';

import {
  isKnownTimeZone,
  matchesName,
  minutesOf,
  PATTERN_MARK,
  patternOf,
  shareTime,
  TARGET_KEYS,
} from './rule-for.ts';
import type { Policy, PolicyDocument, PolicyQuorum, PolicyRule } from './schema.ts';

type Rule = PolicyDocument['rules'][number];

/** One thing that keeps a policy from being used. `path` in the words of the file, for example `rules.0.match`. */
export interface PolicyProblem {
  path: string;
  message: string;
}

/** What judges the patterns and schemas in a policy; null when nothing is wrong with one. */
export interface PolicyChecks {
  pattern(pattern: string): string | null;
  schema(schema: Record<string, unknown>): string | null;
  /** Whether no text can match this pattern. */
  matchesNothing(pattern: string): boolean;
  /** Whether a pattern matches a whole text. */
  fullMatch(pattern: string, text: string): boolean;
}

export function shortQuoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

export function unknownName(name: string, known: readonly string[]): string {
  return `${shortQuoted(name)} is not an approver of this policy.${didYouMean(name, known)}`;
}

export function didYouMean(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

/** A rule as the gate uses it, and what keeps its quorum from being read. */
export function readRule(
  { name, match, approval_class, threshold, ...rest }: Rule,
  at: number,
  document: PolicyDocument,
): { rule: PolicyRule; problems: PolicyProblem[] } {
  const path = `rules.${at}`;
  const quorum = threshold === undefined ? null : readQuorum(threshold, `${path}.threshold`, document);
  const problems = [...(quorum?.problems ?? [])];
  if (threshold !== undefined && approval_class !== undefined && approval_class !== 'threshold')
    problems.push({
      path,
      message: `It asks for class ${approval_class} and for a threshold. A threshold is a separate class: remove approval_class or the threshold.`,
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
  { approvers, groups: known = {} }: PolicyDocument,
): { quorum: PolicyQuorum; problems: PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const names = approvers.map(({ name }) => name);
  const members = (group: string) => (Object.hasOwn(known, group) ? known[group]! : null);
  const parts = Object.entries(groups).map(([name, least]) => {
    const people = members(name);
    if (people === null)
      problems.push({ path: `${path}.groups`, message: `There is no group ${shortQuoted(name)}.` });
    return { name, n: least, of: people ?? [] };
  });
  if (of === undefined && parts.length === 0)
    problems.push({ path, message: 'The people are missing: write of: [names], or groups: {name: number}.' });
  if (n === undefined && parts.length === 0)
    problems.push({ path, message: 'The number is missing: write n, or groups: {name: number}.' });
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

/**
 * A quorum that the people of the policy can never fill: their keys are missing, revoked or of the wrong kind, or, with a time,
 * have expired by then.
 */
export function quorumProblems(
  rule: PolicyRule,
  at: number,
  policy: Policy,
  now = Number.NEGATIVE_INFINITY,
): PolicyProblem[] {
  const { approval_class, threshold, actors } = rule;
  const terminal = policy.approvals.terminal && approval_class === 'single';
  const able = policy.approvers
    .filter(({ name, actors: own, keys }) => {
      // Who alone may propose can't approve.
      if (actors?.every((actor) => actor === name || own.includes(actor))) return false;
      return (
        (terminal && own.length > 0) ||
        keys.some(
          ({ revoked, key, valid_until: end }) =>
            !revoked &&
            (end === undefined || Date.parse(end) > now) &&
            (!policy.approvals.hardware_keys || key.trim().startsWith('sk-')),
        )
      );
    })
    .map(({ name }) => name);
  const path = threshold === undefined ? `rules.${at}` : `rules.${at}.threshold`;
  const short = (needed: number, people: readonly string[], whom: string): PolicyProblem[] => {
    const count = people.filter((name) => able.includes(name)).length;
    return count >= needed
      ? []
      : [
          {
            path,
            message: `${needed} ${whom} ${needed === 1 ? 'is' : 'are'} required, and ${count} can approve with a key that is usable${Number.isFinite(now) ? ' now' : ''}.`,
          },
        ];
  };
  if (threshold === undefined)
    return short({ none: 0, single: 1, dual: 2, threshold: 0 }[approval_class], able, 'of the approvers');
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
export function ruleProblems(rule: Rule, path: string, checks: PolicyChecks): PolicyProblem[] {
  const { match, windows = [], allowed_effects: allowed, forbidden_effects: forbidden } = rule;
  const problems: PolicyProblem[] = [];
  for (const key of TARGET_KEYS) {
    const names = [match[key] ?? []].flat();
    for (const name of names.filter((text) => text.startsWith(PATTERN_MARK))) {
      const problem = name === PATTERN_MARK ? 'it is empty' : checks.pattern(name.slice(PATTERN_MARK.length));
      if (problem !== null)
        problems.push({
          path: `${path}.match.${key}`,
          message: `The pattern ${shortQuoted(name)} can't be used: ${problem}.`,
        });
      else if (checks.matchesNothing(patternOf(name)))
        problems.push({
          path: `${path}.match.${key}`,
          message: `The pattern ${shortQuoted(name)} can never match: no text fulfils it.`,
        });
    }
    for (const name of names.filter((text) => !text.startsWith(PATTERN_MARK) && LIKE_A_PATTERN.test(text)))
      problems.push({
        path: `${path}.match.${key}`,
        message: `${shortQuoted(name)} looks like a pattern, and it would be read as this very text. Begin a pattern with ~ (any text is .*, not *). If you mean these characters, write ${shortQuoted(`${PATTERN_MARK}${name.replace(SPECIAL, '\\$&')}`)}.`,
      });
    for (const name of names.filter((text) => text !== text.trim() || HIDDEN.test(text)))
      problems.push({
        path: `${path}.match.${key}`,
        message: `${shortQuoted(name)} can never match: it begins or ends with a blank, or contains a hidden character.`,
      });
  }
  for (const [at, window] of windows.entries()) {
    if (!isKnownTimeZone(window.time_zone))
      problems.push({
        path: `${path}.windows.${at}.time_zone`,
        message: `${shortQuoted(window.time_zone)} is not a time zone. Expected a name like Europe/Vienna or UTC.`,
      });
    if (minutesOf(window.from) >= minutesOf(window.until))
      problems.push({
        path: `${path}.windows.${at}`,
        message: 'It never opens: from is not before until. Write a window past midnight as two.',
      });
  }
  const exact = { actors: rule.actors, allowed_effects: allowed, forbidden_effects: forbidden };
  for (const [key, names = []] of Object.entries(exact))
    for (const name of names.filter((text) => /^~|\*/.test(text)))
      problems.push({
        path: `${path}.${key}`,
        message: `${shortQuoted(name)} looks like a pattern, and these names are compared exactly. Write each name out.`,
      });
  for (const effect of (allowed ?? []).filter((name) => forbidden.includes(name)))
    problems.push({ path, message: `The effect ${shortQuoted(effect)} is allowed and forbidden.` });
  return problems;
}

/** What a name has that was meant as a pattern: of RE2, or of a shell. */
const LIKE_A_PATTERN = /[*?|^$()[\]{}\\]|\.\+/;
const SPECIAL = /[.*+?|^$()[\]{}\\]/g;

/** Rules that cover an action together, and that can't both be fulfilled by it. */
export function ruleConflicts({ rules }: Policy, checks: PolicyChecks): PolicyProblem[] {
  return rules.flatMap((rule, at) =>
    rules.slice(0, at).flatMap((other) => {
      if (!coverSomeTogether(rule, other, checks)) return [];
      const problem = (what: string) => ({
        path: `rules.${at}`,
        message: `${what} both ${shortQuoted(rule.name)} and ${shortQuoted(other.name)} allow, and some actions are covered by both: these can never be done.`,
      });
      return [
        ...(shareTime(rule.windows, other.windows) ? [] : [problem('There is no time that the windows of')]),
        ...(rule.actors?.some((actor) => other.actors?.includes(actor) ?? true) === false
          ? [problem('There is no actor that')]
          : []),
      ];
    }),
  );
}

/** Whether there is certainly an action that both rules cover. Two different patterns are not compared. */
function coverSomeTogether(a: PolicyRule, b: PolicyRule, checks: PolicyChecks): boolean {
  const actions = a.match.action_types;
  if (actions?.some((one) => b.match.action_types?.includes(one) ?? true) === false) return false;
  return TARGET_KEYS.every((key) => {
    const [left, right] = [a.match[key], b.match[key]];
    if (left === undefined || right === undefined) return true;
    return left.some((one) =>
      right.some((two) =>
        one === two
          ? true
          : one.startsWith(PATTERN_MARK)
            ? !two.startsWith(PATTERN_MARK) && matchesName(one, two, checks)
            : matchesName(two, one, checks),
      ),
    );
  });
}

/** Characters that a target can't have (see K-PROP-136). */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

export function ruleNameProblems({ rules }: Policy): PolicyProblem[] {
  const all = rules.map(({ name }) => name);
  return rules.flatMap(({ name }, at) =>
    all.indexOf(name) === at
      ? []
      : [{ path: `rules.${at}.name`, message: `Another rule is named ${shortQuoted(name)}.` }],
  );
}
