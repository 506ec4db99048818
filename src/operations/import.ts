import { mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { KairosError } from '../base/errors.ts';
import type { SourceInput } from '../host/files/read-source.ts';
import { writeFileAtomically } from '../host/files/write-file.ts';
import { lintSource } from '../lint/lint-source.ts';
import { formatSource } from '../lint/rewrite/format-source.ts';
import type { Carrier } from '../protocol/import/carriers.ts';
import { type Imported, importDocument } from '../protocol/import/convert.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { commandFault } from '../shell/command-fault.ts';
import { findInput } from './lint/documents.ts';

export interface ProtocolImportOptions {
  /** What carries the steps; by the evidence if absent. */
  steps?: Carrier;
  /** Heading: only what is below it is imported. */
  section?: string;
  /** Folder for the protocols. */
  out?: string;
  dryRun?: boolean;
  /** Replace files that exist. */
  force?: boolean;
}

/** A protocol made of one document. `file`: null if nothing was written. */
export type ImportedProtocol = Imported & { source: string; file: string | null };

/** Makes a protocol of each document that the paths name, and writes it. A document that can't be one is a failure. */
export async function importProtocols(
  paths: readonly string[],
  options: ProtocolImportOptions,
  input: SourceInput,
): Promise<{ imported: ImportedProtocol[]; failures: { source: string; reason: string }[] }> {
  if (paths.includes('-'))
    throw new KairosError('USAGE', 'import reads files, not standard input', {
      hint: 'Name a file or folder.',
    });
  const found = await findInput(paths, undefined, input);
  const failures = found.failures.map(({ path, reason }) => ({ source: path, reason }));
  const imported: ImportedProtocol[] = [];
  const taken = new Set<string>();
  for (const document of found.documents) {
    const source = document.name ?? '';
    try {
      const protocol = await convert(document.read(), source, options);
      const file = freeName(protocol.slug, taken, options.out);
      if (options.dryRun !== true) await write(resolve(input.cwd, file), protocol.text, options.force === true);
      imported.push({ source, file: options.dryRun === true ? null : file, ...protocol });
    } catch (error) {
      if (!(error instanceof KairosError)) throw error;
      failures.push({ source, reason: error.message });
    }
  }
  return { imported, failures };
}

/** Throws PROTOCOL_INVALID if the result would be no valid protocol: then something in the source has to change first. */
async function convert(
  text: string,
  name: string,
  { steps, section }: ProtocolImportOptions,
): Promise<Imported> {
  const imported = await importDocument(text, {
    name: nameFor(name),
    commandFault,
    ...(steps === undefined ? {} : { steps }),
    ...(section === undefined ? {} : { section }),
  });
  const { messages } = await lintSource(imported.text);
  const errors = messages.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const list = errors.map(
      ({ reason, place, ruleId }) => `\n  line ${place.start.line} of the result: ${reason} (${ruleId})`,
    );
    throw new KairosError(
      'PROTOCOL_INVALID',
      `the imported protocol would be invalid:${[...new Set(list)].join('')}`,
    );
  }
  return { ...imported, text: await formatSource(await parseProtocol(imported.text)) };
}

/** A skill is named after its folder. */
function nameFor(path: string): string {
  const name = basename(path).replace(/\.(?:sop\.)?(?:md|mdc|markdown)$/i, '');
  return /^(?:skill|readme|index)$/i.test(name) ? basename(dirname(path)) : name;
}

function freeName(slug: string, taken: Set<string>, out: string | undefined): string {
  let name = slug;
  for (let count = 2; taken.has(name); count += 1) name = `${slug}-${count}`;
  taken.add(name);
  return out === undefined ? `${name}.md` : join(out, `${name}.md`);
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await writeFileAtomically(file, text, force);
}
