import * as z from 'zod/mini';
import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';

export const spacesInput = z.strictObject({ include_chain_titles: z.optional(z.boolean()) });
export const spacesOutput = z.object({
  spaces: z.array(
    z.object({ name: z.string(), chain_count: z.int(), chains: z.optional(z.array(z.string())) }),
  ),
  message: z.optional(z.string()),
});
export type SpacesInput = z.input<typeof spacesInput>;
export type SpacesOutput = z.infer<typeof spacesOutput>;

/** The most bytes of the titles in one answer, which contains them twice. */
const MAX_TITLES = 400_000;
const PAGE = 1000;

/** `kairos_spaces`: the spaces of the store with the number, and if asked for the titles, of their chains. */
export async function spaces(ctx: OperationContext, raw: SpacesInput): Promise<SpacesOutput> {
  const input = parseInput(spacesInput, raw);
  const found = await ctx.store.listSpaces();
  const known = found.some(({ name }) => name === ctx.caller.space)
    ? found
    : [...found, { name: ctx.caller.space, chainCount: 0 }];
  const counted = known.map(({ name, chainCount }) => ({ name, chain_count: chainCount }));
  if (input.include_chain_titles !== true) return { spaces: counted };
  let room = MAX_TITLES;
  let leftOut = 0;
  const titled: SpacesOutput['spaces'] = [];
  for (const space of counted) {
    const chains = await titlesOf(ctx, space.name, room);
    room -= chains.reduce((sum, title) => sum + sizeOf(title), 0);
    leftOut += Math.max(0, space.chain_count - chains.length);
    titled.push({ ...space, chains });
  }
  return { spaces: titled, ...(leftOut === 0 ? {} : { message: tooMany(leftOut) }) };
}

/** Titles by name, as many as there is room for. */
async function titlesOf({ store }: OperationContext, space: string, room: number): Promise<string[]> {
  const titles: string[] = [];
  let left = room;
  let after: string | null = null;
  for (;;) {
    const page = await store.chainsAfter(space, after, PAGE);
    for (const { chainId, title } of page) {
      left -= sizeOf(title);
      if (left < 0) return titles.sort();
      titles.push(title);
      after = chainId;
    }
    if (page.length < PAGE) return titles.sort();
  }
}

/** A title as JSON. */
const sizeOf = (title: string): number => Buffer.byteLength(JSON.stringify(title)) + 1;

function tooMany(leftOut: number): string {
  return `${leftOut} titles are left out, because the answer would be too long. Find protocols with kairos_search, or page through resources/list.`;
}
