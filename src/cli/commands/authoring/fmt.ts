import { KairosError } from '../../../base/errors.ts';
import { formatSource } from '../../../lint/rewrite/format-source.ts';
import type { FixedText } from '../../../lint/run.ts';
import type { ParseResult } from '../../../protocol/model.ts';
import { describeProblem } from '../../../protocol/problems.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { checkFmt, type FmtOptions } from './options.ts';
import { carryOut, documentName, reportNames, reportVisited, visitProtocols } from './visit-protocols.ts';

/**
 * `kairos fmt`. Writes files in place; with `--check` or `--diff` nothing. Reports a document with errors and
 * leaves it unchanged. With `--json`: `{changed[], failures[], protocols, prose, ignored}`.
 */
export const fmtCommand: Handler<[string[]], FmtOptions> = async ({ args: [paths], options, io, output }) => {
  checkFmt(paths, options);
  const { check = false, diff = false, stdinFilename } = options;
  const changes: FixedText[] = [];
  const visited = await visitProtocols(paths, { stdinFilename }, io, async (document, parsed) => {
    refuseErrors(parsed);
    const before = parsed.document.source;
    const after = await formatSource(parsed);
    if (after !== before) changes.push({ document, before, after, gaveUp: null });
  });
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

/** A formatter must not touch what the parser can't read. */
function refuseErrors({ messages }: ParseResult): void {
  const errors = messages.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const lines = errors.map((problem) => {
    const { line, column } = problem.place.start;
    return `\n  ${line}:${column}  ${describeProblem(problem).reason} (${problem.code})`;
  });
  throw new KairosError('PROTOCOL_INVALID', `not formatted:${lines.join('')}`);
}
