import { isObject, jsonEqual, own } from '../base/json.ts';
import type { ProposalTemplate } from '../protocol/schema.ts';
import { conditionsOf } from './fill.ts';
import type { LoadedPolicy } from './policy/schema.ts';
import { PROPOSAL_FIELDS } from './proposal.ts';
import { pointerTo, type Violation, violations } from './violation.ts';

const KERNEL_ONLY = ['request_id', 'intent', 'tool_call', 'params', 'evidence'];
const SHARED = ['ts_ms', 'actor'];

/** Has a field that only a KernelRequest has. */
export function isKernelRequest(value: Record<string, unknown>): boolean {
  return KERNEL_ONLY.some((key) => Object.hasOwn(value, key));
}

const found = violations('K-PROP-108');

/**
 * A KernelRequest as the proposal that it means (seed 004, section 7). `tool_call` is a tool's name, or
 * `{tool_name, arguments?}`. The policy maps the tool to an action and a target. The format has no fields for
 * preconditions, envelope, window and class: those come from the template, with a window that begins at
 * `ts_ms`. `intent` is never read.
 */
export function mapKernelRequest(
  request: Record<string, unknown>,
  loaded: LoadedPolicy | null,
  template: ProposalTemplate,
): { raw: Record<string, unknown>; violations: Violation[] } {
  const problems: Violation[] = [];
  for (const key of Object.keys(request)) {
    if ((PROPOSAL_FIELDS as readonly string[]).includes(key) && !SHARED.includes(key))
      problems.push(found(pointerTo('', key), 'A KernelRequest contains a field of a proposal.'));
  }
  const call = readCall(own(request, 'tool_call'));
  if (call === null)
    problems.push(found('/tool_call', 'It must name a tool: a name, or {tool_name, arguments?}.'));
  const tools = loaded?.policy.tools.filter(({ tool_name }) => tool_name === call?.name) ?? [];
  const tool = tools.length === 1 ? tools[0] : undefined;
  if (call !== null && tool === undefined)
    problems.push(found('/tool_call', 'The policy does not map this tool to an action and a target.'));
  const params = own(request, 'params') ?? call?.args ?? {};
  if (call?.args !== undefined && !jsonEqual(params, call.args))
    problems.push(found('/params', 'It differs from the arguments of tool_call.'));
  const evidence = own(request, 'evidence');
  return {
    raw: {
      ...conditionsOf(template, typeof request.ts_ms === 'number' ? request.ts_ms : 0),
      ...rest(request),
      proposal_id: own(request, 'request_id'),
      ...(tool === undefined ? {} : { action_type: tool.action_type, target: tool.target }),
      parameters: params,
      ...(evidence === undefined ? {} : { evidence_bindings: bindingsOf(evidence) }),
    },
    violations: problems,
  };
}

/** The tool that a KernelRequest names; null for anything else. */
export function kernelTool(value: Record<string, unknown> | null): string | null {
  if (value === null || !isKernelRequest(value)) return null;
  return readCall(own(value, 'tool_call'))?.name ?? null;
}

function readCall(value: unknown): { name: string; args: unknown } | null {
  if (typeof value === 'string' && value !== '') return { name: value, args: undefined };
  if (!isObject(value)) return null;
  const { tool_name: name, arguments: args, ...others } = value;
  if (typeof name !== 'string' || name === '' || Object.keys(others).length > 0) return null;
  return { name, args };
}

/** What both formats call alike, and what neither knows: that is refused as unknown later. */
function rest(request: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).filter(
      ([key]) =>
        !KERNEL_ONLY.includes(key) &&
        (SHARED.includes(key) || !(PROPOSAL_FIELDS as readonly string[]).includes(key)),
    ),
  );
}

/** A bare reference is bound under its own name. */
function bindingsOf(evidence: unknown): unknown {
  if (!Array.isArray(evidence)) return evidence;
  return evidence.map((item) => (typeof item === 'string' ? { evidence_id: item, ref: item } : item));
}

/**
 * A draft with changes and additions: objects are merged key by key at every depth; any other value (an array
 * too) replaces the old one. A KernelRequest has its own fields and gets nothing from a draft.
 */
export function completeProposal(
  draft: Readonly<Record<string, unknown>>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  return isKernelRequest(given) ? given : merge(draft, given);
}

function merge(
  draft: Readonly<Record<string, unknown>>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const merged: [string, unknown][] = Object.entries(given).map(([key, value]) => {
    const drafted = own(draft, key);
    return [key, isObject(drafted) && isObject(value) ? merge(drafted, value) : value];
  });
  const left = Object.entries(draft).filter(([key]) => !Object.hasOwn(given, key));
  return Object.fromEntries([...left, ...merged]);
}
