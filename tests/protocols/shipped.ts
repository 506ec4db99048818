import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChainNode, Problem } from '../../src/protocol/model.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';

/** One file below protocols/, parsed. */
export interface Shipped {
  /** Name of the file without its ending. */
  name: string;
  /** Path below protocols/. */
  path: string;
  source: string;
  messages: Problem[];
  chains: ChainNode[];
}

/** The folder of the protocols that ship. */
export const PROTOCOLS = fileURLToPath(new URL('../../protocols', import.meta.url));

/** Every shipped protocol, the reserved ones included, in the order of their paths. */
export async function loadShipped(): Promise<Shipped[]> {
  const paths = (await readdir(PROTOCOLS, { recursive: true })).filter(
    (path) => path.endsWith('.md') && basename(path) !== 'README.md',
  );
  return Promise.all(paths.sort().map(load));
}

/** The one chain of a shipped protocol. */
export function chainOf(shipped: Shipped): ChainNode {
  const [chain, ...more] = shipped.chains;
  if (chain === undefined || more.length > 0) throw new Error(`${shipped.path} has not exactly one chain`);
  return chain;
}

async function load(path: string): Promise<Shipped> {
  const source = readFileSync(join(PROTOCOLS, path), 'utf8');
  const { document, messages } = await parseProtocol(source, { path });
  return { name: basename(path, '.md'), path, source, messages, chains: document.chains };
}
