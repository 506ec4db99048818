import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest, toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import type { CliHome } from './cli.ts';

/** Writes a protocol into the working directory; answers its path and the digest that trust is keyed by. */
export async function protocolFile(
  home: CliHome,
  markdown: string,
  name = 'protocol.md',
): Promise<{ path: string; digest: string }> {
  const path = join(home.work, name);
  writeFileSync(path, markdown);
  return { path, digest: await digestOf(markdown) };
}

/** The digest of a document's first chain. */
export async function digestOf(markdown: string): Promise<string> {
  const { document } = await parseProtocol(markdown);
  return digest(toContent(document.chains[0]!));
}

/** Writes an answers file (JSON is YAML). */
export function answersFile(home: CliHome, answers: Record<string, unknown>, name = 'answers.yaml'): string {
  const path = join(home.work, name);
  writeFileSync(path, JSON.stringify({ answers }));
  return path;
}

/** Every file below a folder, as one text. */
export function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}
