import { escapeForTerminal } from '../../base/escape.ts';
import type { TrustCase } from '../../operations/trust.ts';
import type { ChainContent } from '../../protocol/model.ts';
import { renderChain } from '../../protocol/render.ts';
import type { ProposedHold } from '../../protocol/schema.ts';
import type { Output } from '../output.ts';
import { heading, keyValues } from '../terminal/layout.ts';
import type { ConfirmQuestion } from '../terminal/question.ts';
import { demandRows, demandsOf, inputRows, type ShownDemand } from './demand.ts';
import { diffLines, hunks } from './diff.ts';

/** Only a person can answer it: no option can, not even `--yes`. */
export const TRUST_QUESTION: ConfirmQuestion = {
  name: 'trust',
  message: 'Allow this content to run on this machine as you?',
  default: false,
  byHand: true,
};

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/** Where a run is about to do what is trusted. */
interface TrustPlace {
  workdir: string | null | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Everything that trust would allow to run, and what changed since the last time. Nothing is shortened. With a place: its folder,
 * and which variables of the commands have no value there.
 */
export async function trustView(subject: TrustCase, output: Output, place?: TrustPlace): Promise<string> {
  const { content, digest, origin } = subject;
  const { color } = output;
  const blocks = [
    heading(content.title, { color }),
    await keyValues(
      [
        ['slug', content.slug],
        ['from', origin],
        ['digest', digest],
        ...(place?.workdir == null ? [] : [['in', place.workdir] as const]),
      ],
      { color },
    ),
    ...(await inputsOfTrust(content, output)),
    ...(await runnable(content, output, place?.env)),
    ...(await holdsOfTrust(content, output)),
    changes(subject, output),
  ];
  return blocks.join('\n\n');
}

async function inputsOfTrust(content: ChainContent, { color }: Output): Promise<string[]> {
  const rows = inputRows(content);
  return rows.length === 0
    ? []
    : [`Inputs that its commands get from you:\n${await keyValues(rows, { color, indent: 2 })}`];
}

async function holdsOfTrust({ holds = [] }: ChainContent, { color }: Output): Promise<string[]> {
  if (holds.length === 0) return [];
  const rows = holds.map((hold) => [heldText(hold.match), whenText(hold)] as const);
  return [`What agents could then do only in this protocol:\n${await keyValues(rows, { color, indent: 2 })}`];
}

/** The calls that a hold covers, for people. */
export function heldText({ command, tool, arguments: args }: ProposedHold['match']): string {
  return command ?? `tool ${tool}${args === undefined ? '' : ` ${JSON.stringify(args)}`}`;
}

function whenText({ step, allow_when: when, else: otherwise }: ProposedHold): string {
  const at = step === undefined ? '' : ` at step ${step}`;
  return `${WHEN[when]}${at}; otherwise: ${otherwise}`;
}

/** When a hold lets a call through. */
export const WHEN = {
  demanded: 'while the pending step of a run demands exactly this call',
  open: 'while a run is open',
  attested: 'after a run has succeeded',
} as const;

async function runnable(
  content: ChainContent,
  { color }: Output,
  env: TrustPlace['env'] | undefined,
): Promise<string[]> {
  const views: string[] = [];
  const captures = content.steps.flatMap(({ block }) => block?.captures ?? []).map(({ name }) => name);
  const given = new Set([...Object.keys(content.inputs ?? {}), ...captures]);
  for (const [at, demand] of demandsOf(content).entries()) {
    if (demand === null || !(demand.type === 'shell' || demand.type === 'mcp' || demand.proposal)) continue;
    const label = content.steps[at]?.label ?? '';
    const rows = await keyValues(demandRows(withValues(demand, env, given)), { color, indent: 2 });
    views.push(`${heading(label, { place: `${at + 1}/${content.steps.length}`, color })}\n${rows}`);
  }
  if (views.length === 0) return ['It runs no command and calls no tool.'];
  return ['What it would run on this machine:', ...views];
}

/** Marks the variables of a command that have no value. Inputs and captures get theirs from the run. */
function withValues(
  demand: ShownDemand,
  env: TrustPlace['env'] | undefined,
  given: ReadonlySet<string>,
): ShownDemand {
  const { shell } = demand;
  if (env === undefined || shell?.env === undefined) return demand;
  const names = shell.env.map((name) =>
    env[name] === undefined && !given.has(name) ? `${name} (not set)` : name,
  );
  return { ...demand, shell: { ...shell, env: names } };
}

function changes({ content, last }: TrustCase, { color }: Output): string {
  if (last === null) return 'No other content of this protocol is trusted here.';
  const { digest, trustedAt, by } = last.record;
  const since = escapeForTerminal(`${digest.slice(0, 12)}, trusted ${trustedAt} by ${by}`);
  if (last.content === null) {
    return `Other content of it is trusted here (${since}), but this store does not have it, so the changes cannot be shown.`;
  }
  const paint = { ' ': color.dim, '-': color.red, '+': color.green };
  const lines = hunks(diffLines(renderChain(last.content), renderChain(content)), CONTEXT).map((line) =>
    line === null ? color.dim('  ...') : paint[line.mark](`${line.mark} ${escapeForTerminal(line.text)}`),
  );
  return [`What changed since ${since}:`, ...lines].join('\n');
}
