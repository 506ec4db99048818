import { formatDuration, localInstant } from '../../base/duration.ts';
import type { ProposalFacts } from '../../gate/approval/count.ts';
import type { GateDecision } from '../../gate/decide.ts';
import { asksWords } from '../../gate/policy/rule-for.ts';
import type { Violation } from '../../gate/violation.ts';
import { WHY_UNCOUNTED } from '../wording.ts';
import { actionRows, directoryOf, jsonText, nameText } from './approval-action.ts';

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
    ['step', `${step.index}/${step.count} ${step.label}${screen.is_rollback ? ' (this rolls it back)' : ''}`],
    ...actionRows(screen),
    ['host', place?.host ?? 'not on record'],
    ['directory', directoryOf(screen)],
    ['action', screen.action_type],
    ['target', targetText(target)],
    ['effects', screen.effects.map(nameText).join(', ') || 'the protocol names none'],
    ['risk', riskText(screen)],
    ['rollback', rollbackText(rollback)],
    ...screen.evidence.map((one): [string, string] => ['evidence', evidenceText(one, format)]),
    ['proposed by', screen.proposed_by],
    ...(window === null
      ? []
      : [
          [
            'can run',
            `from ${localInstant(window.from, format)}\nuntil ${localInstant(window.until, format)}`,
          ] as const,
        ]),
    ['needs', needsText(screen)],
    ...screen.rules.map(({ name, asks }): [string, string] => [
      'asked by',
      `rule ${name} of the policy: ${asksWords(asks)}`,
    ]),
    ['approvals', `${screen.given} of ${screen.needed}`],
    ...screen.approved_by.map(({ name, source, until, unbound }): [string, string] => [
      'approved by',
      `${name} (${source === 'ssh' ? 'signed' : 'at a terminal'}${unbound ? ', not bound to this command and place' : ''}) until ${localInstant(until, format)}`,
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

function targetText({
  resource_type,
  resource_id,
  domain,
  constraints = {},
}: ApprovalScreen['target']): string {
  const limits = Object.entries(constraints).map(([name, value]) => {
    const fields = Array.isArray(value)
      ? value.map((field) => nameText(String(field))).join(', ')
      : jsonText(value);
    if (name === 'allowed_fields') return `changes only ${fields}`;
    return name === 'forbidden_fields' ? `never changes ${fields}` : `${nameText(name)} ${jsonText(value)}`;
  });
  const [type, id, place] = [resource_type, resource_id, domain].map((name) => nameText(name ?? ''));
  return [`${type} ${id} in ${place}`, ...limits].join('\n');
}

function riskText({ risk }: ApprovalScreen): string {
  const { max_affected_records: most, forbidden_effects: forbidden, reversible_required: reversible } = risk;
  return [
    most === null
      ? 'any number of records can be affected'
      : `at most ${most} record${most === 1 ? '' : 's'} may be affected`,
    ...(forbidden.length === 0 ? [] : [`forbidden effects: ${forbidden.map(nameText).join(', ')}`]),
    reversible ? 'it must be possible to roll back' : 'it may be impossible to roll back',
  ].join('\n');
}

function rollbackText(rollback: ApprovalScreen['rollback']): string {
  if (rollback === null || rollback.strategy === 'none') return 'the protocol names none';
  const { strategy, command, chain_uri, verify, deadline_ms } = rollback;
  const how = { manual: 'by hand', command: command ?? '', chain: `by the protocol ${chain_uri ?? ''}` }[
    strategy
  ];
  return [
    how,
    ...(verify === undefined ? [] : [`checked by: ${verify}`]),
    ...(deadline_ms === undefined ? [] : [`within ${formatDuration(deadline_ms)} of the failure`]),
  ].join('\n');
}

/** How many people, in words. */
function needsText({ needed, approval_class: asked }: ApprovalScreen): string {
  if (needed === 0) return 'no approval';
  return `${needed === 1 ? 'one other person' : `${needed === 2 ? 'two' : needed} other people`} (class ${asked})`;
}

function evidenceText(one: ApprovalScreen['evidence'][number], format: ScreenFormat): string {
  const asked = `${nameText(one.field)} ${OPERATORS[one.operator] ?? one.operator} ${jsonText(one.value)}`;
  if (one.step === null) return `${asked}: no usable proof (${one.ref})`;
  const where =
    one.place === undefined ? [] : [`CAREFUL: read in ${one.place.directory} on ${one.place.host}`];
  const how = OBTAINED[one.assurance ?? ''] ?? one.assurance;
  const seen = `step ${one.step}, ${how}${one.at === null ? '' : `, ${localInstant(one.at, format)}`}`;
  const found = one.holds ? 'true' : 'NOT true';
  return [`${asked}: ${found}, it is ${jsonText(one.actual)}`, seen, ...where].join('\n');
}

const OPERATORS: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is more than',
  lt: 'is less than',
};

/** How a proof was obtained, in words. */
const OBTAINED: Readonly<Record<string, string>> = {
  claimed: 'claimed, not checked by kairos',
  client: 'given through a client',
  observed: 'observed by kairos',
  attested: 'signed by another person',
};

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
  return value === undefined ? 'absent' : jsonText(value);
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

/** The instant that is so many milliseconds from now. */
function later(ms: number, format: ScreenFormat): string {
  return localInstant(new Date(format.now + ms).toISOString(), format);
}
