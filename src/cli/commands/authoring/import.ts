import { relative, resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeExport } from '../../../operations/export-protocol.ts';
import {
  type ImportedProtocol,
  importProtocols,
  type ProtocolImportOptions,
} from '../../../operations/import.ts';
import { type FileChain, readChains, readTarget, revisionOf } from '../../../operations/target.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';

/**
 * `kairos import`. Prints decisions to standard error and the names of written files to standard output. With `--json`:
 * `{imported[] {source, file, title, slug, carrier, steps, proofs, decisions[]}, failures[], notices[]}`.
 */
export const importCommand: Handler<[string[]], ProtocolImportOptions> = async (call) => {
  const { args, options, io, output } = call;
  await openHost(call);
  const { imported, failures: found, notices } = await importProtocols(args[0], options, io);
  const { makeRedactor } = await import('../../../host/secrets/redact.ts');
  const { redact } = makeRedactor(io.env);
  const failures = found.map(({ source, reason }) => ({ source: redact(source), reason: redact(reason) }));
  if (output.json)
    output.object({ imported: imported.map(({ text: _, ...rest }) => rest), failures, notices });
  else {
    for (const each of imported) tell(each, call);
    for (const notice of notices) output.note(escapeForTerminal(notice));
    for (const { source, reason } of failures)
      output.note(
        `${output.noteColor.red('error:')} ${escapeForTerminal(`${source}: ${reason}`, { keepNewlines: true })}`,
      );
  }
  return failures.length > 0 ? EXIT.usage : EXIT.ok;
};

function tell(
  { source, file, carrier, steps, proofs, decisions }: ImportedProtocol,
  { io, output }: Call<[string[]], ProtocolImportOptions>,
): void {
  for (const { line, what } of decisions)
    output.note(output.noteColor.dim(escapeForTerminal(`${source}:${line}  ${what}`)));
  const counts = `${steps} ${steps === 1 ? 'step' : 'steps'} (${carrier}), ${proofs} ${proofs === 1 ? 'proof' : 'proofs'}`;
  const where = file === null ? 'would import' : output.color.green('wrote');
  const name = file === null ? source : relative(io.cwd, resolve(io.cwd, file));
  output.print(`${where}  ${escapeForTerminal(name)}  ${counts}`);
}

export interface ProtocolExportOptions {
  skill?: boolean;
  sop?: boolean;
  out?: string;
  force?: boolean;
}

/** `kairos export`. Prints the written files. With `--json`: `{exported[] {slug, digest, kind, files[]}}`. */
export const exportCommand: Handler<[string[]], ProtocolExportOptions> = async (call) => {
  const { args, options, io, output } = call;
  if ((options.skill === true) === (options.sop === true)) {
    throw new KairosError(
      'USAGE',
      options.skill ? '--skill and --sop exclude each other' : 'export needs a form',
      { hint: 'Give --skill or --sop.' },
    );
  }
  const kind = options.skill ? 'skill' : 'sop';
  const exported: { slug: string; digest: string; kind: string; files: string[] }[] = [];
  for (const chain of await chainsOf(call, args[0])) {
    const { out, force = false } = options;
    const files = await writeExport(chain, kind, { out, force, cwd: io.cwd });
    exported.push({ slug: chain.content.slug, digest: chain.digest, kind, files });
    if (!output.json)
      for (const file of files) output.print(`${output.color.green('wrote')}  ${escapeForTerminal(file)}`);
  }
  if (output.json) output.object({ exported });
  return EXIT.ok;
};

/** The chains that files, URIs and slugs name; files need no store. */
async function chainsOf(
  call: Call<[string[]], ProtocolExportOptions>,
  names: readonly string[],
): Promise<FileChain[]> {
  const chains: FileChain[] = [];
  for (const name of names) {
    const target = readTarget(name);
    if (target.kind === 'file') {
      const { space } = await openHost(call);
      chains.push(...(await readChains(target.path, space, call.io)).chains);
    } else chains.push(await withContext(call, {}, (ctx) => revisionOf(ctx, target)));
  }
  return chains;
}
