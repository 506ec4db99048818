import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';
import { type SpacesInput, type SpacesOutput, spacesInput } from './schemas.ts';

/** `kairos_spaces`: the spaces of the store with the number, and on request the titles, of their chains. */
export async function spaces(ctx: OperationContext, raw: SpacesInput): Promise<SpacesOutput> {
  const input = parseInput(spacesInput, raw);
  const found = await ctx.store.listSpaces();
  const known = found.some(({ name }) => name === ctx.caller.space)
    ? found
    : [...found, { name: ctx.caller.space, chainCount: 0 }];
  return {
    spaces: await Promise.all(
      known.map(async ({ name, chainCount }) => ({
        name,
        chain_count: chainCount,
        ...(input.include_chain_titles === true
          ? { chains: (await ctx.store.listChains([name])).map(({ title }) => title) }
          : {}),
      })),
    ),
  };
}
