import type { CommandLine } from '../../../base/command-line.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { type Choice, type MatchReason, searchWithReasons } from '../../../operations/search.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';

/** `kairos search`. No match is a result, not an error. `--explain` adds why each protocol matches, also to the JSON. */
export const searchCommand: Handler<[string[]], SearchOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, output } = call;
    const [words] = args;
    const query = { query: words.join(' '), limit: options.limit };
    const { answer, reasons } = await searchWithReasons(ctx, query);
    if (output.json) output.object(options.explain ? { ...answer, reasons } : answer);
    else {
      const views = answer.choices.map((choice, at) =>
        view(choice, reasons[at], options.explain === true, output, ctx.commandLine),
      );
      output.print([escapeForTerminal(answer.message), ...views].join('\n\n'));
    }
    return EXIT.ok;
  });

function view(
  { chain_label, uri, score, role, tags }: Choice,
  reason: MatchReason | undefined,
  explains: boolean,
  { color }: Output,
  commandLine: CommandLine,
): string {
  const worth = score === null ? ROLES[role] : score.toFixed(2);
  const tagged = tags.length === 0 ? '' : `  [${tags.map((tag) => escapeForTerminal(tag)).join(', ')}]`;
  const lines = [
    `${color.dim(worth.padEnd(6))}  ${color.bold(escapeForTerminal(chain_label))}${color.dim(tagged)}`,
    `        ${escapeForTerminal(commandLine(['run', reason?.slug ?? uri]))}`,
  ];
  if (explains && reason !== undefined) {
    lines.push(...explanation(reason).map((line) => color.dim(`        ${escapeForTerminal(line)}`)));
  }
  return lines.join('\n');
}

/** What an entry without a score is for. */
const ROLES = { match: '', refine: 'or', create: 'or' } as const;

/** Why a protocol matches: the phrase that the request comes nearest to, the words, and the nearest text. */
function explanation({ match, words, phrase, meaning }: MatchReason): string[] {
  const quoted = (text: string) => JSON.stringify(text);
  const lines: string[] = [];
  if (match === 'exact') lines.push(`exactly the ${phrase?.kind ?? 'name'}`);
  if (words.length > 0) lines.push(`words: ${words.join(', ')}`);
  if (phrase !== null) lines.push(`nearest ${phrase.kind}: ${quoted(phrase.text)}`);
  if (meaning !== null) lines.push(`meaning: ${meaning.nearness.toFixed(2)} near ${quoted(meaning.text)}`);
  return lines;
}

export interface SearchOptions {
  limit?: number;
  explain?: boolean;
}
