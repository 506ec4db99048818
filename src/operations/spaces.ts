import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';
import { type SpacesInput, type SpacesOutput, spacesInput } from './schemas.ts';

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
