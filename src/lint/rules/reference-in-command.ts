import type { BlockNode, Place } from '../../protocol/model.ts';
import type { ProofOfWork } from '../../protocol/schema.ts';
import { type ParsedScript, SHELLS } from '../../shell/commands.ts';
import type { Fix } from '../message.ts';
import { problemRule, type RuleContext, type StepScript } from '../rule.ts';
import { isWritten, locateWritten, writtenPath } from './support/written.ts';

export const referenceInCommand = problemRule('reference-in-command', {
  family: 'reference',
  severity: 'error',
  summary: 'A command gets values as environment variables.',
  why: 'A value that is spliced into a command becomes part of its syntax. As a variable in quotes it stays one argument, for any value.',
  fixable: 'unsafe',
  fix({ place, args: { name, key } }, context) {
    if (key === 'stdout_matches' || key === 'pattern') return patternFix(context, place);
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

/**
 * The fix of a pattern that is plain text around its references. The command compares its own output, because it has the
 * variables. A person's answer is compared with choices, because references in those are replaced.
 */
function patternFix(context: RuleContext, place: Place): Fix | undefined {
  const block = context.steps.find(({ step }) => step.block && holds(step.block.place, place))?.step.block;
  const proof = block?.value.proof_of_work;
  if (!block || !proof) return undefined;
  const edits =
    proof.type === 'user_input'
      ? choicesEdits(context, block, proof.user_input, place)
      : proof.type === 'shell'
        ? comparisonEdits(context, block, proof.shell, place)
        : [];
  return edits.length === 0 ? undefined : { ...oneEdit(context.source, edits), safe: false };
}

type Demand<Type> = Extract<ProofOfWork, { type: Type }>;

/** An answer that matches the pattern is one of these choices. */
function choicesEdits(
  context: RuleContext,
  block: BlockNode,
  { pattern = '', choices }: Demand<'user_input'>['user_input'],
  place: Place,
): Edit[] {
  const located = locateWritten(context, block, ['proof_of_work', 'user_input', 'pattern']);
  const texts = pattern.split('|').map(plainText);
  if (!located?.key || !holds(located.value, place) || choices !== undefined) return [];
  if (!texts.every((text) => text !== null)) return [];
  const list = `[${texts.map(({ text }) => JSON.stringify(text)).join(', ')}]`;
  const key = block.format === 'json' ? '"choices"' : 'choices';
  return [
    { place: located.key, text: key },
    { place: located.value, text: list },
  ];
}

/** The command prints what it printed before, and fails when that is not the text of the pattern. */
function comparisonEdits(
  context: RuleContext,
  block: BlockNode,
  { cmd, interpreter = 'sh', stdout_matches: pattern = '' }: Demand<'shell'>['shell'],
  place: Place,
): Edit[] {
  const path = ['proof_of_work', 'shell'];
  const written = locateWritten(context, block, [...path, 'cmd']);
  const matches = locateWritten(context, block, [...path, 'stdout_matches']);
  const wanted = plainText(pattern);
  if (!written || !matches?.key || !holds(matches.value, place) || wanted === null) return [];
  if (!SHELLS.has(interpreter) || isWritten(block, [...path, 'expect_exit_code'])) return [];
  const word = wanted.text
    .replace(/(?:"|`|\\|\$)/g, '\\$&')
    .replace(/\{\{[ \t]*(\w+)[ \t]*\}\}/g, (_, name: string) => `\${${name}}`);
  const compared = `${wanted.isStart ? '' : '*'}"${word}"${wanted.isEnd ? '' : '*'}`;
  const inner = /[\n#]/.test(cmd) ? `\n${cmd.trimEnd()}\n` : cmd;
  const text = `out=$(${inner}) || exit; printf '%s\\n' "$out"; case $out in ${compared}) ;; *) exit 1 ;; esac`;
  // The default, in place of the pattern: commas and comments around it stay.
  const code = block.format === 'json' ? '"expect_exit_code"' : 'expect_exit_code';
  return [
    { place: written.value, text: JSON.stringify(text) },
    { place: matches.key, text: code },
    { place: matches.value, text: '0' },
  ];
}

/** The text that a pattern without operators matches: null for any other pattern. */
function plainText(pattern: string): { text: string; isStart: boolean; isEnd: boolean } | null {
  const [, start, inner = '', end] = /^(\^?)((?:\\.|[^\\])*?)(\$?)$/s.exec(pattern) ?? [];
  const bare = inner.replace(/\{\{[ \t]*\w+[ \t]*\}\}/g, '').replace(/\\[^\w\s]/g, '');
  if (inner === '' || /[\\^$.|?*+()[\]{}]/.test(bare)) return null;
  return { text: inner.replace(/\\([^\w\s])/g, '$1'), isStart: start === '^', isEnd: end === '$' };
}

interface Edit {
  place: Place;
  text: string;
}

/** Several edits of a source as one, with the text between them unchanged. */
function oneEdit(source: string, edits: readonly Edit[]): { range: [number, number]; replacement: string } {
  const sorted = [...edits].sort((a, b) => a.place.start.offset - b.place.start.offset);
  const from = sorted[0]!.place.start.offset;
  let [replacement, at] = ['', from];
  for (const { place, text } of sorted) {
    const { start, end } = place;
    // A YAML block scalar ends with its last line.
    const lineEnd = source[end.offset - 1] === '\n' ? '\n' : '';
    replacement += source.slice(at, start.offset) + text + lineEnd;
    at = end.offset;
  }
  return { range: [from, at], replacement };
}
