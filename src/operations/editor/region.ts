import { readFileSync } from 'node:fs';
import { packageFile } from '../../base/package-root.ts';
import { isAboutDirectives } from '../../lint/directives/directive.ts';
import { LINT_RULES } from '../../lint/rules/index.ts';
import { fencesOf } from '../../protocol/block/fence.ts';
import { INTERPRETERS } from '../../protocol/terms.ts';
import type { EditorFileKind } from './check.ts';
import type { NamedValue } from './outline.ts';
import { describeKey, type EditorSchema, schemasAt } from './schema-spot.ts';

/** Something that an editor offers at a place. */
export interface Suggestion {
  label: string;
  kind: 'key' | 'value' | 'word' | 'name';
  /** Markdown. */
  documentation: string;
  /** What replaces the range, offsets of the text. */
  insert: string;
  range: [from: number, to: number];
}

export interface EditorHelp {
  markdown: string;
  range: [from: number, to: number];
}

/** Inputs and captures of a document. To know them it has to be parsed, so they are asked for only where a name can be. */
export type AskNames = () => Promise<readonly NamedValue[]>;

/** A part of a text with one kind of syntax. */
export type Region =
  | { kind: 'data'; schema: EditorSchema; root: string; format: 'json' | 'yaml'; from: number; text: string }
  | { kind: 'info'; from: number; to: number; language: string }
  | { kind: 'command'; from: number; to: number }
  /** What is written of a comment for the linter, from its first word to the offset. */
  | { kind: 'directive'; written: string }
  | { kind: 'text' };

/** The first row of a fence, from its mark on. */
const INFO = /^(?:`{3,}|~{3,})[ \t]*([^\s`]*)(.*)/;

/**
 * The part of a text that an offset is in. Reads lines, not the document: at a cursor the text is often one that can't be parsed,
 * and an answer must not wait for it.
 */
export function regionAt(text: string, offset: number, kind: EditorFileKind): Region {
  if (kind !== 'protocol') {
    const format = /^\s*\{/.test(text) ? 'json' : 'yaml';
    return { kind: 'data', schema: schemaOf(kind), root: kind, format, from: 0, text };
  }
  const front = /^---[ \t]*\r?\n([\s\S]*?)(?:^---[ \t]*$|(?![\s\S]))/m.exec(
    text.startsWith('---') ? text : '',
  );
  if (front !== null) {
    const from = front[0].indexOf('\n') + 1;
    if (offset >= from && offset <= from + front[1]!.length)
      return {
        kind: 'data',
        schema: schemaOf('frontmatter'),
        root: 'frontmatter',
        format: 'yaml',
        from,
        text: front[1]!,
      };
  }
  let start = front?.[0].length ?? 0;
  const until = text.slice(start, offset).split('\n').length;
  const rows = text.slice(start).split('\n');
  const starts = rows.map((row) => {
    const at = start;
    start += row.length + 1;
    return at;
  });
  const plain = text.includes('\r') ? rows.map((row) => row.replace(/\r$/, '')) : rows;
  for (const { open, close, lead } of fencesOf(plain, until)) {
    const row = rows[open]!;
    const info = { from: starts[open]! + lead, to: starts[open]! + row.length };
    const [, language = '', meta = ''] = INFO.exec(row.slice(lead))!;
    if (offset >= info.from && offset <= info.to) return { kind: 'info', ...info, language };
    const from = info.to + 1;
    const to = Math.max(close < rows.length ? starts[close]! - 1 : text.length, from);
    if (offset >= from && offset <= to)
      return inFence(text, { language: language.toLowerCase(), meta, from }, to);
  }
  const comment = text.slice(0, offset).lastIndexOf('<!--');
  const written = comment === -1 ? '-->' : text.slice(comment + 4, offset);
  return written.includes('-->') ? { kind: 'text' } : { kind: 'directive', written };
}

function inFence(
  text: string,
  { language, meta, from }: { language: string; meta: string; from: number },
  to: number,
): Region {
  if (language === 'json' || language === 'yaml' || language === 'yml') {
    const format = language === 'json' ? 'json' : 'yaml';
    return {
      kind: 'data',
      schema: schemaOf('step-block'),
      root: 'block',
      format,
      from,
      text: text.slice(from, to),
    };
  }
  return /^[ \t]*proof(?=[ \t]|$)/i.test(meta) ? { kind: 'command', from, to } : { kind: 'text' };
}

const known = new Map<string, EditorSchema>();

/** A JSON Schema from its file in the package: to read it is faster than to make it from the schema that validates. */
export function schemaOf(name: string): EditorSchema {
  const schema =
    known.get(name) ??
    (JSON.parse(readFileSync(packageFile(`schemas/${name}.json`), 'utf8')) as EditorSchema);
  known.set(name, schema);
  return schema;
}

export function nameSuggestion(
  { name, description }: NamedValue,
  insert: string,
  range: Suggestion['range'],
): Suggestion {
  return { label: name, kind: 'name', documentation: description, insert, range };
}

/** Words of an info string, with the key of the schema that each stands for. */
const INFO_WORDS: Readonly<Record<string, string>> = {
  timeout: 'timeout_seconds',
  exit: 'expect_exit_code',
  workdir: 'workdir',
  env: 'env',
};
const PROOF_MEANING = 'The text of this block is the command that proves the step.';

function infoHelp(word: string): string {
  const key = INFO_WORDS[word];
  if (key === undefined) return PROOF_MEANING;
  const data = { proof_of_work: { type: 'shell' } };
  const forms = schemasAt(schemaOf('step-block'), ['proof_of_work', 'shell', key], data);
  return describeKey(key, forms, 'shorthand').replace(`**${key}**`, `**${word}=**`);
}

/** Suggests words for what is typed before an offset. */
function wordsFor(typed: string, offset: number) {
  return (label: string, documentation: string, kind: Suggestion['kind'] = 'word'): Suggestion => ({
    label,
    kind,
    documentation,
    insert: label,
    range: [offset - typed.length, offset],
  });
}

/** What can be written in the first line of a fence. */
export async function inInfo(
  text: string,
  { from, to, language }: Extract<Region, { kind: 'info' }>,
  offset: number,
  names: AskNames,
): Promise<Suggestion[]> {
  const typed = /[^\s`~]*$/.exec(text.slice(from, offset))![0];
  const start = offset - typed.length;
  const word = wordsFor(typed, offset);
  if (/^ {0,3}(?:`{3,}|~{3,})[ \t]*$/.test(text.slice(from, start))) {
    return [
      ...INTERPRETERS.map((name) => word(`${name} proof`, PROOF_MEANING)),
      word('yaml', 'A step block in YAML.'),
      word('json', 'A step block in JSON.'),
    ];
  }
  const known = [...INTERPRETERS, 'python'] as readonly string[];
  if (!known.includes(language.toLowerCase())) return [];
  const meta = text.slice(from, to);
  if (!/[ \t]proof(?=[ \t]|$)/i.test(meta.slice(0, start - from))) return [word('proof', PROOF_MEANING)];
  if (typed.includes('=')) return inWord(typed, offset, names);
  return Object.keys(INFO_WORDS)
    .filter((key) => !meta.includes(` ${key}=`))
    .map((key) => word(`${key}=`, infoHelp(key)));
}

/** Values behind the equals sign of a word: durations, the exit code that is expected, names of an environment. */
async function inWord(typed: string, offset: number, names: AskNames): Promise<Suggestion[]> {
  const [, key, value] = /^([^=]*)=(.*)$/.exec(typed)!;
  const written = value!.split(',');
  const word = wordsFor(key === 'env' ? written.pop()! : value!, offset);
  if (key === 'timeout') return DURATIONS.map((duration) => word(duration, infoHelp(key), 'value'));
  if (key !== 'env') return [];
  const known = (await names()).filter(({ name }) => !written.includes(name));
  return known.map(({ name, description }) => word(name, description, 'name'));
}

const DURATIONS = ['30s', '1m', '5m', '15m', '1h'];

const DIRECTIVES: Readonly<Record<string, string>> = {
  'kairos-disable': 'Suppresses findings of the named rules from here on.',
  'kairos-enable': 'Ends `kairos-disable`, for the named rules or for all.',
  'kairos-disable-next-line': 'Suppresses findings of the named rules in the next line.',
  'kairos-disable-file': 'Suppresses findings of the named rules in the whole file.',
};

/** Names of directives, then rules: `kairos-disable RULE[, RULE] -- reason`. */
export function inDirective(written: string, offset: number): Suggestion[] {
  const [, name, rules] = /^\s*(\S*)([\s\S]*)$/.exec(written)!;
  if (rules === '') {
    const word = wordsFor(name!, offset);
    return Object.entries(DIRECTIVES).map(([label, meaning]) => word(label, meaning));
  }
  if (!Object.hasOwn(DIRECTIVES, name!) || /\s--(?:\s|$)/.test(rules!)) return [];
  const named = rules!.split(/[\s,]+/);
  const word = wordsFor(named.pop()!, offset);
  // No directive suppresses findings about directives.
  return LINT_RULES.filter(({ id }) => !isAboutDirectives(id) && !named.includes(id)).map(({ id, summary }) =>
    word(id, summary, 'value'),
  );
}

/** The explanation of a word in the first line of a fence. */
export function helpInInfo(
  text: string,
  { from, to }: Extract<Region, { kind: 'info' }>,
  offset: number,
): EditorHelp | null {
  for (const { 0: found, index } of text.slice(from, to).matchAll(/[^\s`~=]+/g)) {
    const range: [number, number] = [from + index, from + index + found.length];
    if (offset < range[0] || offset > range[1] || index === 0) continue;
    if (found === 'proof' || Object.hasOwn(INFO_WORDS, found)) return { markdown: infoHelp(found), range };
  }
  return null;
}
