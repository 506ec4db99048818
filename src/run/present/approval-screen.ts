import { formatDuration, localInstant } from '../../base/duration.ts';
import type { ProposalFacts, Uncounted } from '../../gate/approval/count.ts';
import type { GateDecision } from '../../gate/decide.ts';
import type { Violation } from '../../gate/violation.ts';

/** Everything that an approver sees before answering: data only, for a terminal, a page or a request file alike. */
export interface ApprovalScreen extends ProposalFacts {
  run_id: string;
  /** The gate's current decision. */
  decision: GateDecision;
  reasons: Violation[];
  /** How an earlier proposal for the step that was denied differs; null where none was. */
  denied_before: {
    proposal_hash: string;
    by: string[];
    reason: string | null;
    changes: ValueChange[];
  } | null;
  /** `ttl_ms`: how long an approval counts, in milliseconds. */
  policy: { digest: string; origin: string | null; ttl_ms: number } | null;
  proposal_hash: string;
  /** What approvals are about: the hash of what is shown (see `contentHash`); null while the proposal can't be read. */
  binding: string | null;
}

/** One value that differs between two proposals. A side that lacks it is undefined. */
export interface ValueChange {
  pointer: string;
  before?: unknown;
  now?: unknown;
}

/** How instants are shown: in the reader's zone. */
export interface ScreenFormat {
  /** IANA name; left out: the machine's. */
  timeZone?: string;
  now: number;
  claimed?: true; // of a request: what no signature covers is marked
}

const UNSIGNED = /^(approvals|approved by|denied b.*|not counted|can approve|the gate)$/;

/** The screen as labelled lines, in the order in which they are read. The only renderer: who shows it escapes it. */
export function screenRows(screen: ApprovalScreen, format: ScreenFormat): [label: string, text: string][] {
  const { protocol, step, place, target, rollback, window, denied_before: before } = screen;
  const shown: (readonly [string, string])[] = [
    ['protocol', `${protocol.title} (${protocol.slug}, ${protocol.digest.slice(0, 12)})`],
    ['step', `${step.index}/${step.count} ${step.label}${screen.is_rollback ? ', rolled back' : ''}`],
    ...actionRows(screen),
    ['host', place?.host ?? 'not on record'],
    ['directory', directoryOf(screen)],
    ['action', screen.action_type],
    [
      'target',
      `${target.resource_type ?? ''} ${target.resource_id ?? ''} in ${target.domain ?? ''}${listed(target.constraints)}`,
    ],
    ['parameters', Object.keys(screen.parameters).length === 0 ? 'none' : json(screen.parameters)],
    ['effects', screen.effects.join(', ') || 'none named'],
    ['risk', riskText(screen)],
    ['rollback', rollback === null ? 'none' : rollbackText(rollback)],
    ...screen.evidence.map((one): [string, string] => ['evidence', evidenceText(one, format)]),
    ['proposed by', screen.proposed_by],
    ...(window === null
      ? []
      : [
          ['valid', `${localInstant(window.from, format)} to ${localInstant(window.until, format)}`] as const,
        ]),
    ['class', screen.approval_class],
    ...screen.rules.map(({ name, asks }): [string, string] => ['asked by', `${name} of the policy: ${asks}`]),
    ['approvals', `${screen.given} of ${screen.needed}`],
    ...screen.approved_by.map(({ name, source, until, unbound }): [string, string] => [
      'approved by',
      `${name} (${source === 'ssh' ? 'signed' : 'at a terminal'}${unbound ? ', without a binding' : ''}) until ${localInstant(until, format)}`,
    ]),
    ...screen.denied_by.map(({ name, reason }): [string, string] => [
      'denied by',
      reason === null ? name : `${name}: ${reason}`,
    ]),
    ...screen.not_counted.map(({ name, why }): [string, string] => [
      'not counted',
      `${name}: ${WHY_UNCOUNTED[why]}`,
    ]),
    ...(screen.policy === null || screen.given >= screen.needed
      ? []
      : [['until', `an approval given now counts until ${later(screen.policy.ttl_ms, format)}`] as const]),
    ['can approve', screen.could_approve.join(', ') || 'no other approver'],
    ...(before === null ? [] : deniedRows(before)),
    ['the gate', decisionText(screen)],
    [
      'policy',
      screen.policy === null
        ? 'none'
        : `${screen.policy.origin ?? ''} ${screen.policy.digest.slice(0, 12)}`.trim(),
    ],
    ['run', screen.run_id],
    ['proposal', screen.proposal_hash],
  ];
  const mark = (label: string) =>
    format.claimed === true && UNSIGNED.test(label) ? ' (the request claims it, not verified)' : '';
  return shown.map(([label, text]) => [label, `${text}${mark(label)}`]);
}

/** Why an answer doesn't count, as a part of a sentence. */
export const WHY_UNCOUNTED: Record<Uncounted, string> = {
  revoked: 'the key is revoked',
  'not-hardware': 'the policy requires a hardware key (sk-…)',
  'not-yet-valid': 'the key is not valid yet',
  expired: 'the key has expired',
  'no-policy': 'there is no policy',
  'other-proposal': 'it is about another proposal',
  'other-step': 'it is about another run or step',
  'other-protocol': 'it is about another revision of the protocol',
  'other-policy': 'it was given under another policy',
  unbound: 'its statement has no binding, so it is about no certain command or place',
  moved: 'the run was moved to another directory or machine since',
  'other-place':
    'it is about another command, variable, environment name, directory, host or value of the evidence',
  'unknown-key': 'the key belongs to no approver of the policy',
  'other-approver': 'the key or account is not that of the approver it names',
  proposer: 'its approver has proposed it',
  'run-out': 'it has expired',
  'no-terminal': 'an answer at a terminal is not enough for it',
  'not-in-quorum': 'its approver is not in the quorum of the policy',
};

function actionRows({ action, variables }: ApprovalScreen): [string, string][] {
  switch (action.kind) {
    case 'command':
      return [
        ['runs', action.command],
        ...(action.interpreter === 'sh' ? [] : [['interpreter', action.interpreter] as [string, string]]),
        ['timeout', `${action.timeout_seconds} s`],
        [
          'environment',
          `${action.environment.join(', ') || 'only the usual names'}; values, PATH and the files of scripts are not bound`,
        ],
        ...Object.entries(variables).map(([name, value]): [string, string] => [
          'variable',
          value === null ? `${name} (secret)` : `${name}=${cut(value)}`,
        ]),
      ];
    case 'tool':
      return [
        ['calls', action.server === null ? action.tool : `${action.tool} of ${action.server}`],
        ['arguments', json(action.arguments)],
        ['server', serverText(action)],
      ];
    case 'protocol':
      return [
        ['runs', `the protocol ${action.title} (${action.slug}, ${action.digest.slice(0, 12)})`],
        ...action.steps.map((words, at): [string, string] => [`its step ${at + 1}`, words]),
      ];
    default:
      return [['done by', `a person: ${action.text}`]];
  }
}

/** What starts the server of a tool, as far as known. */
function serverText({ server, definition }: Extract<ApprovalScreen['action'], { kind: 'tool' }>): string {
  if (server === null) return "the agent's client chooses it: it is not bound";
  if (definition == null) return 'none of this name can be started here';
  const { command, arguments: args, environment, directory, file, digest } = definition;
  return [
    [command, ...args].join(' '),
    ...(directory === null ? [] : [`in ${directory}`]),
    ...(environment.length === 0 ? [] : [`environment ${environment.join(', ')}`]),
    `named in ${file} (${digest.slice(0, 12)})`,
  ].join('\n');
}

function directoryOf({ place, action }: ApprovalScreen): string {
  const inside = action.kind === 'command' && action.workdir !== null ? action.workdir : null;
  const root = place?.directory ?? null;
  if (root === null) return inside === null ? 'not on record' : `${inside}, below one that is not on record`;
  const linked =
    action.kind === 'command' && action.directory !== undefined ? `, a link to ${action.directory}` : '';
  return inside === null ? root : `${root}, in ${inside}${linked}`;
}

function listed(constraints: unknown): string {
  return constraints === undefined || json(constraints) === '{}' ? '' : `, ${json(constraints)}`;
}

function riskText({ risk }: ApprovalScreen): string {
  const { max_affected_records: most, forbidden_effects: forbidden, reversible_required: reversible } = risk;
  return [
    most === null ? 'any number of records' : `at most ${most} record${most === 1 ? '' : 's'}`,
    ...(forbidden.length === 0 ? [] : [`never ${forbidden.join(', ')}`]),
    reversible ? 'must be reversible' : 'need not be reversible',
  ].join('; ');
}

function rollbackText({
  strategy,
  command,
  chain_uri,
  verify,
  deadline_ms,
}: NonNullable<ApprovalScreen['rollback']>): string {
  const how = {
    none: 'none',
    manual: 'by hand',
    command: command ?? '',
    chain: `protocol ${chain_uri ?? ''}`,
  }[strategy];
  return [
    how,
    ...(verify === undefined ? [] : [`verified by ${verify}`]),
    ...(deadline_ms === undefined ? [] : [`within ${formatDuration(deadline_ms)} of the failure`]),
  ].join('\n');
}

function evidenceText(one: ApprovalScreen['evidence'][number], format: ScreenFormat): string {
  const asked = `${one.field} ${one.operator} ${json(one.value)}`;
  if (one.step === null) return `${asked}: no usable proof (${one.ref})`;
  const where =
    one.place === undefined ? '' : `; CAREFUL: read in ${one.place.directory} on ${one.place.host}`;
  const seen = `step ${one.step}, ${one.assurance}${one.at === null ? '' : `, ${localInstant(one.at, format)}`}${where}`;
  return `${asked}: ${one.holds ? 'true' : 'not true'}, it is ${json(one.actual)} (${seen})`;
}

function deniedRows({
  proposal_hash,
  by,
  reason,
  changes,
}: NonNullable<ApprovalScreen['denied_before']>): [string, string][] {
  const who = by.length === 0 ? 'by the gate' : `by ${by.join(', ')}`;
  return [
    ['denied before', `${proposal_hash.slice(0, 12)} ${who}${reason === null ? '' : `: ${reason}`}`],
    [
      'changed since',
      changes.length === 0
        ? 'only its id and time'
        : changes.map(({ pointer, before, now }) => `${pointer}: ${side(before)} -> ${side(now)}`).join('\n'),
    ],
  ];
}

function side(value: unknown): string {
  return value === undefined ? 'absent' : json(value);
}

function decisionText({ decision, reasons }: ApprovalScreen): string {
  const lines = reasons.map(({ code, pointer, message }) =>
    [code, pointer, message].filter((part) => part !== '').join(' '),
  );
  return [DECISIONS[decision], ...lines].join('\n');
}

/** The codes of the gate, explained. */
const DECISIONS: Record<GateDecision, string> = {
  ALLOW: 'ALLOW: it may be done',
  HOLD: 'HOLD: it waits for approvals',
  DENY: 'DENY: it may not be done',
  HALT: 'HALT: an internal fault, so it may not be done',
};

const LONGEST = 2000; // characters of a value; the proposal itself has it whole

function json(value: unknown): string {
  return cut(JSON.stringify(value) ?? 'null');
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}

/** The instant that is so many milliseconds from now. */
function later(ms: number, format: ScreenFormat): string {
  return localInstant(new Date(format.now + ms).toISOString(), format);
}
