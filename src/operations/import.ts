import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { hereCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import type { SourceInput } from '../host/files/read-source.ts';
import { writeFileAtomically } from '../host/files/write-file.ts';
import { readDocumentFile } from '../lint/files/read-document.ts';
import type { InputDocument } from '../lint/run.ts';
import { toContent } from '../protocol/identity.ts';
import type { Carrier } from '../protocol/import/carriers.ts';
import type { Imported } from '../protocol/import/convert.ts';
import type { ImportDecision } from '../protocol/import/demands.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { isNestingError } from '../protocol/scan/blocks.ts';
import { protocolOfExport, requireSameText } from './export-protocol.ts';
import { type ConvertOptions, convertDocument, slugsOf } from './import-check.ts';
import { findInput } from './lint/documents.ts';

export interface ProtocolImportOptions extends ConvertOptions {
  /** Folder for the protocols. */
  out?: string;
  dryRun?: boolean;
  /** Replace files that exist. */
  force?: boolean;
}

/** A protocol made of one document. `file`: null if nothing was written. */
export type ImportedProtocol = Omit<Imported, 'carrier' | 'taken'> & {
  source: string;
  file: string | null;
  /** `protocol`: an export of kairos that includes its protocol. */
  carrier: Carrier | 'protocol';
};

/** Names of documents that folders are searched for. */
const IMPORTED_NAMES = /\.(?:md|mdc|markdown|adoc|asciidoc)$/i;

/** Makes protocols of each document that the paths name, and writes them. A document that can't be one is a failure. */
export async function importProtocols(
  paths: readonly string[],
  options: ProtocolImportOptions,
  input: SourceInput,
): Promise<{
  imported: ImportedProtocol[];
  failures: { source: string; reason: string }[];
  /** What was found and left out, a sentence each. */
  notices: string[];
}> {
  if (paths.includes('-'))
    throw new KairosError('USAGE', 'import reads files, not standard input', {
      hint: 'Name a file or folder.',
    });
  if (
    options.out !== undefined &&
    statSync(resolve(input.cwd, options.out), { throwIfNoEntry: false })?.isDirectory() === false
  )
    throw new KairosError('USAGE', `${options.out} isn't a folder`, {
      hint: 'Give --out a folder for the protocols.',
    });
  const found = await findInput(paths, undefined, input, IMPORTED_NAMES);
  if (found.ignored > 0) found.documents.push(...namedOnly(paths, found.documents, input.cwd));
  const failures = found.failures.map(({ path, reason }) => ({ source: path, reason }));
  const imported: ImportedProtocol[] = [];
  const taken = new Set<string>();
  /** The source of each slug. */
  const slugs = new Map<string, string>();
  const exported = exportsIn(found.documents);
  const brought = new Set(exported.values());
  const skills = found.documents.flatMap(({ file }) =>
    file !== null && /^skill\.md$/i.test(basename(file)) ? [dirname(file) + sep] : [],
  );
  for (const document of found.documents) {
    const source = document.name ?? '';
    if (document.file !== null && brought.has(document.file)) continue;
    // What else is in the folder of a skill belongs to the skill.
    const isSkill = skills.some(
      (folder) =>
        dirname(document.file ?? '') + sep === folder && /^skill\.md$/i.test(basename(document.file!)),
    );
    if (!isSkill && !document.isNamed && skills.some((folder) => document.file?.startsWith(folder))) {
      found.notices.push(`Skipped ${source}: it belongs to a skill. Name it to import it.`);
      continue;
    }
    try {
      const original = document.file === null ? undefined : exported.get(document.file);
      const protocols =
        original === undefined
          ? await convertDocument(
              document.read(),
              { name: source, ...(document.file === null ? {} : { file: document.file }) },
              options,
              slugs,
            )
          : [await takeExported(original, document.file!, document.read())];
      for (const protocol of protocols) {
        for (const slug of await slugsOf(protocol.text)) {
          const other = slugs.get(slug);
          if (other !== undefined)
            throw new KairosError(
              'PROTOCOL_INVALID',
              `its slug ${slug} is also that of ${other}; give one of them another title`,
            );
          slugs.set(slug, source);
        }
        const file = freeName(
          protocol.slug,
          taken,
          options.out,
          (name) => resolve(input.cwd, name) === document.file,
        );
        protocol.decisions.push(...leftBehind(protocol.text, document.file, resolve(input.cwd, file)));
        if (options.dryRun !== true)
          await write(resolve(input.cwd, file), protocol.text, options.force === true);
        imported.push({ source, file: options.dryRun === true ? null : file, ...protocol });
      }
    } catch (error) {
      if (isNestingError(error))
        failures.push({
          source,
          reason: `line ${error.line + 1}: lists and quotes are nested too deeply; flatten them`,
        });
      else if (error instanceof KairosError) failures.push({ source, reason: error.message });
      else throw error;
    }
  }
  return { imported, failures, notices: found.notices };
}

/** The named files that the search left out, because they are ignored. */
function namedOnly(paths: readonly string[], found: readonly InputDocument[], cwd: string): InputDocument[] {
  return paths.flatMap((name) => {
    const file = resolve(cwd, name);
    if (found.some((each) => each.file === file) || !statSync(file, { throwIfNoEntry: false })?.isFile())
      return [];
    return [{ name, file, isNamed: true, read: () => readDocumentFile(file, name, false) }];
  });
}

/** By the file of an export, the path of the protocol that it points to, which belongs next to it. */
function exportsIn(documents: readonly InputDocument[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { file, read } of documents) {
    const original = file === null ? null : protocolOfExport(file, read);
    if (original !== null) found.set(file!, original);
  }
  return found;
}

/** The protocol of an export. Throws PROTOCOL_INVALID if it is missing, elsewhere or invalid, or if its export would have another text. */
async function takeExported(
  original: string,
  file: string,
  exported: string,
): Promise<Omit<ImportedProtocol, 'source' | 'file'>> {
  const folder = dirname(file);
  const name = relative(folder, original);
  const refuse = (what: string) => new KairosError('PROTOCOL_INVALID', what);
  if (!existsSync(original)) throw refuse(`the protocol of this export, ${name}, is missing`);
  if (!realpathSync(original).startsWith(realpathSync(folder) + sep))
    throw refuse(`the protocol of this export, ${name}, is outside of the folder of the export`);
  const text = readFileSync(original, 'utf8');
  const { document, messages } = await parseProtocol(text);
  const [chain, ...more] = document.chains;
  if (chain === undefined || more.length > 0 || messages.some(({ severity }) => severity === 'error'))
    throw refuse(
      `the protocol of this export, ${name}, ${more.length > 0 ? 'has several chains' : `has errors; see: ${hereCommand(['lint', original])}`}`,
    );
  await requireSameText(exported, toContent(chain), file, original);
  const what = `steps: those of the protocol that was exported, ${name}`;
  return {
    text,
    title: chain.title,
    slug: chain.slug,
    carrier: 'protocol',
    steps: chain.steps.length,
    proofs: chain.steps.filter(({ block }) => block !== null).length,
    decisions: [{ line: 1, what }],
  };
}

/** The protocol that a document makes. Throws PROTOCOL_INVALID, also for a document with several procedures. */
export async function importText(text: string, name: string): Promise<string> {
  const [first, ...more] = await convertDocument(text, { name }, {}, new Map());
  if (more.length > 0)
    throw new KairosError(
      'PROTOCOL_INVALID',
      `it has several procedures: ${[first!, ...more].map(({ title }) => title).join(', ')}`,
    );
  return first!.text;
}

/** A file for a protocol: no document of this import, and never the document that it is made of. */
function freeName(
  slug: string,
  taken: Set<string>,
  out: string | undefined,
  isSource: (file: string) => boolean,
): string {
  const fileOf = (name: string) => (out === undefined ? `${name}.md` : join(out, `${name}.md`));
  let name = slug;
  for (let count = 2; taken.has(name) || isSource(fileOf(name)); count += 1) name = `${slug}-${count}`;
  taken.add(name);
  return fileOf(name);
}

const RELATIVE_LINK =
  /\]\((?![a-z][a-z+.-]*:|[#/<\s])([^)\s]+)|^\[[^\]]+\]:[ \t]*(?![a-z][a-z+.-]*:|[#/<])(\S+)/gim;

/** Reports links and commands that lead to files next to a document, when its protocol is in another folder. */
function leftBehind(text: string, source: string | null, target: string): ImportDecision[] {
  if (source === null || dirname(source) === dirname(target)) return [];
  const linked = [...text.matchAll(RELATIVE_LINK)].map(
    ([, inline, defined]) => (inline ?? defined)!.split('#')[0]!,
  );
  const named = [...text.matchAll(/(?<![\w./-])(?:\.\/)?(?:[\w-]+\/)+[\w.-]+/g)].map(([path]) => path);
  const paths = [...new Set([...linked, ...named])].filter((path) => existsSync(join(dirname(source), path)));
  if (paths.length === 0) return [];
  const what = `${paths.join(', ')}: not copied; ${paths.length === 1 ? 'its path is' : 'the paths are'} relative to ${dirname(source)}`;
  return [{ line: 1, what }];
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await writeFileAtomically(file, text, force);
}
