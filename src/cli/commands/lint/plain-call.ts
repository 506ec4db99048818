import { setProgram } from '../../../base/command-line.ts';
import { reportError } from '../../errors.ts';
import type { CliIo } from '../../io.ts';
import { createOutput } from '../../output.ts';
import { lintCommand } from './handler.ts';
import type { FastPathArgs } from './plain-args.ts';

/** `kairos lint` without the rest of the command line. A separate bundle, so that linting one file starts quickly. */
export async function lintFastPath({ paths, options }: FastPathArgs, io: CliIo): Promise<number> {
  setProgram(io.calledAs);
  const output = createOutput(io, { json: options.json === true, color: options.color });
  const code = await lintCommand({ args: [paths], options, io, output });
  return output.flush().then(
    () => code,
    (error: unknown) => reportError(error, output, false),
  );
}
