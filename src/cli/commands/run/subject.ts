import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { guardNeed } from '../../../operations/propose.ts';
import {
  furtherInputs,
  newPlace,
  requireCarried,
  type SettledPlace,
  settlePlace,
} from '../../../operations/resume.ts';
import { declaredInputs } from '../../../operations/run/inputs.ts';
import { requireRun } from '../../../operations/run/transact.ts';
import { readChains, readTarget, revisionOf } from '../../../operations/target.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import type { InputDefinition } from '../../../protocol/schema.ts';
import { pendingStation, type UnknownOutcome } from '../../../run/state.ts';
import type { Revision, RunRow } from '../../../store/port.ts';
import type { ActorOptions, Call } from '../../command.ts';

/**
 * A request to begin a new run or resume an open one. `open`: an open run of the same content. `document`: the current content
 * of the document that the run came from. `onto`: the revision that it is carried over to.
 */
export type RunRequest =
  | ({ kind: 'begin'; open: RunRow | null } & ChosenRevision)
  | { kind: 'resume'; runId: string; document: Revision | null; onto: ChosenRevision | null };

/** The call of `run` or `resume`. */
export type RunCall = Call<unknown[], SharedRunOptions>;

/** The revision to run, where it starts, and in which place. */
export interface RunTarget extends ChosenRevision {
  /** Index of the first station. */
  from: number;
  /** The proposal of the first station was submitted and waits for its judgement. */
  isProposed: boolean;
  /** The command of the first station that was started and whose end is not known. */
  inDoubt: UnknownOutcome | null;
  /** The content as an open run shows it, with its inputs and captures; null before the run begins. */
  shown: ChainContent | null;
  /** The inputs that have to be given. */
  declared: Record<string, InputDefinition>;
  /** Where the run's commands run, and where the run moves to for that. */
  settled: SettledPlace;
}

/** Returns the target of a request. An open run keeps the revision that it began with. Throws RUN_NOT_FOUND. */
export async function runTargetOf(
  ctx: OperationContext,
  { io, options }: RunCall,
  request: RunRequest,
): Promise<RunTarget> {
  if (request.kind === 'begin') {
    const settled = await newPlace(io, ctx.place?.host ?? '', options);
    return {
      ...request,
      from: 0,
      isProposed: false,
      inDoubt: null,
      shown: null,
      declared: declaredInputs(request.revision),
      settled,
    };
  }
  const run = await requireRun(ctx, request.runId);
  const { runId, onto } = request;
  const carried = onto === null ? null : await requireCarried(ctx, run.state, onto.revision);
  const settled = await settlePlace(ctx, io, options, { runId, recorded: run.state.place });
  const { at: from, content, inDoubt } = run.state;
  if (onto !== null) {
    return {
      ...onto,
      from,
      isProposed: false,
      inDoubt,
      shown: carried,
      declared: furtherInputs(run.state, onto.revision),
      settled,
    };
  }
  const { revision } = run;
  const pending = pendingStation(run.state);
  const isProposed = pending !== null && guardNeed(run.state, pending) === 'judgement';
  const origin = `run ${runId}`;
  return { revision, kept: true, origin, from, isProposed, inDoubt, shown: content, declared: {}, settled };
}

/** Options of `run` that also apply to `resume`. */
export interface SharedRunOptions extends ActorOptions {
  answers?: string;
  yes?: boolean;
  /** False: `--no-input`. */
  input?: boolean;
  /** `--input NAME=VALUE`, repeatable. */
  inputValues?: string[];
  /** A file of inputs. */
  inputs?: string;
  inputsFromEnv?: boolean;
  trust?: string[];
  workdir?: string;
  root?: string[];
  /** `--here`: move the run to this machine and, without `--workdir`, to the current directory. */
  here?: boolean;
  contain?: boolean;
}

export interface ResumeOptions extends SharedRunOptions {
  /** The document to carry the run over to. */
  with?: string;
}

export interface RunOptions extends SharedRunOptions {
  /** True: the newest open run of the protocol. A text: that run. */
  resume?: string | true;
  dryRun?: boolean;
  chain?: string;
}

/** The revision to run, and whether it is stored. */
export interface ChosenRevision {
  revision: Revision;
  kept: boolean;
  /** A path, or author and space. The trust question shows it. */
  origin: string;
}

/** Frontmatter alone makes no protocol (SPEC 1). */
function isProse({ steps, triggers, completion_rule: rule }: ChainContent): boolean {
  return triggers === null && rule === null && steps.every(({ block }) => block === null);
}

/**
 * The revision that `FILE|URI|SLUG` names. A file's is kept unlisted, without looking for duplicates. `chainId`: of several in a
 * file, the one that is meant.
 */
export async function chooseRevision(
  ctx: OperationContext,
  call: Call<unknown[], SharedRunOptions & { chain?: string }>,
  text: string,
  chainId?: string,
): Promise<ChosenRevision> {
  const target = readTarget(text);
  if (target.kind !== 'file') {
    const revision = await revisionOf(ctx, target);
    return {
      revision,
      kept: true,
      origin: `${revision.number > 0 ? `revision ${revision.number}` : 'an unlisted revision'} by ${revision.author} in space ${revision.space}`,
    };
  }
  const { space, actor } = ctx.caller;
  const { chains, warnings } = await readChains(target.path, space, call.io);
  for (const { line, column, reason } of warnings) {
    if (!call.output.json) call.output.note(`${line}:${column}  ${reason}`);
  }
  if (chains.every(({ content }) => isProse(content)) && !call.output.json)
    call.output.note(
      `${target.path} has no step block, triggers or completion rule, so it is prose. To make a protocol of it: ${ctx.commandLine(['import', target.path])}`,
    );
  const wanted = call.options.chain;
  const meant = chainId === undefined ? undefined : chains.find((each) => each.chainId === chainId);
  const chain =
    meant ?? (wanted === undefined ? chains[0] : chains.find(({ content }) => content.slug === wanted));
  if (chain === undefined || (wanted === undefined && chainId === undefined && chains.length > 1)) {
    const slugs = chains.map(({ content }) => content.slug).join(', ');
    throw new KairosError('INVALID_INPUT', `${target.path} contains several protocols: ${slugs}`, {
      hint: 'Name the one to run with --chain.',
    });
  }
  return {
    revision: {
      ...chain,
      space,
      number: 0,
      author: actor,
      llmModelId: null,
      createdAt: new Date(ctx.clock()).toISOString(),
      weakened: null,
    },
    kept: false,
    origin: target.path,
  };
}
