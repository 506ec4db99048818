import { type DocumentFinding, requireDocument } from '../operations/findings.ts';
import { chainId, digest, toContent } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { CliIo } from './io.ts';
import { readSource, sourceName } from './read-source.ts';

/** A chain of a file, named as if it were stored in this space. */
export interface FileChain {
  chainId: string;
  digest: string;
  content: ChainContent;
}

/** The chains of a file (`-`: standard input). Throws PROTOCOL_INVALID with every error in it. */
export async function readChains(
  path: string,
  space: string,
  io: CliIo,
): Promise<{ chains: FileChain[]; warnings: DocumentFinding[] }> {
  const { document, warnings } = await requireDocument(await readSource(path, io), sourceName(path));
  const chains = document.chains.map((chain) => {
    const content = toContent(chain);
    return { chainId: chainId(space, content.slug), digest: digest(content), content };
  });
  return { chains, warnings };
}
