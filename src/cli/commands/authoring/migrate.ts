import { escapeForTerminal } from '../../../base/escape.ts';
import { plural } from '../../../lint/report.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import type { MigrateOutcome } from './migrate-files.ts';
import { checkMigrate, type MigrateOptions } from './options.ts';
import { reportVisited } from './visit-protocols.ts';

/**
 * `kairos migrate`. The diff goes to standard output; what needs a human decision goes to standard error.
 * With `--json`: `{changed[], written[], decisions[], failures[]}`.
 */
export const migrateCommand: Handler<[string[]], MigrateOptions> = async (call) => {
  const { options, output } = call;
  checkMigrate(call.args[0], options);
  const outcome = options.stored
    ? await (await import('./migrate-stored.ts')).migrateStored(call)
    : await (await import('./migrate-files.ts')).migrateFiles(call);
  if (output.json) output.object(outcomeObject(outcome));
  else tell(outcome, options.write === true, output);
  reportVisited(outcome.visited, output);
  if (outcome.visited.failures.length > 0) return EXIT.usage;
  const isLeft = outcome.decisions.length > 0 || (outcome.changed.length > 0 && !options.write);
  return isLeft ? EXIT.failed : EXIT.ok;
};

function outcomeObject({ changed, written, decisions, visited }: MigrateOutcome) {
  return {
    changed,
    written,
    decisions: decisions.map(({ path, decision: { code, place, reason, hint } }) => ({
      path,
      line: place.start.line,
      column: place.start.column,
      code,
      reason,
      hint,
    })),
    failures: visited.failures,
  };
}

function tell(
  { changed, written, decisions, visited }: MigrateOutcome,
  isWriting: boolean,
  output: Output,
): void {
  const { noteColor } = output;
  for (const { path, decision } of decisions) {
    const { line, column } = decision.place.start;
    const where = noteColor.cyan(`${escapeForTerminal(path)}:${line}:${column}`);
    const text = escapeForTerminal(`${decision.reason} ${decision.hint}`.trim());
    output.note(`${where}  ${text} ${noteColor.dim(`(${decision.code})`)}`);
  }
  for (const name of written) output.note(`rewrote ${escapeForTerminal(name)}`);
  if (decisions.length > 0) output.note(`${plural(decisions.length, 'place')} for a human to decide.`);
  if (changed.length > 0 && !isWriting && visited.stdin === null) {
    output.note(`Nothing was written; ${noteColor.bold('kairos migrate --write')} does it.`);
  }
}
