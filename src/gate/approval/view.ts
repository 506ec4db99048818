import { canonical, sha256Hex } from '../../base/canonical.ts';
import { coveringRules, effectiveClass, effectsOf, quorumOf, rollbackOf } from '../effective.ts';
import type {
  Case,
  CommandSurroundings,
  GatedStep,
  NamedChain,
  NamedServer,
  VariableValue,
} from '../input.ts';
import { commandVariables, resolveDemand } from '../permit/permit.ts';
import { asksText } from '../policy/rule-for.ts';
import type { ApprovalClass, ProposalTarget, Rollback } from '../proposal.ts';
import { evidenceFacts, holds, isElsewhere, lookUp, resolveEvidence } from '../rules/evidence.ts';

/** What will be done, as the permit will let it be done. */
type ApprovedAction =
  | {
      kind: 'command';
      command: string;
      /** What runs it; `sh` unless the step names another. */
      interpreter: string;
      timeout_seconds: number;
      workdir: string | null;
      environment: string[];
      /** Absent: it names no environment and starts no file. */
      surroundings?: CommandSurroundings;
      /** Where a link leads instead. Absent: nowhere. */
      directory?: string;
    }
  | {
      kind: 'tool';
      tool: string;
      server: string | null;
      arguments: unknown;
      /** What the name of the server stands for; null if it is missing here. Absent: no server is named. */
      definition?: NamedServer | null;
    }
  | ({ kind: 'protocol' } & NamedChain)
  | { kind: 'person'; text: string };

/** A precondition with the value of its evidence. */
interface ShownEvidence {
  ref: string;
  step: number | null;
  field: string;
  operator: string;
  value: unknown;
  actual: unknown;
  assurance: string | null;
  /** RFC 3339 UTC. */
  at: string | null;
  holds: boolean;
  /** Where it was read, if that is not where the action is done. */
  place?: { host: string; directory: string | null };
}

/**
 * What a proposal is about and what supports it: everything on the approver's screen that approvals bind. The
 * screen repeats it unchanged, so that a reader elsewhere can compute the binding from what is shown.
 */
export interface ApprovedContent {
  protocol: { title: string; slug: string; digest: string };
  step: { index: number; count: number; label: string };
  /** It is about rolling the step back. */
  is_rollback: boolean;
  action: ApprovedAction;
  /** The variables that the command gets: inputs, captures and parameters. */
  variables: Record<string, VariableValue>;
  /** Where it is done; null where it isn't recorded. */
  place: { host: string; directory: string | null } | null;
  action_type: string;
  target: Partial<ProposalTarget>;
  parameters: Record<string, unknown>;
  effects: string[];
  risk: { forbidden_effects: string[]; max_affected_records: number | null; reversible_required: boolean };
  rollback: Rollback | null;
  evidence: ShownEvidence[];
  proposed_by: string;
  /** RFC 3339 UTC; null without a window. */
  window: { from: string; until: string } | null;
  approval_class: ApprovalClass;
  /** What each rule that covers it asks for. */
  rules: { name: string; asks: string }[];
  needed: number;
}

const CONTENT_KEYS = [
  'protocol',
  'step',
  'is_rollback',
  'action',
  'variables',
  'place',
  'action_type',
  'target',
  'parameters',
  'effects',
  'risk',
  'rollback',
  'evidence',
  'proposed_by',
  'window',
  'approval_class',
  'rules',
  'needed',
] as const satisfies readonly (keyof ApprovedContent)[];

/** Gathers what an approver has to see. `item` is a case that the gate has judged. */
export function approvedContent(item: Case): ApprovedContent {
  const { fields, gated, parts } = item;
  const parameters = fields.parameters ?? {};
  const { time_window: window } = fields;
  const { place = null, names, rollsBack: undoes } = gated;
  return {
    protocol: { title: names.title, slug: names.slug, digest: gated.chainDigest },
    step: { index: gated.step, count: names.steps, label: names.step },
    is_rollback: undoes !== undefined,
    action:
      undoes !== undefined && gated.demand.type !== 'shell'
        ? rollbackAction(undoes, rollbackOf(item))
        : shownAction(resolveDemand(gated.demand, fields), gated),
    variables: commandVariables(gated, parameters),
    place: place === null ? null : { host: place.host, directory: place.workdir },
    action_type: fields.action_type ?? '',
    target: fields.target ?? parts.target,
    parameters,
    effects: [...effectsOf(item)],
    risk: {
      forbidden_effects: parts.risk_envelope.forbidden_effects ?? [],
      max_affected_records: parts.risk_envelope.max_affected_records ?? null,
      reversible_required: parts.risk_envelope.reversible_required ?? false,
    },
    rollback: rollbackOf(item) ?? null,
    evidence: evidenceOf(item),
    proposed_by: fields.actor ?? item.actor,
    window:
      window === undefined
        ? null
        : { from: instant(window.valid_from_ms), until: instant(window.valid_until_ms) },
    approval_class: effectiveClass(item),
    rules: coveringRules(item).map((rule) => ({ name: rule.name, asks: asksText(rule) })),
    needed: quorumOf(item)?.needed ?? 0,
  };
}

/**
 * What approvals bind besides the proposal and the protocol: the hash of everything that the screen shows about it. Another
 * command, directory, host, effect, rollback or value of the evidence is another binding.
 */
export function contentHash(content: ApprovedContent): string {
  const shown = Object.fromEntries(CONTENT_KEYS.map((key) => [key, content[key]]));
  return sha256Hex(`kairos.approval.v1\n${canonical(shown)}`);
}

function rollbackAction(
  { chain }: NonNullable<GatedStep['rollsBack']>,
  rollback: Rollback | undefined,
): ApprovedAction {
  if (chain !== undefined) return { kind: 'protocol', ...chain };
  return {
    kind: 'person',
    text:
      rollback?.strategy === 'chain'
        ? `A separate run of the protocol ${rollback.chain_uri ?? ''} rolls the step back; it is not in this store.`
        : 'The step is rolled back by hand.',
  };
}

/** What a resolved demand is to the eye. */
function shownAction(
  demand: GatedStep['demand'],
  { directory, server: definition, surroundings }: Pick<GatedStep, 'directory' | 'server' | 'surroundings'>,
): ApprovedAction {
  switch (demand.type) {
    case 'shell': {
      const { cmd, interpreter = 'sh', timeout_seconds, workdir = null, env = [] } = demand.shell;
      const linked = directory === undefined ? {} : { directory };
      return {
        ...{ kind: 'command', command: cmd, interpreter, timeout_seconds, workdir, environment: env },
        ...linked,
        ...(surroundings === undefined ? {} : { surroundings }),
      };
    }
    case 'mcp': {
      const { tool_name: tool, server = null, arguments: args = {} } = demand.mcp;
      const known = definition === undefined ? {} : { definition };
      return { kind: 'tool', tool, server, arguments: args, ...known };
    }
    case 'user_input':
      return { kind: 'person', text: demand.user_input.prompt };
    default:
      return { kind: 'person', text: 'The step is done by hand, and its account is the proof.' };
  }
}

function evidenceOf(item: Case): ShownEvidence[] {
  const facts = evidenceFacts(item);
  return item.parts.preconditions.map(({ precondition: { field, operator, value, evidence_ref: ref } }) => {
    const resolution = resolveEvidence(ref, facts);
    const proof = resolution.ok ? resolution.proof : null;
    const actual = proof === null ? null : lookUp(proof.packet, field);
    const found = actual?.found === true ? actual.value : null;
    const place = proof !== null && isElsewhere(proof, item) ? proof.place : undefined;
    return {
      ...(place === undefined ? {} : { place: { host: place.host, directory: place.workdir } }),
      ref,
      step: proof?.step ?? null,
      field,
      operator,
      value,
      actual: found,
      assurance: proof?.assurance ?? null,
      at: proof === null ? null : instant(proof.at),
      holds: actual?.found === true && holds(operator, found, value, item.tools.patterns) === true,
    };
  });
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
