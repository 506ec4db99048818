import { nameFault, REFERENCE } from '../inputs.ts';
import type { InputDefinition } from '../schema.ts';
import { type Carrier, fencesOf, isTag } from './carriers.ts';
import { readParameter } from './parameters.ts';
import type { Step } from './steps.ts';

export interface ImportOptions {
  /** The document's name without folder and extension, for a title if there is no other. */
  name: string;
  steps?: Carrier;
  /** Instead of the slug that the document has or gives. */
  slug?: string;
  /** Import only what is below this heading. */
  section?: string;
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

/** Words of a fence with which runme and others need a terminal, continue without it, or leave it out. */
const NOT_TO_RUN =
  /["']?\b(?:interactive|background|tty|promptEnv|excludeFromRunAll|skip|ignore|no-?run|no-?eval)\b(?!["']?\s*[:=]\s*["']?(?:false|no|0)\b)(?:["']?\s*[:=]\s*["']?\w+["']?)?/i;

/** Text that forbids to run something. */
const FORBIDS =
  /(?:\b(?:never|avoid|cannot)\b|\b(?:do|does|must|should|shall|may|can|is|are)(?:\s+not|n['’]t)\b|\bdon['’]?t\b|\bnot\s+to\b|\binstead of\b|\brather than\b)[^.!?\n]{0,60}?\b(?:run|runs|running|execute[ds]?|executing|use|using|type|call|invoke|do|try|following|command|this|below)\b/i;

/** The end of a text that announces output. */
const ANNOUNCES_OUTPUT =
  /\b(?:(?:output|log|logs|result|response|screen|console|terminal|prompt|it|this|that|you|which|command)\b[^.!?]{0,60}\b(?:show|shows|see|print|prints|return|returns|read|reads|say|says|contain|contains|display|displays|be|is|look|looks|get|appear|appears)|(?:expected|sample|example|typical|similar)\b[^.!?]{0,40}|(?:output|prints|returns|displays|responds|like(?:\s+this)?))\s*(?:like(?:\s+this)?|similar to|as follows|something like)?\s*[*_]*:[*_]*\s*$/i;

/** A row that restricts what follows to a case: "Only if it is down:". */
const RESTRICTS = /(?<![a-z])only (?:if|when|on|in|for)\b[^.!?\n]*:[*_]*[ \t]*$/im;

/** Why the text around a command is against running it: a warning anywhere in the step, or the announcement of output before it. */
function warningIn(step: Step, { open, close }: { open: number; close: number }): string | undefined {
  const text = [step.label, ...step.body.slice(0, open), '', ...step.body.slice(close + 1)].join('\n');
  const before = step.body
    .slice(0, open)
    .join('\n')
    .trimEnd()
    .split(/\n[ \t]*\n|(?<=[.!?])\s/)
    .at(-1)!;
  const restriction = RESTRICTS.exec(step.body.slice(0, open).join('\n'))?.[0];
  return FORBIDS.exec(text)?.[0] ?? restriction ?? ANNOUNCES_OUTPUT.exec(before.replace(/\s+/g, ' '))?.[0];
}

/** Marks the one fenced command of a step as its proof unless something is against it. Reports why not. */
export function proposeProof(
  step: Step,
  { commandFault }: ImportOptions,
  decisions: ImportDecision[],
): boolean {
  const fences = fencesOf(step.body);
  const shells = fences.filter(({ shell }) => shell !== null);
  const [only] = shells;
  if (only === undefined) return false;
  const note = (what: string) => decisions.push({ line: step.line, what: `${step.label}: ${what}` });
  const keep = (what: string) => {
    note(what);
    return false;
  };
  if (shells.length > 1)
    return keep(`${shells.length} command blocks kept as text, because a step has one proof`);
  if (only !== fences.at(-1)) return keep('command kept as text, because other code follows it');
  const [, language = '', words = ''] = /^[`~]+[ \t]*([\w+-]*)[ \t]*(.*?)[ \t]*$/.exec(
    step.body[only.open]!.slice(only.lead),
  )!;
  if (/^console$/i.test(language))
    return keep('kept as text, because a console block shows a terminal with its output');
  const told = NOT_TO_RUN.exec(words)?.[0] ?? warningIn(step, only);
  if (told !== undefined)
    return keep(`command kept as text, because it is not to be run unseen: ${told.trim()}`);
  // The block of an item of a list becomes the step's own.
  const indent = ' '.repeat(only.lead);
  const dedented = step.body
    .slice(only.open + 1, only.close + 1)
    .map((row) => (row.startsWith(indent) ? row.slice(only.lead) : row.trimStart()));
  const command = dedented.slice(0, only.close - only.open - 1).join('\n');
  const fault = commandFault(command);
  if (fault !== null) return keep(`command kept as text, because ${fault}`);
  step.body.splice(only.open, dedented.length + 1, `${only.mark}${only.shell} proof`, ...dedented);
  note('its command is the proof, because it is the only one and has no gap');
  if (words !== '')
    note(`the words ${JSON.stringify(words)} of its fence are left out, because kairos has others there`);
  return true;
}

const MUST = /^[ \t]*[-*+][ \t]+(.*\bMUST\b(?!\s+NOT\b).*)$/;
const ASKS =
  /\bMUST\s+(?:\w+\s+)?(?:ask|confirm|get|obtain|request|wait for)\b.*\b(?:users?|human|person|approval|confirmation|permission)\b/i;

/** In an agent SOP, a step with MUST constraints asks for an account of them, or a person where a constraint names one. */
export function demandConstraints(step: Step, decisions: ImportDecision[]): boolean {
  const constraints = step.body.flatMap((row) => MUST.exec(row)?.[1] ?? []);
  const question = constraints.find((text) => ASKS.test(text));
  if (constraints.length === 0) return false;
  const proof =
    question === undefined
      ? { type: 'comment', comment: { min_length: 20 } }
      : { type: 'user_input', user_input: { prompt: question.trim() } };
  step.body.push('', '```json', JSON.stringify({ proof_of_work: proof }), '```');
  const what =
    question === undefined ? 'its MUST constraints ask for a comment' : 'a MUST constraint is its prompt';
  decisions.push({ line: step.line, what: `${step.label}: ${what}` });
  return true;
}

interface Parts {
  title: string;
  preface: string[];
  steps: readonly Step[];
  /** The inputs of the frontmatter. */
  declared: Readonly<Record<string, InputDefinition>>;
  isSop: boolean;
  /** A command of Claude, in which `$1` is an argument. */
  isCommand: boolean;
}

/** The name of an input for a placeholder: `the host-name` is `THE_HOST_NAME`. */
function nameOf(written: string): string {
  return written
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .slice(0, 64);
}

/** Keys of a keyboard: `<ENTER>` asks a person to press one. */
const KEYS =
  /^(?:ENTER|RETURN|ESC(?:APE)?|TAB|CTRL|CONTROL|ALT|OPTION|SHIFT|CMD|COMMAND|META|WIN|SPACE|BACKSPACE|DEL(?:ETE)?|INS(?:ERT)?|UP|DOWN|LEFT|RIGHT|PGUP|PGDN|F\d{1,2}|[A-Z])$/;

/** `<HOST_NAME>`, `<the host>`, escaped in a label, and no type parameter (`List<STRING>`). */
const ANGLES = /(?<![\p{L}\p{N}_]\\?)\\?<([A-Za-z][\w-]*(?: [\w-]+){0,3})>/gu;

/** `{{ name }}`, but none of the words that end a part of another program's template. */
const BRACES = /(?<!\$)\{\{[ \t]*(?!(?:end|else|nil|true|false)\b)([A-Za-z][\w-]*)[ \t]*\}\}/g;

/** `[CLUSTER_NAME]`, `[YOUR NAME]`, where it isn't a link. */
const BRACKETS = /(?<![\w\]!\\])\[([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|YOUR(?:[ _-][A-Z0-9]+)+)\](?![([:\]])/g;

/** `${REGION}`: a variable that the document doesn't set itself. */
const VARIABLE = /\$\{([A-Z][A-Z0-9_]*)\}/g;

/** Variables that a shell sets. */
const OF_SHELLS =
  /^(?:HOSTNAME|RANDOM|SECONDS|E?UID|PPID|LINENO|REPLY|OPTARG|OPTIND|PIPESTATUS|FUNCNAME|IFS|BASH)$/;

/** What people leave open in commands, and some programs read too. */
const LEFT_OPEN =
  /(?<![\w$%`{])\{[a-z][\w-]*\}(?!\})|%[A-Z][A-Z0-9_]+%|(?<![\w$[\]])\[[A-Za-z]{2,}(?:[ _-][A-Za-z]+)*\](?![\](])/g;

const SECRET =
  /(?:^|_)(?:TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIALS?|(?:API|PRIVATE|ACCESS)_?KEY)(?:_|$)/;

/** Headings of lists of parameters. */
const PARAMETERS = /\b(?:parameters?|inputs?|arguments?|variables)\b/i;

/**
 * Placeholders that become inputs: `{{name}}`, `<name>`, `[THE_NAME]`, `${NAME}` that nothing sets, `$ARGUMENTS` and, in Claude's
 * commands, `$1`, parameters of agent SOPs. Rewrites them to references, in commands too, and to the input's name in titles and names of steps. Of other code only `{{NAME}}` counts, and only in a document with other inputs,
 * whose references must all be known.
 */
export function placeholderInputs(
  { title, preface, steps, declared, isSop, isCommand }: Parts,
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
  const refer = (placeholder: string, line: number): string => {
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
    const name = freeName(nameOf(found.name), 1);
    declare(name, 1, found.input, `${found.name} is a parameter`);
    written.set(found.name, name);
    if (found.unusable !== null)
      decisions.push({
        line: 1,
        what: `input ${name} has no default, because ${found.unusable} can't be its value`,
      });
  }
  const all = [title, ...preface, ...steps.flatMap(({ label, body }) => [label, ...body])].join('\n');
  const takesArguments = isCommand || /\$\{?ARGUMENTS\b/.test(all);
  /** Markup: a tag, or a name that is closed somewhere. Keys of a keyboard and single letters aren't left open either. */
  const isMarkup = (name: string) =>
    isTag(name.split(' ')[0]!) ||
    name.length === 1 ||
    (/^[A-Z]/.test(name) && KEYS.test(name.toUpperCase())) ||
    all.includes(`</${name}>`);
  const isSet = (name: string) =>
    nameFault(name) !== null ||
    OF_SHELLS.test(name) ||
    new RegExp(`\\b${name}=|\\b(?:read|for|select|declare|local|readonly)\\b[^\\n;]*\\b${name}\\b`).test(all);
  const fill = (text: string, line: number): string => {
    let filled = text;
    if (takesArguments)
      filled = filled
        .replace(/\$ARGUMENTS\[(\d)\]|\$([1-9])(?![\d.,]*\d)/g, (_, at?: string, nth?: string) =>
          refer(`ARGUMENT_${at ?? nth}`, line),
        )
        .replace(/\$ARGUMENTS\b|\$\{ARGUMENTS\}/g, () => refer('ARGUMENTS', line));
    filled = filled
      .replace(ANGLES, (gap, name: string) => (isMarkup(name) ? gap : refer(name, line)))
      .replace(BRACKETS, (gap, name: string) => (all.includes(`${gap}:`) ? gap : refer(name, line)))
      .replace(VARIABLE, (variable, name: string) => (isSet(name) ? variable : refer(name, line)))
      .replace(BRACES, (_, name: string) => refer(name, line));
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
  const named = (text: string, line: number) => fill(text, line).replace(REFERENCE, '$1');
  const ownTitle = named(title, 1);
  for (const step of steps) step.label = named(step.label, step.line);
  for (const { rows, line } of parts) {
    const code = fencesOf(rows).filter(({ shell }) => shell === null);
    for (const [at, row] of rows.entries())
      if (!code.some(({ open, close }) => open <= at && at <= close)) rows[at] = fill(row, line);
    const commands = fencesOf(rows).filter(({ shell }) => shell !== null);
    const open = commands.flatMap((fence) =>
      rows.slice(fence.open + 1, fence.close).flatMap((row) => row.match(LEFT_OPEN) ?? []),
    );
    for (const gap of new Set(open))
      decisions.push({ line, what: `${gap} stays unchanged, because programs read such words too` });
  }
  if (Object.keys(inputs).length > 0)
    for (const { rows, line } of parts)
      for (const [at, row] of rows.entries())
        rows[at] = row.replace(REFERENCE, (_, name: string) => refer(name, line));
  return { inputs, title: ownTitle };
}
