import { relative, resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import {
  type ImportedProtocol,
  importProtocols,
  type ProtocolImportOptions,
} from '../../../operations/import.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';

/**
 * `kairos import`. Prints decisions to standard error and the names of written files to standard output. With `--json`:
 * `{imported[] {source, file, title, slug, carrier, steps, proofs, decisions[]}, failures[]}`.
 */
export const importCommand: Handler<[string[]], ProtocolImportOptions> = async (call) => {
  const { args, options, io, output } = call;
  const { imported, failures } = await importProtocols(args[0], options, io);
  if (output.json) output.object({ imported: imported.map(({ text: _, ...rest }) => rest), failures });
  else {
    for (const each of imported) tell(each, call);
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
  const counts = `${steps} steps (${carrier}), ${proofs} ${proofs === 1 ? 'proof' : 'proofs'}`;
  const where = file === null ? 'would import' : output.color.green('wrote');
  const name = file === null ? source : relative(io.cwd, resolve(io.cwd, file));
  output.print(`${where}  ${escapeForTerminal(name)}  ${counts}`);
}
