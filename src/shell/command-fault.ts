import { parseScript } from './commands.ts';
import { dangersOf } from './danger.ts';
import { asksPerson, neverEnds } from './never-ends.ts';
import { placeholders } from './placeholder.ts';
import { outsideVariables } from './variables.ts';

/** Spellings of a gap in documents that are valid in a shell: `{name}`, `[a name]`, `%NAME%`, `...`. Also `<NAME>` where it is not. */
const GAP =
  /(?<![\w$`{])\{[A-Za-z][\w -]*\}(?!\})|(?<![\w$[])\[[A-Za-z][A-Za-z_ ]+\](?!\])|%[A-Z][A-Z0-9_]+%|(?<=^|\s)(?:\.{3}|…)(?=\s|$)|<[A-Za-z][\w -]*>/m;

/** Words of commands whose effect stays, in addition to what the linter knows to destroy something. */
const CONSEQUENTIAL: ReadonlySet<string> = new Set([
  'publish',
  'push',
  'kill',
  'pkill',
  'killall',
  'undo',
  'rollback',
  'delete',
  'destroy',
  'drop',
  'purge',
  'prune',
  'terminate',
  'uninstall',
  'remove',
]);

/** Returns why a command from a document can't be a proof unchanged, as a clause, or null. */
export function commandFault(command: string): string | null {
  const text = command.trim();
  if (text === '') return 'it is empty';
  if (/^[ \t]*[$%#>][ \t]/m.test(text)) return 'it has prompts or comments';
  const parsed = parseScript(text);
  const gap = placeholders(parsed)[0]?.text ?? GAP.exec(text)?.[0].trim();
  if (gap !== undefined) return `it has a gap: ${gap}`;
  if (parsed.errors.length > 0) return "a shell can't read it";
  const [statement] = parsed.tree.commands;
  if (
    parsed.tree.commands.length !== 1 ||
    statement?.command.type !== 'Command' ||
    statement.background === true
  )
    return 'it is more than one command';
  if (statement.command.name === undefined) return 'it only sets variables';
  if (/^(?:cd|export|source|\.|set|alias|pushd)$/.test(statement.command.name.text))
    return 'it only changes the shell';
  const [danger] = dangersOf(text);
  if (danger !== undefined) return `it is destructive (${danger.what})`;
  for (const each of parsed.commands) {
    const verb = [each.name, ...each.args].find((word) => word !== null && CONSEQUENTIAL.has(word));
    if (verb !== undefined) return `its effect stays (${verb})`;
    const person = asksPerson(each);
    if (person !== null) return `it needs a person (${person})`;
    const endless = neverEnds(each);
    if (endless !== null) return `it never ends (${endless})`;
  }
  const outside = outsideVariables(parsed);
  if (outside === null || outside.length > 0) return 'it reads variables that are set elsewhere';
  return null;
}
