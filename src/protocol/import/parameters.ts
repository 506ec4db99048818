import { inputFault } from '../inputs.ts';
import type { StepContent } from '../model.ts';
import { inlineSource } from '../outline.ts';
import { fenced } from '../render.ts';
import type { CaptureDefinition, InputDefinition, OutputCheck } from '../schema.ts';
import { withoutStepMark } from './carriers.ts';

type Limits = Pick<InputDefinition, 'type' | 'choices' | 'pattern'>;

/** A parameter of a list. */
export interface Parameter {
  /** As the text writes it. */
  name: string;
  input: InputDefinition;
  /** Its default as written, if that isn't a value that a command could get. */
  unusable: string | null;
}

/** An input as an item of a list, in words that `readParameter` reads again. */
export function parameterItem(name: string, { description = '', secret, ...more }: InputDefinition): string {
  const need = more.default === undefined ? 'required' : `optional, default: ${JSON.stringify(more.default)}`;
  const limits = limitWords(more);
  const about = limits.length === 0 ? oneLine(description) : oneLine(description).replace(/\w$/, '$&.');
  const words = [about, ...limits].filter((part) => part !== '').join(' ');
  return `- **${name}** (${need}${secret ? ', secret' : ''}): ${words}`;
}

/** What a value must be, in words. */
export function limitWords({ type, choices, pattern }: Limits): string[] {
  return [
    ...(type === undefined ? [] : [`Its value is a ${type}.`]),
    ...(choices === undefined ? [] : [`One of: ${choices.map(inCode).join(', ')}.`]),
    ...(pattern === undefined ? [] : [`The whole value must match ${inCode(pattern)}.`]),
  ];
}

const CODE = '(?:`[^`]+`(?!`)|``+ .+? ``+)';

const choicesOf = (list: string): Limits => ({
  choices: Array.from(list.matchAll(new RegExp(CODE, 'g')), ([code]) => textOfCode(code)),
});

/** The sentences of `limitWords` at the end of a description, and how each is read. Only a whole sentence is cut from the description. */
const SENTENCES: readonly { form: RegExp; read: (text: string) => Limits; isCut: boolean }[] = [
  {
    form: /(?:^| )Its value is a (number|boolean)\.$/,
    read: (type) => ({ type: type === 'number' ? 'number' : 'boolean' }),
    isCut: true,
  },
  { form: new RegExp(`(?:^| )One of: (${CODE}(?:, ${CODE})*)\\.$`), read: choicesOf, isCut: true },
  {
    form: new RegExp(`(?:^| )The whole value must match (${CODE})\\.$`),
    read: (pattern) => ({ pattern: textOfCode(pattern) }),
    isCut: true,
  },
  {
    form: new RegExp(`\\b(?:one of|either):? (${CODE}(?:,? (?:(?:or|and) )?${CODE})+)\\.?$`, 'i'),
    read: choicesOf,
    isCut: false,
  },
];

const ITEM = /^ {0,3}[-*+][ \t]+(?:\*\*`?|`)?([a-z][\w-]*)(?:`?\*\*|`)?[ \t]*\((.*)$/i;

/** What is in the parentheses, with quotes and inner parentheses, and what follows. */
const NEED =
  /^((?:"(?:[^"\\]|\\.)*"|`[^`]*`|\([^()]*\)|[^()"`])*)\):?(?:\*\*)?[ \t]*(?:[:–—-](?=[ \t]|$))?[ \t]*(.*)$/;

const DEFAULT = /^(.*?)\bdefaults?(?:[ \t]+(?:is|to))?[ \t]*[:=]?[ \t]*(\S.*)$/i;

/** A parameter such as `- **target_env** (optional, default: "staging"): Where to`, with the rows below it; null for other rows. */
export function readParameter(row: string, below: readonly string[]): Parameter | null {
  const [, name = '', rest = ''] = ITEM.exec(row) ?? [];
  const [, words = '', about = ''] = NEED.exec(rest) ?? [];
  const [, before = words, given] = DEFAULT.exec(words) ?? [];
  const said = before.split(',').map((word) => word.trim().toLowerCase());
  const isOptional = said.includes('optional');
  if (!isOptional && !said.includes('required')) return null;
  let description = withRowsBelow(about.trim(), below);
  let limits: Limits = {};
  for (const { form, read, isCut } of SENTENCES) {
    const [sentence, text = ''] = form.exec(description) ?? [];
    if (sentence === undefined) continue;
    if (isCut) description = description.slice(0, -sentence.length);
    limits = read(text);
    break;
  }
  if (Object.keys(limits).length === 0) {
    if (said.some((word) => /^(?:number|integer|int|float)$/.test(word))) limits = { type: 'number' };
    if (said.some((word) => /^bool(?:ean)?$/.test(word))) limits = { type: 'boolean' };
  }
  const isSecret = said.some((word) => /^(?:secret|sensitive|password)$/.test(word));
  const input: InputDefinition = {
    description: description || name,
    ...limits,
    ...(isSecret ? { secret: true } : {}),
  };
  // Without a default, what is optional may be empty.
  const value = given === undefined ? (isOptional ? '' : null) : literalOf(given.trim());
  const fits =
    value !== null && !isSecret && (limits.pattern !== undefined || inputFault(limits, value) === null);
  if (fits) input.default = value;
  const unusable = fits ? null : (given?.trim() ?? (isOptional ? 'no value' : null));
  return { name, input, unusable };
}

/** A quoted text, a code span or one word; null for words that describe a value. */
function literalOf(text: string): string | null {
  const [, quoted, code, single] = /^(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|'([^']*)')$/.exec(text) ?? [];
  if (quoted !== undefined) {
    try {
      return JSON.parse(`"${quoted}"`) as string;
    } catch {
      return quoted;
    }
  }
  return code ?? single ?? (/\s/.test(text) ? null : text);
}

/** The description of a parameter with the indented rows below it: more text, or the values that it can have. */
function withRowsBelow(description: string, rows: readonly string[]): string {
  const end = rows.findIndex((row) => !/^(?: {2,}|\t)[ \t]*\S/.test(row));
  const own = rows.slice(0, end === -1 ? rows.length : end).map((row) => row.trim());
  const first = own.findIndex((row) => /^[-*+][ \t]/.test(row));
  const text = [description, ...(first === -1 ? own : own.slice(0, first))].join(' ').trim();
  if (first === -1 || !text.endsWith(':')) return text;
  const items = own.slice(first).map((row) => row.replace(/^[-*+][ \t]+/, ''));
  return `${text} ${items.join('; ')}`;
}

export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** On one line, in a code span that its backticks can't end. */
export function inCode(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return longest === 0 ? `${mark}${line}${mark}` : `${mark} ${line} ${mark}`;
}

function textOfCode(code: string): string {
  const text = code.replace(/^`+|`+$/g, '');
  return code.startsWith('``') ? text.slice(1, -1) : text;
}

const KEPT_FROM = { stdout: 'what it prints', result: 'its result', answer: 'the answer' };

/** What is kept of a proof, in words. */
function captureText({ name, from, pattern, json_pointer: pointer, secret }: CaptureDefinition): string {
  const source = KEPT_FROM[from];
  const at = pointer ? ` at ${inCode(pointer)}` : '';
  const value = pointer === undefined ? source : `the JSON value${at} of ${source}`;
  const part = pattern === undefined ? value : `what matches ${inCode(pattern)} in ${value}`;
  return `Keep ${part} as ${inCode(name)} for later steps.${secret ? ' It is secret.' : ''}`;
}

/** What a file must be after a step, in words. */
function outputText({ path, exists = true, sha256, matches, ...json }: OutputCheck): string {
  const file = `The file ${inCode(path)}`;
  if (!exists) return `${file} must not exist.`;
  const { json_pointer: pointer, equals, schema } = json;
  const value = pointer ? `its JSON value at ${inCode(pointer)}` : 'its JSON value';
  const conditions = [
    ...(sha256 === undefined ? [] : [`its SHA-256 must be ${inCode(sha256)}`]),
    ...(matches === undefined ? [] : [`its text must match ${inCode(matches)}`]),
    ...(equals === undefined ? [] : [`${value} must be ${inCode(JSON.stringify(equals))}`]),
    ...(schema === undefined ? [] : [`${value} must fit the schema ${inCode(JSON.stringify(schema))}`]),
  ];
  return `${[`${file} must exist`, ...conditions].join(', ')}.`;
}

/** What shows that a step is done, in words; none if it demands nothing. */
export function demandLines({ block }: StepContent): string[] {
  if (block === null) return [];
  const { proof_of_work: proof, outputs = [], sampling, proposal, captures = [] } = block;
  const lines: string[] = [];
  if (proof?.type === 'shell') {
    const { cmd, expect_exit_code: code, timeout_seconds: limit, interpreter = 'sh', ...more } = proof.shell;
    const command = cmd.includes('\n') ? `\n\n${fenced(interpreter, cmd)}` : ` ${inCode(cmd)}`;
    lines.push(`Run this command with ${interpreter}. It must end with ${code} within ${limit} s:${command}`);
    if (more.stdout_matches !== undefined)
      lines.push(`What it prints must match ${inCode(more.stdout_matches)}.`);
    if (more.env !== undefined && more.env.length > 0)
      lines.push(`The command gets these variables of your environment: ${more.env.map(inCode).join(', ')}.`);
  } else if (proof?.type === 'mcp') {
    const { tool_name: tool, arguments: given } = proof.mcp;
    const words = given === undefined ? '' : ` with ${inCode(JSON.stringify(given))}`;
    lines.push(`Call the tool ${inCode(tool)}${words}. It must succeed.`);
  } else if (proof?.type === 'user_input') {
    const { prompt } = proof.user_input;
    lines.push([`Ask the user: ${oneLine(prompt)}`, ...limitWords(proof.user_input)].join(' '));
  } else if (sampling !== undefined) lines.push(`Let a model answer: ${oneLine(sampling.prompt)}`);
  else lines.push('Write down what you did and what you saw.');
  for (const capture of captures) lines.push(captureText(capture));
  for (const output of outputs) lines.push(outputText(output));
  if (proposal !== undefined) lines.push('Get the approval that the policy asks for first.');
  return lines;
}

/** The first sentence of an item, short enough for a heading. */
export function labelOf(text: string): string {
  // Text, marks and content of each code span, in turn.
  const visible = text
    .slice(0, 4000)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/\\<|&lt;/g, ESCAPED)
    .replace(/\\\$/g, ESCAPED_DOLLAR)
    .replace(/&(gt|amp|quot|apos|nbsp|#\d{1,6});/g, (_, name: string) => characterOf(name));
  const parts = withoutLinks(visible).split(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/);
  const shown = parts.map((part, at) => (at % 3 === 0 ? plainOf(part) : at % 3 === 2 ? part.trim() : ''));
  const plain = withoutStepMark(oneLine(shown.join('')));
  const [sentence = plain] = /^.{2,79}?[^.](?=[.:;!?](?:\s|$))/.exec(plain) ?? [];
  const short = sentence.length <= 80 ? sentence : `${sentence.slice(0, 77).replace(/\s+\S*$/, '')}…`;
  return inlineSource(short || 'Step')
    .replaceAll(ESCAPED, '&lt;')
    .replaceAll(ESCAPED_DOLLAR, '&#36;');
}

/** Stand for `<` and `$` that the author escaped, which begin no placeholder. */
const [ESCAPED, ESCAPED_DOLLAR] = ['\u{f0000}', '\u{f0001}'];

const CHARACTERS: Readonly<Record<string, string>> = { gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' };

function characterOf(entity: string): string {
  const character = CHARACTERS[entity] ?? String.fromCodePoint(Number(entity.slice(1)));
  // Hidden and invalid characters.
  return /[^\P{C}\s]/u.test(character) ? '\ufffd' : character;
}

function withoutLinks(text: string): string {
  return text.replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1').replace(/\[\^[^\]]*\]/g, '');
}

function plainOf(text: string): string {
  return text
    .replace(/<(https?:[^<>\s]*)>/g, '$1')
    .replace(/<\/?([A-Za-z][A-Za-z0-9]*)[^<>]*>/g, (tag, name: string) =>
      !isTag(name) ? tag : /^br$/i.test(name) ? ' ' : '',
    )
    .replace(/[*`~[\]\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '');
}

/** A label of a warning at the start of a row: "CAUTION:", "> [!WARNING]", "⚠". */
export const WARNS =
  /^[\s>*_\-:![\]"]*(?:(?:caution|warning|danger|attention|achtung|vorsicht|warnung|gefahr|avertissement|atenci[óo]n|advertencia|peligro|cuidado|aten[çc][ãa]o|attenzione|pericolo|внимание|осторожно|waarschuwing|let op|pas op|gevaar|uwaga|ostrzeżenie|警告|注意|危険|危险)[\]*_\s]*(?:[:!：！]|$|[—–-]\s)|(?:⚠|🚨|⛔|🛑|☠).*)|^:{3,}\s*(?:danger|warning|caution)|^!{3}\s*(?:danger|warning|caution)/imu;

/** The warnings in some rows: each with the rows of its paragraph, quote or admonition, and the place of the first. */
export function warningsIn(rows: readonly string[]): { at: number; rows: string[] }[] {
  const found: { at: number; rows: string[] }[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    if (rows[at]!.trim() === '') continue;
    const blank = (from: number) => {
      const next = rows.findIndex((row, index) => index > from && row.trim() === '');
      return next === -1 ? rows.length : next;
    };
    const fence = /^:{3,}/.test(rows[at]!)
      ? rows.findIndex((row, index) => index > at && /^:{3,}\s*$/.test(row))
      : -1;
    let end = fence === -1 ? blank(at) : fence + 1;
    const label = WARNS.exec(rows.slice(at, end).join('\n'));
    // A label alone is about the paragraph below it.
    if (label?.[0].trim() === rows.slice(at, end).join('\n').trim() && end < rows.length) end = blank(end);
    if (label !== null) found.push({ at, rows: rows.slice(at, end) });
    at = end - 1;
  }
  return found;
}

const TAGS =
  /^(?:a|b|br|code|details|div|em|h1|h2|h3|h4|h5|h6|hr|i|img|kbd|li|ol|p|pre|s|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul)$/i;

/** Whether `<NAME>` is markup of HTML and no placeholder. */
export function isTag(name: string): boolean {
  return TAGS.test(name);
}
