import { eligibleApprovers } from '../approval/count.ts';
import { decideProposal, type GateAnswer, readCase } from '../decide.ts';
import { effectiveClass, quorumOf } from '../effective.ts';
import type { Case, GateInput } from '../input.ts';
import type { ApprovalClass } from '../proposal.ts';
import { actorPermitted, effectsPermitted, timePermitted } from '../rules/policy.ts';
import { asksText, asksWords, uncoveredReason } from './rule-for.ts';
import type { PolicyRule } from './schema.ts';

/** How one rule of the policy judges a proposal. */
export interface RuleVerdict {
  name: string;
  /** Null: it covers the proposal. Else the part of `match` that doesn't fit. */
  not_covered: string | null;
  /** The approvals that it asks for. */
  asks: string;
  /** What it refuses, by itself. */
  refuses: string[];
}

/** Which rules of a policy decide on a proposal, and how. */
export interface PolicyExplanation {
  decision: GateAnswer['decision'];
  /** One sentence: which rule decided. */
  because: string;
  reasons: GateAnswer['reasons'];
  rules: RuleVerdict[];
  approval_class: ApprovalClass;
  /** Sources of that class: `proposal`, `template`, or names of rules. */
  asked_by: string[];
  approvals: GateAnswer['approvals'];
  could_approve: string[];
}

/** Explains the gate's decision by the rules of the policy. `answer`: the decision, when more than the rules decided it. */
export function explainPolicy(input: GateInput, answer = decideProposal(input)): PolicyExplanation {
  const item = readCase(input);
  const rules = (input.policy?.policy.rules ?? []).map((rule) => verdictOf(item, rule));
  const approval_class = effectiveClass(item);
  const asked_by = askedBy(item, approval_class);
  return {
    decision: answer.decision,
    because: becauseOf(item, answer, rules, asked_by),
    reasons: answer.reasons,
    rules,
    approval_class,
    asked_by,
    approvals: answer.approvals,
    could_approve: eligibleApprovers(item),
  };
}

function verdictOf(item: Case, rule: PolicyRule): RuleVerdict {
  const { action_type, target } = item.fields;
  const alone = onlyWith(item, rule);
  return {
    name: rule.name,
    not_covered:
      action_type === undefined || target === undefined
        ? 'the action or the target cannot be read'
        : uncoveredReason(rule, { action_type, target }, item.tools.patterns),
    asks: asksText(rule),
    refuses: [actorPermitted, effectsPermitted, timePermitted].flatMap(({ check }) =>
      check(alone).map(({ code, message }) => `${code} ${message}`),
    ),
  };
}

/** The same case under a policy that has this rule only. */
function onlyWith(item: Case, rule: PolicyRule): Case {
  const { policy } = item;
  return policy === null
    ? item
    : { ...item, policy: { ...policy, policy: { ...policy.policy, rules: [rule] } } };
}

function askedBy(item: Case, asked: ApprovalClass): string[] {
  if (asked === 'none') return [];
  const { policy, fields, gated, tools } = item;
  const { action_type, target } = fields;
  const covering = (policy?.policy.rules ?? []).filter(
    (rule) =>
      action_type !== undefined &&
      target !== undefined &&
      uncoveredReason(rule, { action_type, target }, tools.patterns) === null,
  );
  return [
    ...(fields.approval_class === asked ? ['proposal'] : []),
    ...(gated.template.approval_class === asked ? ['template'] : []),
    ...covering.filter(({ approval_class }) => approval_class === asked).map(({ name }) => name),
  ];
}

function becauseOf(
  item: Case,
  { decision, reasons, approvals }: GateAnswer,
  rules: readonly RuleVerdict[],
  asked: readonly string[],
): string {
  if (item.policy === null) return 'There is no policy: only class none with evidence can be allowed.';
  const covering = rules.filter(({ not_covered }) => not_covered === null);
  const refusing = covering.filter(({ refuses }) => refuses.length > 0);
  if (decision === 'HOLD')
    return `${named(asked)} ${verb(asked, 'asks')} for approvals: ${approvals.given} of ${quorumOf(item)?.needed} count.`;
  if (decision === 'ALLOW')
    return approvals.needed > 0
      ? `${named(covering.map(({ name }) => name))} ${verb(covering, 'covers')} it, and enough people have approved.`
      : `${named(covering.map(({ name }) => name))} ${verb(covering, 'covers')} it and ${verb(covering, 'asks')} for no approval.`;
  if (decision === 'HALT') return 'The gate failed.';
  if (refusing.length > 0)
    return `${named(refusing.map(({ name }) => name))} ${verb(refusing, 'refuses')} it.`;
  if (reasons.some(({ code }) => code === 'K-PROP-131')) return 'No rule of the policy covers it.';
  return `Not because of a rule of the policy: ${[...new Set(reasons.map(({ code }) => code))].join(', ')}.`;
}

function named(names: readonly string[]): string {
  return names.length === 1 ? nameText(names[0]!) : names.map(nameText).join(' and ');
}

function nameText(name: string): string {
  return name === 'proposal' || name === 'template' ? `The ${name}` : `Rule ${name}`;
}

function verb(subjects: readonly unknown[], singular: string): string {
  return subjects.length === 1 ? singular : singular.replace(/s$/, '');
}

/** The explanation as labelled lines. */
export function explanationRows(explanation: PolicyExplanation): [label: string, text: string][] {
  const { decision, because, reasons, rules, approval_class, asked_by, approvals, could_approve } =
    explanation;
  return [
    ['decision', decision],
    ['because', because],
    ...rules.map((rule): [string, string] => ['rule', ruleText(rule)]),
    ['class', asked_by.length === 0 ? approval_class : `${approval_class}, asked by ${asked_by.join(', ')}`],
    ['approvals', `${approvals.given} of ${approvals.needed}`],
    ['can approve', could_approve.join(', ') || 'no other approver'],
    ...reasons.map(({ code, pointer, message }): [string, string] => [
      'reason',
      [code, pointer, message].filter((part) => part !== '').join(' '),
    ]),
  ];
}

function ruleText({ name, not_covered, asks, refuses }: RuleVerdict): string {
  if (not_covered !== null) return `${name}: does not cover it, because ${not_covered}`;
  return [
    `${name}: covers it, asks for ${asksWords(asks)}`,
    ...refuses.map((line) => `refuses: ${line}`),
  ].join('\n');
}
