import { problemRule } from '../problem-rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

const INPUTS = '---\ninputs:\n  HOST: { description: Host to drain }\n---\n';
const COMMANDS: ReadonlySet<unknown> = new Set(['cmd', 'command', 'verify']);

/** References in commands and patterns, which are used to the letter. */
export const referenceInCommand = problemRule('reference-in-command', {
  family: 'reference',
  severity: 'error',
  summary: 'A command gets values as environment variables.',
  why: 'A value that is spliced into a command becomes part of its syntax. As a variable in quotes it stays one argument, whatever it holds.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'A reference in a command',
      source: `${INPUTS}${chain('Drain', step('Drain', 'Drain it.\n\n```sh proof timeout=1m\ndrain {{HOST}}\n```'))}`,
      findings: [{ line: 12, column: 7 }],
      fixed: `${INPUTS}${chain('Drain', step('Drain', 'Drain it.\n\n```sh proof timeout=1m\ndrain "$HOST"\n```'))}`,
    },
    {
      title: 'A variable, and braces of another tool',
      source: `${INPUTS}${chain('Drain', step('Drain', 'Drain it.', shellBlock('drain "$HOST" && docker ps --format "{{.Names}}"')))}`,
      findings: [],
    },
  ],
  fix({ place, args: { name, key } }, { source }) {
    const { start, end } = place;
    const written = source.slice(start.offset, end.offset);
    if (!COMMANDS.has(key) || !written.startsWith('{{')) return undefined;
    const isBare =
      /^[ \t\n=]?$/.test(source[start.offset - 1] ?? '') && /^[ \t\n]?$/.test(source[end.offset] ?? '');
    return isBare && inShorthand(source, start.offset)
      ? { range: [start.offset, end.offset], replacement: `"$${name}"`, safe: false }
      : undefined;
  },
});

/** Whether the fence around an offset is shorthand, where quotes need no escapes. */
function inShorthand(source: string, offset: number): boolean {
  const opening = source
    .slice(0, offset)
    .match(/^ {0,3}(?:`{3,}|~{3,}).*$/gm)
    ?.at(-1);
  return opening !== undefined && /[ \t]proof(?=[ \t]|$)/i.test(opening);
}
