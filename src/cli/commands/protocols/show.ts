import { isTrusted } from '../../../operations/context.ts';
import { pickRevision, readChains, readTarget, revisionOf, revisionsOf } from '../../../operations/target.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { chainObject, chainView, type ShownChain } from '../../views/chain.ts';

/** `kairos show`. With `--json`: `{chains[]}`; a file needs no store. */
export const showCommand: Handler<[string], ShowOptions> = async (call) => {
  const chains = await shownChains(call);
  const { output } = call;
  if (output.json) output.object({ chains: chains.map(chainObject) });
  else {
    const views: string[] = [];
    for (const chain of chains) views.push(await chainView(chain, output));
    output.print(views.join('\n\n'));
  }
  return EXIT.ok;
};

async function shownChains(call: Call<[string], ShowOptions>): Promise<ShownChain[]> {
  const target = readTarget(call.args[0]);
  if (target.kind === 'file') {
    const { trust, space } = await openHost(call);
    const { chains } = await readChains(target.path, space, call.io);
    return Promise.all(
      chains.map(async (chain) => ({
        ...chain,
        space,
        stored: null,
        trusted: (await trust.get(chain.digest)) !== null,
      })),
    );
  }
  return withContext(call, {}, async (ctx) => {
    const { revision: named } = call.options;
    const revision =
      named === undefined
        ? await revisionOf(ctx, target)
        : pickRevision(await revisionsOf(ctx, target), named);
    const { chainId, digest, content, space, number, author, createdAt, weakened } = revision;
    const trusted = await isTrusted(ctx, revision);
    return [
      { chainId, digest, content, space, stored: { revision: number, author, createdAt, weakened }, trusted },
    ];
  });
}

export interface ShowOptions {
  revision?: string;
}
