import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import type { Revision } from '../../../store/port.ts';
import { readChains } from '../../chain-source.ts';
import type { Call } from '../../command.ts';
import { readTarget, revisionOf } from '../../target.ts';
import type { RunOptions } from './options.ts';

/** What is to be walked, and whether it still has to be kept. */
export interface ChosenRevision {
  revision: Revision;
  kept: boolean;
  /** A path, or author and space: what is said when it has to be trusted. */
  origin: string;
}

/** The revision that `FILE|URI|SLUG` names. A file's is kept unlisted, without looking for duplicates. */
export async function chooseRevision(
  ctx: OperationContext,
  call: Call<[string], RunOptions>,
): Promise<ChosenRevision> {
  const target = readTarget(call.args[0]);
  if (target.kind !== 'file') {
    const revision = await revisionOf(ctx, target);
    return {
      revision,
      kept: true,
      origin: `revision ${revision.number} by ${revision.author} in space ${revision.space}`,
    };
  }
  const { space, actor } = ctx.caller;
  const { chains, warnings } = await readChains(target.path, space, call.io);
  for (const { line, column, reason } of warnings) {
    if (!call.output.json) call.output.note(`${line}:${column}  ${reason}`);
  }
  const wanted = call.options.chain;
  const chain = wanted === undefined ? chains[0] : chains.find(({ content }) => content.slug === wanted);
  if (chain === undefined || (wanted === undefined && chains.length > 1)) {
    const slugs = chains.map(({ content }) => content.slug).join(', ');
    throw new KairosError('INVALID_INPUT', `${target.path} holds these protocols: ${slugs}`, {
      hint: 'Name the one to walk with --chain.',
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
