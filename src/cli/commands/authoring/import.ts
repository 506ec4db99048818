import { mkdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { lintSource } from '../../../lint/lint-source.ts';
import { formatSource } from '../../../lint/rewrite/format-source.ts';
import type { Carrier } from '../../../protocol/import/carriers.ts';
import { type Imported, importDocument } from '../../../protocol/import/convert.ts';
import { parseProtocol } from '../../../protocol/parse.ts';
import { commandFault } from '../../../shell/command-fault.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { findInput } from '../lint/documents.ts';

type ImportCall = Call<[string[]], ImportCommandOptions>;

/**
 * `kairos import`. Prints decisions to standard error and the names of written files to standard output. With `--json`:
 * `{imported[] {source, file, title, slug, carrier, steps, proofs, decisions[]}, failures[]}`.
 */
export const importCommand: Handler<[string[]], ImportCommandOptions> = async (call) => {
  const { args, options, io, output } = call;
  const [paths] = args;
  if (paths.includes('-'))
    throw new KairosError('USAGE', 'import reads files, not standard input', {
      hint: 'Name a file or folder.',
    });
  const { documents, failures } = await findInput(paths, undefined, io);
  const failed = failures.map(({ path, reason }) => ({ source: path, reason }));
  const imported: (Omit<Imported, 'text'> & { source: string; file: string | null })[] = [];
  const taken = new Set<string>();
  for (const document of documents) {
    const source = document.name ?? '';
    try {
      const { text, ...rest } = await convert(document.read(), source, options);
      const file = target(rest.slug, taken, call);
      if (options.dryRun !== true) await write(resolve(io.cwd, file), text, options.force === true);
      imported.push({ source, file: options.dryRun === true ? null : file, ...rest });
      if (!output.json) tell(source, options.dryRun === true ? null : file, rest, call);
    } catch (error) {
      if (!(error instanceof KairosError)) throw error;
      failed.push({ source, reason: error.message });
    }
  }
  if (output.json) output.object({ imported, failures: failed });
  else {
    for (const { source, reason } of failed)
      output.note(
        `${output.noteColor.red('error:')} ${escapeForTerminal(`${source}: ${reason}`, { keepNewlines: true })}`,
      );
  }
  return failed.length > 0 ? EXIT.usage : EXIT.ok;
};

/** Throws PROTOCOL_INVALID if the result would be no valid protocol: then something in the source has to change first. */
async function convert(
  text: string,
  name: string,
  { steps, section }: ImportCommandOptions,
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

function target(slug: string, taken: Set<string>, { options }: ImportCall): string {
  let name = slug;
  for (let count = 2; taken.has(name); count += 1) name = `${slug}-${count}`;
  taken.add(name);
  return options.out === undefined ? `${name}.md` : join(options.out, `${name}.md`);
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await writeFileAtomically(file, text, force);
}

function tell(
  source: string,
  file: string | null,
  { carrier, steps, proofs, decisions }: Omit<Imported, 'text'>,
  { io, output }: ImportCall,
): void {
  for (const { line, what } of decisions)
    output.note(output.noteColor.dim(escapeForTerminal(`${source}:${line}  ${what}`)));
  const counts = `${steps} steps (${carrier}), ${proofs} ${proofs === 1 ? 'proof' : 'proofs'}`;
  const where = file === null ? 'would import' : output.color.green('wrote');
  const name = file === null ? source : relative(io.cwd, resolve(io.cwd, file));
  output.print(`${where}  ${escapeForTerminal(name)}  ${counts}`);
}

export interface ImportCommandOptions {
  steps?: Carrier;
  section?: string;
  out?: string;
  dryRun?: boolean;
  force?: boolean;
}
