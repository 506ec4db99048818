import { isObject, jsonEqual, own } from '../../base/json.ts';
import { rollbackOf } from '../effective.ts';
import { type GateRule, isGiven } from '../input.ts';
import { isKernelRequest } from '../kernel-request.ts';
import { parameterEnvironment, parameterName } from '../permit/permit.ts';
import { isAtLeast } from '../policy/rule-for.ts';
import type { ProposalField, Rollback } from '../proposal.ts';
import { describeValue, pointerTo, type Violation, violations } from '../violation.ts';

const unequal = violations('K-PROP-112');

export const templateEqual: GateRule = {
  code: 'K-PROP-112',
  title: 'Every field that the template sets is equal in the proposal',
  check: (item) => {
    const { raw } = item.reading;
    if (raw === null) return [];
    const { template } = item.gated;
    const { action_type, target = {}, risk_envelope: envelope = {}, time_window: window = {} } = template;
    return [
      ...differs(raw, ['action_type'], action_type),
      ...TARGET.flatMap((key) => differs(raw, ['target', key], target[key])),
      ...ENVELOPE.flatMap((key) => differs(raw, ['risk_envelope', key], envelope[key])),
      ...differs(raw, ['time_window', 'max_duration_ms'], window.max_duration_ms),
      ...(isGiven(item, 'evidence_bindings')
        ? differs(raw, ['evidence_bindings'], template.evidence_bindings)
        : []),
    ];
  },
};

const TARGET = ['resource_type', 'resource_id', 'domain', 'constraints'] as const;
const ENVELOPE = ['max_affected_records', 'reversible_required'] as const;

/** A missing or mistyped value isn't equal either, and hides no other fault. */
function differs(
  raw: Record<string, unknown>,
  path: readonly [ProposalField, ...string[]],
  expected: unknown,
): Violation[] {
  if (expected === undefined) return [];
  const actual = path.reduce<unknown>((value, key) => (isObject(value) ? own(value, key) : undefined), raw);
  if (actual !== undefined && jsonEqual(actual, expected)) return [];
  const here = actual === undefined ? 'it is missing here' : `here is ${describeValue(actual)}`;
  return [unequal(pointerTo('', ...path), `The template sets ${describeValue(expected)}; ${here}.`)];
}

const widened = violations('K-PROP-113');

export const effectsWidened: GateRule = {
  code: 'K-PROP-113',
  title: 'Effects may be narrowed, never widened',
  check: ({ reading: { raw }, gated }) => {
    if (raw === null) return [];
    const { effects, risk_envelope: template } = gated.template;
    const allowed = template?.allowed_side_effects;
    const forbidden = template?.forbidden_effects;
    const envelope = own(raw, 'risk_envelope');
    const member = (key: string) => (isObject(envelope) ? own(envelope, key) : undefined);
    const missing = added(forbidden, listOf(member('forbidden_effects')));
    return [
      ...added(own(raw, 'effects'), effects).map(({ at }) =>
        widened(`/effects/${at}`, 'The template does not name this effect.'),
      ),
      ...added(member('allowed_side_effects'), allowed).map(({ at }) =>
        widened(`/risk_envelope/allowed_side_effects/${at}`, 'The template does not allow this effect.'),
      ),
      ...(envelope !== undefined && missing.length > 0
        ? [
            widened(
              '/risk_envelope/forbidden_effects',
              `The template forbids ${missing.map(({ effect }) => describeValue(effect)).join(', ')}, and that is missing here.`,
            ),
          ]
        : []),
      ...(envelope === undefined && (allowed !== undefined || forbidden !== undefined)
        ? [widened('/risk_envelope', 'The template sets it, and it is missing here.')]
        : []),
    ];
  },
};

/** What is in the list and not in the one that it may come from, with its place. */
function added(list: unknown, from: readonly unknown[] | undefined): { at: number; effect: unknown }[] {
  if (from === undefined) return [];
  return listOf(list).flatMap((effect, at) => (from.includes(effect) ? [] : [{ at, effect }]));
}

/** As given: anything but a list names nothing. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const dropped = violations('K-PROP-114');

export const preconditionsKept: GateRule = {
  code: 'K-PROP-114',
  title: "The template's preconditions are all there; more may be added",
  check: ({ reading: { raw }, gated }) => {
    if (raw === null) return [];
    const given = own(raw, 'preconditions');
    const kept = (one: unknown) => Array.isArray(given) && given.some((other) => jsonEqual(other, one));
    return (gated.template.preconditions ?? [])
      .filter((precondition) => !kept(precondition))
      .map(({ field, operator, value }) =>
        dropped(
          '/preconditions',
          `The template's precondition on ${describeValue(field)} (${operator} ${describeValue(value)}) is missing or changed here.`,
        ),
      );
  },
};

const otherRollback = violations('K-PROP-115');

export const rollbackFixed: GateRule = {
  code: 'K-PROP-115',
  title: 'The rollback comes only from the template',
  check: (item) => {
    const set = rollbackOf(item);
    if (set !== undefined && !isComplete(set))
      return [otherRollback('/rollback_semantics', 'The template names a rollback without defining it.')];
    if (!isGiven(item, 'rollback_semantics')) return [];
    if (set !== undefined && jsonEqual(item.reading.raw?.rollback_semantics, set)) return [];
    return [otherRollback('/rollback_semantics', 'It is not the rollback of the template.')];
  },
};

function isComplete({ strategy, command, chain_uri }: Rollback): boolean {
  if (strategy === 'command') return command !== undefined;
  return strategy !== 'chain' || chain_uri !== undefined;
}

const lowered = violations('K-PROP-116');

export const classLowered: GateRule = {
  code: 'K-PROP-116',
  title: "approval_class is the template's or a higher one",
  check: (item) => {
    const { fields, gated, reading } = item;
    const malformed = isGiven(item, 'approval_class') && fields.approval_class === undefined;
    if (reading.raw === null || malformed) return [];
    const least = gated.template.approval_class ?? 'none';
    return isAtLeast(fields.approval_class ?? 'none', least)
      ? []
      : [lowered('/approval_class', `It is lower than the class of the template, ${least}.`)];
  },
};

const misfit = violations('K-PROP-117');

export const parametersSchema: GateRule = {
  code: 'K-PROP-117',
  title: 'parameters satisfy the parameters_schema of the template',
  check: ({ fields: { parameters }, gated: { template }, tools }) => {
    const schema = template.parameters_schema;
    if (parameters === undefined || schema === undefined) return [];
    return tools.schemas
      .errors(schema, parameters)
      .map(({ path, keyword, member }) =>
        misfit(
          pointerTo(`/parameters${path}`, ...(member === undefined ? [] : [member])),
          keyword === 'required'
            ? 'It is missing, and the parameters_schema of the template requires it.'
            : `It violates the parameters_schema of the template (${plain(keyword)}).`,
        ),
      );
  },
};

/** A keyword of JSON Schema; a word that the schema's author made up never gets into a message. */
function plain(keyword: string): string {
  return /^[$A-Za-z]{1,32}$/.test(keyword) ? keyword : 'a keyword';
}

const lost = violations('K-PROP-118');

export const parametersCarried: GateRule = {
  code: 'K-PROP-118',
  title: 'parameters reach the step unchanged: as variables of a command, as arguments of a tool',
  check: ({ fields: { parameters }, gated: { demand } }) => {
    if (parameters === undefined) return [];
    if (demand.type === 'mcp') {
      const declared = demand.mcp.arguments;
      return declared === undefined || jsonEqual(declared, parameters)
        ? []
        : [lost('/parameters', 'They differ from the arguments of the step.')];
    }
    return demand.type === 'shell' ? variableProblems(parameters) : [];
  },
};

function variableProblems(parameters: Record<string, unknown>): Violation[] {
  const taken = new Set<string>();
  return Object.entries(parameters).flatMap(([key, value]) => {
    const name = parameterName(key);
    const pointer = pointerTo('/parameters', key);
    if (name === null)
      return [
        lost(pointer, 'Its key cannot become a variable: use letters, digits and _, without a digit first.'),
      ];
    if (taken.has(name))
      return [
        lost(pointer, 'Another key becomes the same variable, because letter case is lost. Rename one.'),
      ];
    taken.add(name);
    return typeof value === 'string' && value.includes('\0')
      ? [lost(pointer, 'A variable cannot contain NUL.')]
      : [];
  });
}

const otherResource = violations('K-PROP-129');

const RESOURCE_ID = parameterName('resource_id');

/**
 * A parameter `resource_id`, in any spelling of its letters, must equal the target, because policy rules and
 * approvers judge the target, but the step gets the parameter. For a KernelRequest the policy itself defines
 * the target.
 */
export const resourceCarried: GateRule = {
  code: 'K-PROP-129',
  title: 'A parameter resource_id is the resource_id of the target',
  check: ({ reading, fields: { parameters = {} }, parts: { target } }) => {
    if (target.resource_id === undefined || isKernelRequest(reading.value ?? {})) return [];
    return Object.entries(parameters)
      .filter(([key]) => parameterName(key) === RESOURCE_ID)
      .filter(
        ([key, value]) =>
          !Object.values(parameterEnvironment({ [key]: value })).includes(target.resource_id!),
      )
      .map(([key]) =>
        otherResource(pointerTo('/parameters', key), 'It differs from the resource_id of the target.'),
      );
  },
};
