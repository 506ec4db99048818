import { formatProtocols } from '../../../operations/fmt.ts';
import { documentName } from '../../../operations/lint/visit-protocols.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { checkFmt, type FmtOptions } from './options.ts';
import { carryOut, reportNames, reportVisited } from './visited.ts';

/**
 * `kairos fmt`. Writes files in place; with `--check` or `--diff` nothing. Reports a document with errors and
 * leaves it unchanged. With `--json`: `{changed[], failures[], protocols, prose, ignored}`.
 */
export const fmtCommand: Handler<[string[]], FmtOptions> = async ({ args: [paths], options, io, output }) => {
  checkFmt(paths, options);
  const { check = false, diff = false, stdinFilename } = options;
  const { changes, visited } = await formatProtocols(paths, { stdinFilename }, io);
  const write = !check && !diff;
  const written = carryOut(changes, visited, { write, diff }, output);
  const changed = changes.map(({ document }) => documentName(document));
  if (output.json) {
    const { failures, count, prose, ignored } = visited;
    output.object({ changed, failures, protocols: count, prose, ignored });
  } else if (check && !diff) reportNames(changed, 'would format', output);
  else reportNames(written, 'formatted', output);
  reportVisited(visited, output);
  if (visited.failures.length > 0) return EXIT.usage;
  return check && changes.length > 0 ? EXIT.failed : EXIT.ok;
};
