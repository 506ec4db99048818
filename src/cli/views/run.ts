import { formatDuration, zonedTime } from '../../base/duration.ts';
import { escapeForTerminal } from '../../base/escape.ts';
import type { OperationContext, RunContext } from '../../operations/context.ts';
import { storedRun } from '../../operations/run/locate.ts';
import type { RecordCheck } from '../../operations/verify.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { ReportStep } from '../../report/steps.ts';
import type { TimelineItem } from '../../report/timeline.ts';
import { rollbackText, stateText } from '../../report/words.ts';
import type { OpenPermit, RollbackInProgress } from '../../run/gate-state.ts';
import type { UnknownOutcome } from '../../run/state.ts';
import { MESSAGES } from '../../run/wording.ts';
import type { RunRow } from '../../store/port.ts';
import type { Output } from '../output.ts';
import { heading, keyValues, table } from '../terminal/layout.ts';

export interface ShownRun {
  run: RunRow;
  /** Where it works and what it is judged by now. */
  context: RunContext;
  /** How the actor's name is known; null: not on record. */
  actorOrigin: string | null;
  /** The account behind it. */
  actorAccount: string;
  /** What it is done to, in the order of the protocol. */
  inputs: readonly (readonly [name: string, value: string])[];
  assurance: Record<Assurance, number>;
  selfReported: boolean;
  /** Inputs are shown whole, however long they are. */
  isFull: boolean;
  /** A command, permit or rollback that began and has no recorded end. */
  inDoubt: UnknownOutcome | null;
  permitInDoubt: OpenPermit | null;
  rollbackInDoubt: RollbackInProgress | null;
  /** A line for each; null: every entry is shown instead. */
  steps: readonly ReportStep[] | null;
  /** Entries to show: all, or those that show why steps failed. */
  items: readonly TimelineItem[];
}

/** A run for people: its target, its assurance, and its entries in order. */
export async function runView(
  {
    run,
    assurance,
    selfReported,
    items,
    steps,
    context,
    inputs,
    actorOrigin,
    actorAccount,
    isFull,
    ...doubts
  }: ShownRun,
  output: Output,
): Promise<string> {
  const { color } = output;
  const blocks = [
    heading(run.title, { color }),
    await keyValues(
      [
        ['run', run.runId],
        ['protocol', run.slug],
        ['digest', run.digest],
        ['space', run.space],
        ['begun', `${zonedTime(run.begunAt)} by ${run.actor}${givenBy(actorOrigin, actorAccount)}`],
        ...contextRows(context),
        ...inputs.map(([name, value]) => [name, isFull ? value : beginningOf(value)] as const),
        [
          'state',
          run.sealedAt === null ? 'open' : `sealed ${zonedTime(run.sealedAt)}, outcome ${run.outcome}`,
        ],
        ['proofs', worthOf(assurance)],
      ],
      { color },
    ),
    ...(selfReported ? [color.yellow(MESSAGES.selfReported)] : []),
    ...doubtViews(doubts, output),
    ...(steps === null ? [] : [await stepsView(steps, output)]),
    ...(items.length === 0 ? [] : [items.map((item) => itemView(item, output)).join('\n')]),
  ];
  return blocks.join('\n\n');
}

/** Letters of an input that the summary shows. */
const LONGEST_INPUT = 400;

function beginningOf(value: string): string {
  if (value.length <= LONGEST_INPUT) return value;
  return `${value.slice(0, LONGEST_INPUT)}… (${value.length} characters, all of them with --full)`;
}

const NAMED_BY: Readonly<Record<string, string>> = {
  flag: 'named with --actor',
  config: 'named in the configuration',
  sudo: 'with the name in SUDO_USER',
  token: 'name of the token',
};

/** How a name is known that isn't simply the account. */
function givenBy(origin: string | null, account: string): string {
  const how = origin === null ? undefined : NAMED_BY[origin];
  if (how === undefined) return '';
  return origin === 'flag' || origin === 'config' ? ` (${how}, account ${account})` : ` (${how})`;
}

function contextRows({ place, policy }: RunContext): [string, string][] {
  return [
    ...(place === null
      ? []
      : ([['works in', `${place.workdir ?? 'no directory'} on ${place.host}`]] as [string, string][])),
    ...(policy === null || policy.digest === null
      ? []
      : ([['policy', `${policy.digest}${policy.origin === null ? '' : ` from ${policy.origin}`}`]] as [
          string,
          string,
        ][])),
  ];
}

/** One line for each step: its state, the assurance of its proof, its duration, and why it was refused. */
export async function stepsView(
  steps: readonly ReportStep[],
  { color, columns: fit }: Output,
): Promise<string> {
  const heads = [
    { head: '#' },
    { head: 'STEP' },
    { head: 'STATE' },
    { head: 'PROOF' },
    { head: 'TOOK' },
    { head: '' },
  ];
  const rows = steps.map((step) => {
    const refused = step.attempts.filter(({ accepted }) => !accepted);
    const time = step.workingMs + step.waitingMs;
    return [
      String(step.number),
      step.label,
      stateText(step),
      step.assurance ?? '',
      time === 0 ? '' : formatDuration(time),
      [
        ...(refused.length === 0 ? [] : [`refused: ${refused.map(({ code }) => code).join(', ')}`]),
        ...step.rollbacks.map(rollbackText),
      ].join('; '),
    ];
  });
  return table(heads, rows, { color, cut: { column: 1, fit } });
}

export const shortName = ({ runId, title }: RunRow) => `run ${runId.slice(0, 8)}: ${title}`;

/** See `storedRun`. Names the run that `latest` stands for, for commands that don't name it otherwise. */
export async function namedRun(
  ctx: OperationContext,
  { json, note }: Output,
  reference: string,
): Promise<RunRow> {
  const run = await storedRun(ctx, reference);
  if (reference.toLowerCase() === 'latest' && !json) note(escapeForTerminal(`latest is ${shortName(run)}`));
  return run;
}

/** For example `2 observed, 1 claimed`. */
export function worthOf(assurance: Record<Assurance, number>): string {
  const counts = Object.entries(assurance).filter(([, count]) => count > 0);
  return counts.map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
}

type Doubts = Pick<ShownRun, 'inDoubt' | 'permitInDoubt' | 'rollbackInDoubt'>;

function doubtViews({ inDoubt, permitInDoubt, rollbackInDoubt }: Doubts, { color }: Output): string[] {
  const view = (said: string, cmd: string | null) =>
    [
      color.red(escapeForTerminal(`Unknown outcome: ${said}`)),
      ...(cmd === null ? [] : [`  ${escapeForTerminal(cmd)}`]),
    ].join('\n');
  return [
    ...(inDoubt === null
      ? []
      : [
          view(
            `the command of step ${inDoubt.step} was started ${zonedTime(inDoubt.startedAt)} and its end is not known; it may still be running.`,
            inDoubt.cmd,
          ),
        ]),
    ...(permitInDoubt === null
      ? []
      : [
          view(
            `the permit of step ${permitInDoubt.step} was used ${zonedTime(permitInDoubt.consumedAt)} and the result is not known.`,
            null,
          ),
        ]),
    ...(rollbackInDoubt === null
      ? []
      : [
          view(
            `the rollback of step ${rollbackInDoubt.step} was begun ${zonedTime(rollbackInDoubt.startedAt)} and its end is not known.`,
            rollbackInDoubt.cmd,
          ),
        ]),
  ];
}

export function itemView({ seq, at, text, details, bad }: TimelineItem, { color }: Output): string {
  const mark = color.dim(`${String(seq).padStart(4)}  ${escapeForTerminal(zonedTime(at))}`);
  const said = escapeForTerminal(text);
  const under = details.map((line) => `        ${escapeForTerminal(line, { keepTabs: true })}`);
  return [`${mark}  ${bad ? color.red(said) : said}`, ...under].join('\n');
}

/** The state of a record for people; JSON keeps `whole`. */
export function statusWord(status: RecordCheck['status']): string {
  return status === 'whole' ? 'intact' : status;
}
