import { formatDuration } from '../base/duration.ts';
import { isObject } from '../base/json.ts';
import type { EntryData, EntryKind, LedgerEntry } from '../ledger/entry.ts';
import {
  capturedRows,
  type DescribeEntry,
  endOf,
  environment,
  GATE_DESCRIPTIONS,
  lines,
  namedLines,
  ofObject,
  outputLines,
  valueInOneLine,
} from './timeline-text.ts';

/** One line on what an entry records, with further lines under it. Raw texts: the caller escapes them. */
export interface TimelineItem {
  seq: number;
  at: string;
  text: string;
  details: string[];
  /** Something went wrong. */
  bad: boolean;
}

/** What happened in a run, entry by entry. `revisions`: those that it followed, with the labels of their steps. */
export function timeline(
  entries: readonly LedgerEntry[],
  revisions: readonly { labels: readonly string[] }[],
  full = false,
): TimelineItem[] {
  let revision = 0;
  return entries.map(({ seq, at, kind, data }) => {
    if (kind === 'run.rebased') revision += 1;
    const { labels = [] } = revisions[revision] ?? {};
    const {
      text,
      details = [],
      bad = false,
    } = (TELLERS[kind] ?? tellAnything(kind))(data, stepName(data, labels));
    // What the words of the kind leave out of a long output, the texts themselves have.
    const whole = full ? [...details, ...textsOf(data)] : details;
    return { seq, at, text: `${text}${writer(kind, data)}`, details: whole, bad };
  });
}

/** Kinds whose own text names the person. */
const NAMING = new Set<string>([
  'run.noted',
  'approval.given',
  'rollback.done',
  'trust.given',
  'run.resumed',
  'run.moved',
  'policy.adopted',
  'run.rebased',
]);

/** The author of an entry, if it isn't the person who began the run. */
function writer(kind: string, { by, by_account: account }: EntryData): string {
  const named = typeof by !== 'string' || NAMING.has(kind) ? '' : `, by ${by}`;
  return typeof account === 'string' ? `${named} (account ${account})` : named;
}

/** The long texts of an entry, complete. */
function textsOf(data: EntryData): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    if (isObject(value)) return textsOf(value);
    if (typeof value !== 'string' || value.split('\n').length <= 10) return [];
    return [`${name}, whole:`, ...value.split('\n').map((line) => `  ${line}`)];
  });
}

/** Who gave the name, where it was given. */
function accountOf({ actor_account: account }: EntryData): string {
  return account === undefined ? '' : `account ${valueInOneLine(account)}, `;
}

const TELLERS: Record<EntryKind, DescribeEntry> = {
  ...GATE_DESCRIPTIONS,
  'run.begun': (data) => ({
    text: `begun by ${valueInOneLine(data.actor)} (${accountOf(data)}${valueInOneLine(data.face)})${data.trusted === true ? '' : ', content not trusted'}`,
  }),
  'run.resumed': (data) => ({ text: `resumed by ${valueInOneLine(data.by)} (${valueInOneLine(data.face)})` }),
  'run.moved': (data) => ({
    text: `moved by ${valueInOneLine(data.by)} to ${placeText(data)}`,
    details: ofObject(data.from, (from) => [`from ${placeText(from)}`]),
    bad: true,
  }),
  'policy.adopted': (data) => ({
    text: `another policy adopted by ${valueInOneLine(data.by)}: ${policyText(data)}`,
    details: ofObject(data.from, (from) => [`before: ${policyText(from)}`]),
    bad: true,
  }),
  'run.rebased': (data) => ({
    text: `carried over by ${valueInOneLine(data.by)} to revision ${valueInOneLine(data.digest)}`,
    details: [
      ...ofObject(data.from, ({ digest }) => [`from revision ${valueInOneLine(digest)}`]),
      `steps carried over: ${Array.isArray(data.carried) && data.carried.length > 0 ? data.carried.map(valueInOneLine).join(', ') : 'none'}`,
    ],
    bad: true,
  }),
  'call.reported': (data, step) => ({
    text: `${step} was done: ${valueInOneLine(data.source)} reported the call [${valueInOneLine(data.assurance)}]`,
  }),
  'run.left': (data, step) => ({
    text: `agent stopped at ${step}, which is not proven`,
    details: [`client: ${valueInOneLine(data.source)}`],
    bad: true,
  }),
  'run.noted': (data) => ({ text: `note by ${valueInOneLine(data.by)}`, details: lines(data.text) }),
  'step.shown': (data, step) => ({
    text: `${step} shown, demands ${DEMANDS[valueInOneLine(data.demand)] ?? valueInOneLine(data.demand)}`,
  }),
  'step.skipped': (data, step) => ({ text: `${step} skipped`, details: [valueInOneLine(data.reason)] }),
  'proof.accepted': (data, step) => ({
    text: `${data.closing === true ? 'closing comment' : `${step} proven`}: ${sourceOf(data)} [${valueInOneLine(data.assurance)}]`,
    details: [
      ...proofDetails(data),
      ...capturedRows(data).flatMap(([name, value]) => namedLines(`captured ${name}`, value)),
      ...outputLines(data.outputs),
      ...effectLines(data),
    ],
  }),
  'proof.rejected': (data, step) => ({
    text: `${step} not proven: ${valueInOneLine(data.code)} [${valueInOneLine(data.assurance)}]`,
    details: [
      ...lines(data.message),
      ...ofObject(data.wanted, (wanted) => namedLines('wanted', wanted.stdout_matches)),
      ...refusedDetails(data),
      ...(data.waived === true ? ['The proof was optional; the run continued without it.'] : []),
      ...(data.reason === undefined ? [] : lines(data.reason)),
      ...ofObject(data.receipt, ({ affected_records, max_affected_records }) => [
        `${valueInOneLine(affected_records)} records affected, at most ${valueInOneLine(max_affected_records)} permitted`,
      ]),
    ],
    bad: true,
  }),
  'command.started': (data, step) => ({
    text: `${step} ${commandName(data)} started by kairos`,
    details: [
      ...lines(data.cmd),
      `${data.interpreter === undefined ? '' : `with ${valueInOneLine(data.interpreter)}, `}in ${valueInOneLine(data.cwd)}, timeout ${valueInOneLine(data.timeout_seconds)} s${environment(data.env)}`,
    ],
  }),
  'command.finished': (data, step) => ({
    text: `${step} ${commandName(data)} ended: ${ending(data)}`,
    details: [...lines(data.stdout), ...lines(data.stderr)],
    bad:
      data.timed_out === true ||
      data.aborted === true ||
      (data.failure === undefined ? data.exit_code !== 0 : data.failure !== null),
  }),
  'trust.given': (data) => ({
    text: `content trusted ${HOW_TRUSTED[valueInOneLine(data.how)] ?? ''} by ${valueInOneLine(data.by)}`,
  }),
  'run.sealed': (data) => ({
    text: `sealed with outcome ${valueInOneLine(data.outcome)}`,
    details: lines(data.message),
    bad: data.outcome !== 'success',
  }),
};

function placeText({ host, workdir }: EntryData): string {
  return `${valueInOneLine(workdir ?? 'no directory')} on ${valueInOneLine(host)}`;
}

function policyText({ policy_digest, policy_origin }: EntryData): string {
  return policy_digest === null
    ? 'none'
    : `${valueInOneLine(policy_digest)} from ${valueInOneLine(policy_origin ?? 'a file not named')}`;
}

const DEMANDS: Record<string, string> = {
  none: 'nothing',
  closing: 'the closing comment',
  shell: 'a command',
  mcp: 'a tool call',
  user_input: 'an answer',
  comment: 'a comment',
  sampling: "a model's answer",
};

const HOW_TRUSTED: Record<string, string> = {
  stored: '(as before)',
  flag: '(by its digest)',
  asked: '(after it was shown)',
};

/** Which command it is: the step's, its rollback's, or the check of the rollback. */
function commandName({ rollback, verify }: EntryData): string {
  if (rollback !== true) return 'command';
  return verify === true ? 'check of the rollback' : 'command of the rollback';
}

/** Where a proof comes from: a claim must never read like something that kairos saw. */
function sourceOf({ assurance, type, via }: EntryData): string {
  if (via === 'hook') return 'the client reported the call';
  if (via === 'gateway') return 'kairos passed the call on and saw its result';
  switch (assurance) {
    case 'attested':
      return 'signed by another person';
    case 'observed':
      return type === 'mcp' ? 'kairos called the tool itself' : 'kairos ran the command itself';
    case 'client':
      return type === 'sampling' ? 'the client let a model answer' : 'given at a prompt';
    default:
      return 'the agent or user reports';
  }
}

/** What is known about the effects that a permit allowed. */
function effectLines({ receipt }: EntryData): string[] {
  return ofObject(receipt, ({ effects, affected_records: affected, max_affected_records: max }) => [
    affected === null
      ? `effects ${valueInOneLine(effects)}`
      : `effects ${valueInOneLine(effects)}: ${valueInOneLine(affected)} of at most ${valueInOneLine(max)}`,
  ]);
}

function proofDetails(data: EntryData): string[] {
  const proof = data[valueInOneLine(data.type)];
  if (!isObject(proof)) return [];
  const says = data.assurance === 'claimed' ? 'claimed ' : '';
  switch (data.type) {
    case 'shell': {
      const duration =
        typeof proof.duration_ms === 'number' ? ` after ${formatDuration(proof.duration_ms)}` : '';
      return [
        `${says}exit code ${valueInOneLine(proof.exit_code)}${duration}`,
        ...namedLines(`${says}output`, proof.stdout),
        ...namedLines(`${says}error output`, proof.stderr),
      ];
    }
    case 'mcp':
      return [
        `${says}call of ${valueInOneLine(proof.tool_name)}`,
        ...namedLines(`${says}result`, proof.result_json),
      ];
    case 'user_input':
      return namedLines(`${says}answer`, proof.confirmation);
    case 'comment':
      return lines(proof.text);
    case 'sampling':
      return namedLines(`${says}answer of a model`, proof.result_json);
    default:
      return [JSON.stringify(proof)];
  }
}

/** The result of a step whose proof was rejected. */
function refusedDetails({ shell, mcp }: EntryData): string[] {
  return [
    ...ofObject(shell, ({ exit_code, stdout, stderr }) => [
      ...(exit_code === undefined ? [] : [`exit code ${valueInOneLine(exit_code)}`]),
      ...namedLines('output', stdout),
      ...namedLines('error output', stderr),
    ]),
    ...ofObject(mcp, ({ result_json }) => namedLines('result', result_json)),
  ];
}

function ending(data: EntryData): string {
  const duration = typeof data.duration_ms === 'number' ? ` after ${formatDuration(data.duration_ms)}` : '';
  return `${endOf(data)}${typeof data.error === 'string' ? '' : duration}`;
}

function tellAnything(kind: string): DescribeEntry {
  return (data) => ({ text: kind, details: [JSON.stringify(data)] });
}

/** `step 2 "Run the tests"`. */
function stepName({ step }: EntryData, labels: readonly string[]): string {
  if (typeof step !== 'number') return '';
  const label = labels[step - 1];
  return label === undefined ? `step ${step}` : `step ${step} ${JSON.stringify(label)}`;
}
