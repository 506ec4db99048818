import type { CommandLine } from '../../../base/command-line.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import type { Choice } from '../../../operations/schemas.ts';
import { search } from '../../../operations/search.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';

/** `kairos search`. No match is a result, not an error. */
export const searchCommand: Handler<[string[]], SearchOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, output } = call;
    const [words] = args;
    const answer = await search(ctx, { query: words.join(' '), limit: options.limit });
    if (output.json) output.object(answer);
    else {
      output.print(
        [
          escapeForTerminal(answer.message),
          ...answer.choices.map((choice) => view(choice, output, ctx.commandLine)),
        ].join('\n\n'),
      );
    }
    return EXIT.ok;
  });

function view(
  { chain_label, uri, score, role, tags }: Choice,
  { color }: Output,
  commandLine: CommandLine,
): string {
  const worth = score === null ? role : score.toFixed(2);
  const tagged = tags.length === 0 ? '' : `  [${tags.map((tag) => escapeForTerminal(tag)).join(', ')}]`;
  return [
    `${color.dim(worth.padEnd(6))}  ${color.bold(escapeForTerminal(chain_label))}${color.dim(tagged)}`,
    `        ${escapeForTerminal(commandLine(['run', uri]))}`,
  ].join('\n');
}

export interface SearchOptions {
  limit?: number;
}
