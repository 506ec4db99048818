import { parseScript } from './commands.ts';
import { dangersOf } from './danger.ts';
import { asksPerson, neverEnds } from './never-ends.ts';
import { placeholders } from './placeholder.ts';
import { outsideVariables } from './variables.ts';

/** Returns why a command from a document can't be a proof unchanged, as a clause, or null. */
export function commandFault(command: string): string | null {
  const text = command.trim();
  if (text === '') return 'it is empty';
  if (/^[ \t]*[$%#>][ \t]/m.test(text)) return 'it has prompts or comments';
  const parsed = parseScript(text);
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
  const [gap] = placeholders(parsed);
  if (gap !== undefined) return `it has a gap: ${gap.text}`;
  const [danger] = dangersOf(text);
  if (danger !== undefined) return `it is destructive (${danger.what})`;
  for (const each of parsed.commands) {
    const person = asksPerson(each);
    if (person !== null) return `it needs a person (${person})`;
    const endless = neverEnds(each);
    if (endless !== null) return `it never ends (${endless})`;
  }
  const outside = outsideVariables(parsed);
  if (outside === null || outside.length > 0) return 'it reads variables that are set elsewhere';
  return null;
}
