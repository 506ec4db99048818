import { memoize } from '../../base/memoize.ts';
import { fencesOf } from '../block/fence.ts';
import { nameFault, REFERENCE } from '../inputs.ts';
import type { InputDefinition } from '../schema.ts';
import type { Carrier } from './carriers.ts';
import { isTag, readParameter } from './parameters.ts';
import type { Step } from './steps.ts';

export interface ImportOptions {
  /** The document's name without folder and extension, for a title if there is no other. */
  name: string;
  steps?: Carrier;
  /** Instead of the slug that the document has or gives. */
  slug?: string;
  /** Import only what is below this heading. */
  section?: string;
  /** Which of the document's procedures is imported (from 0), if it has several. */
  procedure?: number;
  /** An agent SOP: its MUST constraints ask for a comment or a person's answer. */
  isSop?: boolean;
  /** Why a command can't be a proof unchanged; null when it can. */
  commandFault(command: string): string | null;
}

/** Something that the import decided, with the line of the original (1-based). */
export interface ImportDecision {
  line: number;
  what: string;
}

interface Parts {
  title: string;
  /** Whether the title was made of text, with the escapes of the import. */
  isMade: boolean;
  preface: string[];
  steps: readonly Step[];
  /** The inputs of the frontmatter. */
  declared: Readonly<Record<string, InputDefinition>>;
  isSop: boolean;
  /** A command of Claude, in which `$1` is an argument. */
  isCommand: boolean;
  /** The line where a text is first, outside of other code (1-based); null if it is nowhere. */
  lineOf(text: string): number | null;
}

/** The name of an input for a placeholder: `the host-name` is `THE_HOST_NAME`. */
function nameOf(written: string): string {
  return written
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .slice(0, 64);
}

/** Keys of a keyboard: `<ENTER>` asks a person to press one. */
const KEYS =
  /^(?:ENTER|RETURN|ESC(?:APE)?|TAB|CTRL|CONTROL|ALT|OPTION|SHIFT|CMD|COMMAND|META|WIN|SPACE|BACKSPACE|DEL(?:ETE)?|INS(?:ERT)?|UP|DOWN|LEFT|RIGHT|PGUP|PGDN|F\d{1,2}|[A-Z])$/;

/** `<HOST_NAME>`, `<the host>`; no type parameter (`List<STRING>`), and not what the author escaped. */
const ANGLES = /(?<![\p{L}\p{N}_])(?<!(?<!\\)(?:\\\\)*\\)<([A-Za-z][\w-]*(?: [\w-]+){0,3})>/gu;

/** The same in a label that the import made, and escaped. */
const MADE_ANGLES = /(?<![\p{L}\p{N}_]\\?)\\?<([A-Za-z][\w-]*(?: [\w-]+){0,3})>/gu;

/** `{{ name }}`, but none of the words that end a part of another program's template. */
const BRACES = /(?<!\$)\{\{[ \t]*(?!(?:end|else|nil|true|false)\b)([A-Za-z][\w-]*)[ \t]*\}\}/g;

/** `[CLUSTER_NAME]`, `[YOUR NAME]`, where it isn't a link. */
const BRACKETS = /(?<![\w\]!\\])\[([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|YOUR(?:[ _-][A-Z0-9]+)+)\](?![([:\]])/g;

/** `[DATE]`, `[HOST NAME]`: in a sentence, where it isn't a label at the beginning, a link, or an optional word in code. */
const BRACKETED_WORDS =
  /\[(?<=\p{L}[^\n]*?[\s(:=„“"'«*_]\[)(\p{Lu}{3,}|ID|IP|\p{Lu}{2,}(?: \p{Lu}{2,}){1,3})\](?![([:\]\w])/gu;

/** Words in brackets that are a state, a level or a kind of note. */
const BRACKETED_MARKS =
  /^(?:DONE|TODO|FIXME|WIP|TBD|TBC|NEW|FAIL(?:ED)?|PASS(?:ED)?|ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|NOTE|TIP|IMPORTANT|CAUTION|DANGER|OPTIONAL|REQUIRED|MANDATORY|DEPRECATED|SIC|YES|OFF|TOC|REDACTED|MUST(?: NOT)?|SHOULD(?: NOT)?|MAY|NONE|NULL|TRUE|FALSE|CONFIDENTIAL|INTERNAL|DRAFT|OPTIONS|ARGS|FLAGS|COMMAND|CRITICAL|HIGH|MEDIUM|LOW|MANUAL|AUTO(?:MATED)?|RFC|ISO)$/;

/** `${REGION}`: a variable that the document doesn't set itself. */
const VARIABLE = /(?<!\\)\$\{([A-Z][A-Z0-9_]*)\}/g;

/** Whether a place of a row is in a code span. */
function isInCode(row: string, at: number): boolean {
  return [...row.matchAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g)].some(
    ({ 0: code, index }) => index < at && at < index + code.length,
  );
}

/** Variables that a shell sets. */
const OF_SHELLS =
  /^(?:HOSTNAME|RANDOM|SECONDS|E?UID|PPID|LINENO|REPLY|OPTARG|OPTIND|PIPESTATUS|FUNCNAME|IFS|BASH)$/;

/** What people leave open in commands, and some programs read too. */
const LEFT_OPEN =
  /(?<![\w$%`{])\{[a-z][\w-]*\}(?!\})|%[A-Z][A-Z0-9_]+%|(?<![\w$[\]])\[[A-Za-z]{2,}(?:[ _-][A-Za-z]+)*\](?![\](])/g;

const SECRET =
  /(?:^|_)(?:TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIALS?|(?:API|PRIVATE|ACCESS)_?KEY)(?:_|$)/;

/** How much is kept of what was looked for in a whole document, in characters: then it is looked for once. */
const KEPT = 1 << 18;

/** Headings of lists of parameters. */
const PARAMETERS = /\b(?:parameters?|inputs?|arguments?|variables)\b/i;

/**
 * Placeholders that become inputs: `{{name}}`, `<name>`, `[THE_NAME]`, `[DATE]`, `${NAME}` that nothing sets, `$ARGUMENTS` and, in Claude's
 * commands, `$1`, parameters of agent SOPs. Rewrites them to references, in commands too, and to the input's name in titles and names of steps. Of other code only `{{NAME}}` counts, and only in a document with other inputs,
 * whose references must all be known.
 */
export function placeholderInputs(
  { title, isMade, preface, steps, declared, isSop, isCommand, lineOf }: Parts,
  decisions: ImportDecision[],
): { inputs: Record<string, InputDefinition>; title: string } {
  const inputs: Record<string, InputDefinition> = { ...declared };
  const declare = (name: string, line: number, input: InputDefinition, why = 'the text leaves it open') => {
    if (nameFault(name) !== null || name in inputs) return;
    inputs[name] = input;
    decisions.push({ line, what: `input ${name}, because ${why}` });
  };
  /** A name that commands use for something else gets another one. */
  const freeName = (name: string, line: number): string => {
    const free =
      [name, `${name.slice(0, 58)}_VALUE`].find((each) => nameFault(each) === null) ?? `THE_${name}`;
    if (free !== name && !(free in inputs))
      decisions.push({ line, what: `${name} is called ${free}, because commands use ${name} themselves` });
    return free;
  };
  const refer = (placeholder: string, step: number, text: string): string => {
    const line = lineOf(text) ?? step;
    const name = nameOf(placeholder);
    const free = freeName(name, line);
    const isSecret = SECRET.test(name);
    declare(
      free,
      line,
      { description: name.toLowerCase().replace(/_/g, ' '), ...(isSecret ? { secret: true } : {}) },
      isSecret ? 'the text leaves it open; it is secret by its name' : undefined,
    );
    return `{{${free}}}`;
  };
  const written = new Map<string, string>();
  let isList = isSop;
  for (const [at, row] of preface.entries()) {
    if (/^#{1,6}[ \t]/.test(row)) isList = isSop || PARAMETERS.test(row);
    const found = isList ? readParameter(row, preface.slice(at + 1)) : null;
    if (found === null) continue;
    const line = lineOf(row) ?? 1;
    const name = freeName(nameOf(found.name), line);
    declare(name, line, found.input, `${found.name} is a parameter`);
    written.set(found.name, name);
    if (found.unusable !== null)
      decisions.push({
        line,
        what: `input ${name} has no default, because ${found.unusable} can't be its value`,
      });
  }
  const all = [title, ...preface, ...steps.flatMap(({ label, body }) => [label, ...body])].join('\n');
  const takesArguments = isCommand || /\$\{?ARGUMENTS\b/.test(all);
  /** Markup: a tag, or a name that is closed somewhere. Keys of a keyboard and single letters aren't left open either. */
  const isMarkup = memoize(
    (name) =>
      isTag(name.split(' ')[0]!) ||
      name.length === 1 ||
      (/^[A-Z]/.test(name) && KEYS.test(name.toUpperCase())) ||
      all.includes(`</${name}>`),
    KEPT,
  );
  const isKey = memoize((gap) => all.includes(`${gap}:`), KEPT);
  const labels = new Set(
    [...all.matchAll(/^ {0,3}\[([^[\]\n]+)\]:/gm)].map(([, label]) => label!.toLowerCase()),
  );
  const isLabel = (name: string) =>
    BRACKETED_MARKS.test(name) || KEYS.test(name) || labels.has(name.toLowerCase());
  const isSet = memoize(
    (name) =>
      nameFault(name) !== null ||
      OF_SHELLS.test(name) ||
      new RegExp(`\\b${name}=|\\b(?:read|for|select|declare|local|readonly)\\b[^\\n;]*\\b${name}\\b`).test(
        all,
      ),
    KEPT,
  );
  const fill = (text: string, line: number, angles = ANGLES, isCode = false): string => {
    let filled = text;
    if (takesArguments)
      filled = filled
        .replace(/(?<!\\)(?:\$ARGUMENTS\[(\d)\]|\$([1-9])(?![\d.,]*\d))/g, (gap, at?: string, nth?: string) =>
          refer(`ARGUMENT_${at ?? nth}`, line, gap),
        )
        .replace(/(?<!\\)(?:\$ARGUMENTS\b|\$\{ARGUMENTS\})/g, (gap) => refer('ARGUMENTS', line, gap));
    filled = filled
      .replace(angles, (gap, name: string) => (isMarkup(name) ? gap : refer(name, line, `<${name}>`)))
      .replace(BRACKETS, (gap, name: string) => (isKey(gap) ? gap : refer(name, line, gap)))
      .replace(BRACKETED_WORDS, (gap, name: string, at: number, row: string) =>
        isCode || isLabel(name) || isInCode(row, at) ? gap : refer(name, line, gap),
      )
      .replace(VARIABLE, (gap, name: string) => (isSet(name) ? gap : refer(name, line, gap)))
      .replace(BRACES, (gap, name: string) => refer(name, line, gap));
    if (!filled.includes('{')) return filled;
    for (const [own, name] of [
      ...Object.keys(inputs).map((each) => [each.toLowerCase(), each] as const),
      ...written,
    ])
      filled = filled
        .replace(new RegExp(`(?<![\\w$])\\{${own}\\}`, 'g'), `{{${name}}}`)
        .replaceAll(`{{{${name}}}}`, `{{${name}}}`);
    return filled;
  };
  const parts = [{ line: 1, rows: preface }, ...steps.map(({ line, body: rows }) => ({ line, rows }))];
  // Titles and names of steps are the same in every run.
  const named = (text: string, line: number, made = false) =>
    fill(text, line, made ? MADE_ANGLES : ANGLES).replace(REFERENCE, '$1');
  const ownTitle = named(title, 1, isMade);
  for (const step of steps) step.label = named(step.label, step.line, step.isMade);
  for (const { rows, line } of parts) {
    const code = fencesOf(rows).filter(({ shell }) => shell === null);
    const commands = fencesOf(rows).filter(({ shell }) => shell !== null);
    const isIn = (fences: typeof code, at: number) =>
      fences.some(({ open, close }) => open <= at && at <= close);
    for (const [at, row] of rows.entries())
      if (!isIn(code, at)) rows[at] = fill(row, line, ANGLES, isIn(commands, at));
    const open = commands.flatMap((fence) =>
      rows.slice(fence.open + 1, fence.close).flatMap((row) => row.match(LEFT_OPEN) ?? []),
    );
    for (const gap of new Set(open))
      decisions.push({
        line: lineOf(gap) ?? line,
        what: `${gap} stays unchanged, because programs read such words too`,
      });
  }
  if (Object.keys(inputs).length > 0)
    for (const { rows, line } of parts)
      for (const [at, row] of rows.entries())
        rows[at] = row.replace(REFERENCE, (gap, name: string) => refer(name, line, gap));
  return { inputs, title: ownTitle };
}

/** Finds the line of a text: in the part that is imported, else anywhere after the frontmatter. */
export function lineFinder(
  lines: readonly string[],
  { from, to }: { from: number; to: number },
  start: number,
): (text: string) => number | null {
  const code = fencesOf(lines).filter(({ shell }) => shell === null);
  const has = (text: string, line: number) =>
    lines[line]!.includes(text) && !lines[line]!.includes(`\\${text}`);
  return memoize((text) => {
    const found = lines.flatMap((_, line) => (line >= start && has(text, line) ? [line] : []));
    const isCode = (line: number) => code.some(({ open, close }) => open <= line && line <= close);
    const plain = found.filter((line) => !isCode(line));
    const [line] = [...plain.filter((each) => from <= each && each < to), ...plain, ...found];
    return line === undefined ? null : line + 1;
  }, KEPT);
}
