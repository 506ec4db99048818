import { isObject } from '../base/json.ts';
import type { EntryData, EntryKind, Json, LedgerEntry } from '../ledger/entry.ts';
import type { Assurance } from '../protocol/schema.ts';

/** The text of an entry: a line, further lines under it, and whether something went wrong. */
interface TimelineText {
  text: string;
  details?: string[];
  bad?: boolean;
}
/** Describes an entry of one kind; `step` names its step. Raw texts. */
export type DescribeEntry = (data: EntryData, step: string) => TimelineText;

/** Lines of output or text shown under an entry; the export has all of them. */
const SHOWN_LINES = 10;

/** Names of environment variables, as a part of a line. */
export function environment(names: Json | undefined): string {
  return Array.isArray(names) && names.length > 0
    ? `, environment ${names.map(valueInOneLine).join(', ')}`
    : '';
}

/** A text under its name; nothing for an empty text. */
export function namedLines(name: string, value: Json | undefined): string[] {
  const shown = lines(value);
  return shown.length === 0 ? [] : [`${name}:`, ...shown.map((line) => `  ${line}`)];
}

/** The lines of a text, without the middle of a long one. */
export function lines(value: Json | undefined): string[] {
  if (typeof value !== 'string' || value.trim() === '') return [];
  const all = value.replace(/\n+$/, '').split('\n');
  if (all.length <= SHOWN_LINES) return all;
  const half = SHOWN_LINES / 2;
  return [...all.slice(0, half), `(${all.length - SHOWN_LINES} lines left out)`, ...all.slice(-half)];
}

/** Any value in one line. */
export function valueInOneLine(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The lines of an object in an entry, if there is one. */
export function ofObject(value: Json | undefined, tell: (data: EntryData) => string[]): string[] {
  return !isObject(value) ? [] : tell(value);
}

type GateKind = Extract<
  EntryKind,
  'proposal.decided' | 'approval.given' | 'permit.consumed' | 'rollback.done'
>;

/** The text of entries about proposals, approvals, permits and rollbacks. */
export const GATE_DESCRIPTIONS: Record<GateKind, DescribeEntry> = {
  'proposal.decided': (data, step) => ({
    text: `${data.rollback === true ? `rollback of ${step}` : step} proposed by ${valueInOneLine(data.actor)}: ${valueInOneLine(data.decision)}`,
    details: [
      `class ${valueInOneLine(data.approval_class)}, ${valueInOneLine(data.approvals_given)} of ${valueInOneLine(data.approvals_needed)} approvals, proposal ${short(data.proposal_hash)}`,
      ...reasons(data.reasons),
    ],
    bad: data.decision === 'DENY' || data.decision === 'HALT',
  }),
  'approval.given': (data, step) => ({
    text: `${step} ${data.decision === 'deny' ? 'denied' : 'approved'} by ${valueInOneLine(data.approver)} (${data.source === 'ssh' ? 'signed' : 'at a terminal'})`,
    details: [`proposal ${short(data.proposal_hash)}`],
    bad: data.decision === 'deny',
  }),
  'permit.consumed': (data, step) => ({
    text: `${data.rollback === true ? `rollback of ${step} begun, its` : step} permit used by ${valueInOneLine(data.actor)}`,
    details: [
      `permit ${short(data.permit_id)}${environment(data.env)}`,
      ...(typeof data.chain_run_id === 'string' ? [`run as ${data.chain_run_id}`] : []),
    ],
  }),
  'rollback.done': (data, step) => ({
    text: `${step} ${data.succeeded === true ? '' : 'not '}rolled back by ${valueInOneLine(data.strategy)} [${valueInOneLine(data.assurance)}]${data.late === true ? ', after its deadline' : ''}`,
    details: [
      ...ofObject(data.observed, ({ exit_code, timed_out, account, chain_run_id, outcome }) => [
        ...namedLines('account', account),
        ...(chain_run_id === undefined
          ? []
          : [`run ${valueInOneLine(chain_run_id)}, outcome ${valueInOneLine(outcome)}`]),
        ...(exit_code === undefined
          ? []
          : [timed_out === true ? 'timed out' : `exit code ${valueInOneLine(exit_code)}`]),
      ]),
      ...ofObject(data.verify, ({ succeeded, exit_code }) => [
        succeeded === true ? 'verified' : `not verified: exit code ${valueInOneLine(exit_code)}`,
      ]),
    ],
    bad: data.succeeded !== true || data.late === true,
  }),
};

function reasons(value: Json | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((reason) =>
    ofObject(reason, ({ code, pointer, message }) => [
      [code, pointer, message]
        .filter((part) => part !== '')
        .map(valueInOneLine)
        .join(' '),
    ]),
  );
}

/** The reasons of a decision, a line each. */
export function reasonLines(value: Json | undefined): string[] {
  return each(value).map((reason) =>
    isObject(reason)
      ? `${valueInOneLine(reason.code as Json)}: ${valueInOneLine(reason.message as Json)}`
      : valueInOneLine(reason),
  );
}

/** Enough of a hash to distinguish it. */
function short(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, 12) : valueInOneLine(value);
}

/** What kairos itself read, or found missing, when it accepted a proof. */
export function outputLines(outputs: Json | undefined): string[] {
  return each(outputs).flatMap((output) =>
    ofObject(output, ({ path, exists, checks, files }) => {
      if (exists === false) return [`kairos found nothing at ${valueInOneLine(path)}`];
      const names = each(checks).map(valueInOneLine).join(', ');
      return each(files).flatMap((file) =>
        ofObject(file, ({ path: name, size, sha256 }) => [
          `kairos read ${valueInOneLine(name)}, ${valueInOneLine(size)} bytes, sha256 ${valueInOneLine(sha256)}${names === '' ? '' : `; checked: ${names}`}`,
        ]),
      );
    }),
  );
}

function each(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** Of a tool call without an answer. */
const TOOL_FAILURES: Readonly<Record<string, string>> = {
  not_started: 'the server could not be started',
  ended_early: 'the server ended without an answer',
  no_such_tool: 'the server has no such tool',
  protocol_error: 'the server gave no valid answer',
};

/** Of a command without an end on record. */
export const END_UNKNOWN = 'its end is not known';

const NOT_STARTED = 'could not be started';

/** Whether these are the words for a command or tool that was not started. */
export function isNotStarted(ended: string): boolean {
  return ended.startsWith(NOT_STARTED);
}

/** How a command or a tool call ended, in words. */
export function endOf({ error, timed_out, aborted, signal, failure, exit_code }: EntryData): string {
  if (typeof error === 'string') return `${NOT_STARTED}: ${error}`;
  if (timed_out === true || failure === 'timed_out') return 'timed out';
  if (aborted === true || failure === 'aborted') return 'stopped';
  if (typeof signal === 'string') return `killed by ${signal}`;
  if (failure === null) return 'the tool answered';
  if (typeof failure === 'string') return TOOL_FAILURES[failure] ?? failure;
  return `exit code ${valueInOneLine(exit_code)}`;
}

/** Shown instead of the value of a secret. */
export const SECRET = '(secret)';

/** One solution of a step: its type, its result and its assurance. */
export interface ReportAttempt {
  seq: number;
  at: string;
  accepted: boolean;
  type: string;
  assurance: Assurance;
  /** The error code of a refusal. */
  code: string | null;
  /** In words, where the record has them. */
  reason: string | null;
  /** The proof as the record keeps it. */
  proof: EntryData | null;
  /** The values that it gave to later steps, as name and value. */
  captures: [name: string, value: string][];
}

export function attemptOf({ seq, at, data }: LedgerEntry, accepted: boolean): ReportAttempt {
  // A refusal keeps the result of the step under its type, and does not name the type.
  const proof = accepted ? data[valueInOneLine(data.type)] : (data.shell ?? data.mcp);
  return {
    seq,
    at,
    accepted,
    type: data.closing === true ? 'closing account' : valueInOneLine(data.type ?? ''),
    assurance: data.assurance as Assurance,
    code: accepted ? null : valueInOneLine(data.code),
    reason: refusalText(data),
    proof: isObject(proof) ? (proof as EntryData) : null,
    captures: capturedRows(data),
  };
}

/** The values that a proof gave to later steps, as name and value. */
export function capturedRows({ captures, secret_captures: secrets }: EntryData): [string, string][] {
  const given = Object.entries(isObject(captures) ? captures : {});
  return [
    ...given.map(([name, value]): [string, string] => [name, valueInOneLine(value as Json)]),
    ...each(secrets).map((name): [string, string] => [valueInOneLine(name), SECRET]),
  ];
}

/** Why a proof was refused: in the words of kairos, the pattern that was not found, and the words of a verifier. */
function refusalText({ message, wanted, reason }: EntryData): string | null {
  const pattern =
    isObject(wanted) && typeof wanted.stdout_matches === 'string' ? wanted.stdout_matches : null;
  const parts = [message, pattern === null ? null : `Expected in the output: ${pattern}`, reason];
  return parts.filter((part) => typeof part === 'string').join(' ') || null;
}

const CONTEXT: [key: string, name: string][] = [
  ['host', 'Host'],
  ['workdir', 'Directory'],
  ['face', 'Through'],
  ['actor_origin', 'Name known from'],
  ['actor_account', 'Account'],
  ['session', 'Session'],
  ['policy_origin', 'Policy'],
  ['policy_digest', 'Policy digest'],
  ['store', 'Store'],
  ['tool_version', 'kairos'],
];

const INTERFACES: Record<string, string> = { cli: 'command line', mcp: 'MCP server' };

/** Where and under what a run worked, and what changed about that, as name and value. */
export function contextOf(entries: readonly LedgerEntry[], begun: EntryData): [string, string][] {
  const facts = CONTEXT.flatMap(([key, name]): [string, string][] => {
    const value = begun[key] == null ? null : valueInOneLine(begun[key]);
    return value === null ? [] : [[name, key === 'face' ? (INTERFACES[value] ?? value) : value]];
  });
  const changes = entries
    .filter(({ kind }) => MOVES.has(kind))
    .map(({ seq, at, kind, data }): [string, string] => [
      MOVES.get(kind) ?? kind,
      `${at}, entry ${seq}: ${(kind === 'run.rebased'
        ? rebasedFacts(data)
        : [data.host, data.workdir, data.policy_origin, data.by]
      )
        .filter((value) => value != null)
        .map(valueInOneLine)
        .join(', ')}`,
    ]);
  return [...facts, ...changes];
}

function rebasedFacts({ from, digest, carried, by }: EntryData): Json[] {
  const before = isObject(from) ? valueInOneLine(from.digest as Json) : 'another';
  const steps =
    Array.isArray(carried) && carried.length > 0 ? carried.map(valueInOneLine).join(', ') : 'none';
  return [`from revision ${before} to ${valueInOneLine(digest)}`, `steps carried over: ${steps}`, by ?? null];
}

const MOVES = new Map<string, string>([
  ['run.moved', 'Moved'],
  ['policy.adopted', 'Policy adopted'],
  ['run.rebased', 'Carried over'],
]);

/** The names of changes among the context of a report. */
export const CHANGES_OF_CONTEXT: ReadonlySet<string> = new Set(MOVES.values());
