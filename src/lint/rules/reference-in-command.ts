import type { Place } from '../../protocol/model.ts';
import { problemRule, type RuleContext, type StepScript } from '../rule.ts';
import { writtenPath } from './support/written.ts';

/** References in commands and patterns, which are used exactly as written. */
export const referenceInCommand = problemRule('reference-in-command', {
  family: 'reference',
  severity: 'error',
  summary: 'A command gets values as environment variables.',
  why: 'A value that is spliced into a command becomes part of its syntax. As a variable in quotes it stays one argument, for any value.',
  fixable: 'unsafe',
  fix({ place, args: { name, key } }, context) {
    const { start, end } = place;
    const written = context.source.slice(start.offset, end.offset);
    const script = context.scripts.find(
      ({ block, role }) => role === ROLES[String(key)] && holds(block.place, place),
    );
    const replacement = script === undefined ? null : variable(script.text, written, String(name));
    if (script === undefined || replacement === null) return undefined;
    const at = script.text.indexOf(written);
    if (script.place(at, at + written.length).start.offset !== start.offset) return undefined;
    const text = isDoubleQuoted(context, script) ? JSON.stringify(replacement).slice(1, -1) : replacement;
    return { range: [start.offset, end.offset], replacement: text, safe: false };
  },
});

const ROLES: Readonly<Record<string, StepScript['role']>> = { cmd: 'proof', command: 'rollback' };

function holds({ start, end }: Place, inner: Place): boolean {
  return start.offset <= inner.start.offset && inner.end.offset <= end.offset;
}

/** The expansion for a command's first reference of this text: null where the shell would not expand it. */
function variable(command: string, written: string, name: string): string | null {
  const before = command.slice(0, command.indexOf(written));
  if (/<<-?\s*['"\\]/.test(before)) return null;
  let quote = '';
  for (let at = 0; at < before.length; at += 1) {
    const character = before[at]!;
    if (character === '\\' && quote !== "'") at += 1;
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  if (quote === "'") return null;
  return quote === '"' || before.includes('<<') ? `\${${name}}` : `"$${name}"`;
}

/** Whether a command is written as a text in double quotes, where quotes need escapes. */
function isDoubleQuoted({ source, locate }: RuleContext, { block, role }: StepScript): boolean {
  if (block.format === 'shorthand') return false;
  if (block.format === 'json') return true;
  const path =
    role === 'proof'
      ? writtenPath(block, ['proof_of_work', 'shell', 'cmd'])
      : ['proposal', 'rollback_semantics', 'command'];
  const value = locate(block, path)?.value;
  return value !== undefined && source[value.start.offset] === '"';
}
