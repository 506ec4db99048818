import type { Place } from '../../protocol/model.ts';
import type { ParsedScript } from '../../shell/commands.ts';
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
    const edit = script === undefined ? null : expansion(script.parsed, written, String(name));
    if (script === undefined || edit === null) return undefined;
    const at = script.text.indexOf(written);
    if (script.place(at, at + written.length).start.offset !== start.offset) return undefined;
    const quote = quoteAround(context, script);
    const replacement =
      quote === '"'
        ? JSON.stringify(edit.replacement).slice(1, -1)
        : quote === "'"
          ? edit.replacement.replaceAll("'", "''")
          : edit.replacement;
    // In a YAML text in single quotes a quote is written twice.
    const quotes = edit.isWholeWord ? (quote === "'" ? 2 : 1) : 0;
    return { range: [start.offset - quotes, end.offset + quotes], replacement, safe: false };
  },
});

const ROLES: Readonly<Record<string, StepScript['role']>> = {
  cmd: 'proof',
  command: 'rollback',
  verify: 'verify',
};

function holds({ start, end }: Place, inner: Place): boolean {
  return start.offset <= inner.start.offset && inner.end.offset <= end.offset;
}

interface Expansion {
  replacement: string;
  /** The reference is all that its quotes contain, and they are replaced with it. */
  isWholeWord: boolean;
}

/** The expansion for a command's first reference of this text: null where it would become part of another program's code. */
function expansion(parsed: ParsedScript, written: string, name: string): Expansion | null {
  const { text } = parsed;
  const at = text.indexOf(written);
  const before = text.slice(0, at);
  if (/<<-?\s*['"\\]/.test(before)) return null;
  const quote = openQuote(before);
  if (quote?.mark !== "'") {
    const isQuoted = quote !== null || before.includes('<<');
    return { replacement: isQuoted ? `\${${name}}` : `"$${name}"`, isWholeWord: false };
  }
  // The script of `sh -c '…'` reads the variable itself.
  const inner = parsed.inner.find(({ script }) => text.startsWith(script.text, quote.at + 1));
  if (inner !== undefined) {
    const found = expansion(inner.script, written, name);
    return found?.replacement.includes("'") || found?.isWholeWord ? null : found;
  }
  const command = parsed.commands.findLast(({ pos, end }) => pos <= at && at < end);
  if (command === undefined || TAKES_CODE.test(command.name ?? '')) return null;
  return text[at - 1] === "'" && text[at + written.length] === "'" && text[at - 2] !== '\\'
    ? { replacement: `"$${name}"`, isWholeWord: true }
    : { replacement: `'"$${name}"'`, isWholeWord: false };
}

/** Programs whose argument is code: a value in it would be run or change its meaning. */
const TAKES_CODE =
  /^(?:[gmn]?awk|sed|perl|python[\d.]*|node|deno|bun|ruby|php|jq|yq|psql|mysql|sqlite3|redis-cli|mongosh|pwsh|ssh|su|eval|xargs|find|)$/;

/** The quote that is open at the end of a shell text. */
function openQuote(text: string): { mark: string; at: number } | null {
  let open: { mark: string; at: number } | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '\\' && open?.mark !== "'") at += 1;
    else if (open === null && (character === '"' || character === "'")) open = { mark: character, at };
    else if (character === open?.mark) open = null;
  }
  return open;
}

/** The quotes that a command is written in: those need escapes inside. */
function quoteAround({ source, locate }: RuleContext, { block, role }: StepScript): string | null {
  if (block.format === 'shorthand') return null;
  if (block.format === 'json') return '"';
  const path =
    role === 'proof'
      ? writtenPath(block, ['proof_of_work', 'shell', 'cmd'])
      : ['proposal', 'rollback_semantics', role === 'rollback' ? 'command' : 'verify'];
  const value = locate(block, path)?.value;
  const mark = value === undefined ? '' : source[value.start.offset]!;
  return mark === '"' || mark === "'" ? mark : null;
}
