import type { Block, HeadingBlock, Scan } from './scan/blocks.ts';

/** A heading with the blocks under it, up to the next heading of its rank or above. */
export interface Part {
  heading: HeadingBlock;
  /** Last line that belongs to it, blank lines included. */
  last: number;
  blocks: Block[];
}

export interface ChainPart extends Part {
  /** The H2s; `blocks` are those before the first of them. */
  parts: Part[];
}

export interface Outline {
  /** The blocks before the first H1, H2s included. */
  before: Block[];
  chains: ChainPart[];
}

/**
 * Groups a document's blocks: H1s are chains, H2s their parts. Headings inside containers don't count as
 * blocks.
 */
export function outline({ blocks }: Scan, lastLine: number): Outline {
  const result: Outline = { before: [], chains: [] };
  let open: Block[] = result.before;
  for (const block of blocks) {
    const chain = result.chains.at(-1);
    if (block.type === 'heading' && block.depth === 1) {
      end(chain, block.first - 1);
      const next: ChainPart = { heading: block, last: lastLine, blocks: [], parts: [] };
      result.chains.push(next);
      open = next.blocks;
    } else if (block.type === 'heading' && block.depth === 2 && chain !== undefined) {
      const before = chain.parts.at(-1);
      if (before !== undefined) before.last = block.first - 1;
      const part: Part = { heading: block, last: lastLine, blocks: [] };
      chain.parts.push(part);
      open = part.blocks;
    } else open.push(block);
  }
  return result;
}

function end(chain: ChainPart | undefined, last: number): void {
  if (chain === undefined) return;
  chain.last = last;
  const part = chain.parts.at(-1);
  if (part !== undefined) part.last = last;
}
