import { nameFault } from '../inputs.ts';
import { type Carrier, fencesOf, rewriteText } from './carriers.ts';
import type { Step } from './steps.ts';

export interface ImportOptions {
  /** The document's name without folder and extension, for a title if there is no other. */
  name: string;
  steps?: Carrier;
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
  const command = step.body.slice(only.open + 1, only.close).join('\n');
  const fault = commandFault(command);
  if (fault !== null) return keep(`command kept as text, because ${fault}`);
  step.body[only.open] = `${only.mark}${only.shell} proof`;
  note('its command is the proof');
  return true;
}

const MUST = /^[ \t]*[-*+][ \t]+(.*\bMUST\b(?!\s+NOT\b).*)$/;
const ASKS =
  /\bMUST\s+(?:\w+\s+)?(?:ask|confirm|get|obtain|request|wait for)\b.*\b(?:users?|human|person|approval|confirmation|permission)\b/i;

/** In an agent SOP, a step with MUST constraints asks for an account of them, or a person where a constraint names one. */
export function demandConstraints(step: Step, decisions: ImportDecision[]): void {
  if (step.body.some((row) => /^[`~]{3,}\w+ proof$/.test(row))) return;
  const constraints = step.body.flatMap((row) => MUST.exec(row)?.[1] ?? []);
  const question = constraints.find((text) => ASKS.test(text));
  if (constraints.length === 0) return;
  const proof =
    question === undefined
      ? { type: 'comment', comment: { min_length: 20 } }
      : { type: 'user_input', user_input: { prompt: question.trim() } };
  step.body.push('', '```json', JSON.stringify({ proof_of_work: proof }), '```');
  const what =
    question === undefined ? 'its MUST constraints ask for a comment' : 'a MUST constraint is its prompt';
  decisions.push({ line: step.line, what: `${step.label}: ${what}` });
}

interface ImportedInput {
  description: string;
  default?: string;
}

/** `<HOST_NAME>`, and no tag of HTML in capitals. */
const GAP =
  /<(?!(?:A|B|BR|CODE|DIV|EM|H[1-6]|HR|I|IMG|KBD|LI|OL|P|PRE|S|SPAN|STRONG|SUB|SUP|TABLE|TBODY|TD|TH|THEAD|TR|TT|U|UL)>)([A-Z][A-Z0-9_]{0,63})>/g;

/**
 * Placeholders of the text that become inputs: `{{NAME}}`, `<NAME>`, `$ARGUMENTS` of Claude's commands, parameters of agent
 * SOPs.
 */
export function placeholderInputs(
  preface: string[],
  steps: readonly Step[],
  decisions: ImportDecision[],
): Record<string, ImportedInput> {
  const inputs: Record<string, ImportedInput> = {};
  const declare = (name: string, description: string, line: number, value?: string) => {
    if (nameFault(name) !== null || name in inputs) return;
    inputs[name] = { description, ...(value === undefined ? {} : { default: value }) };
    decisions.push({ line, what: `input ${name}` });
  };
  const fill = (gap: string, name: string) => (nameFault(name) === null ? `{{${name}}}` : gap);
  for (const row of preface) {
    const match =
      /^[-*+][ \t]+\*{0,2}`?([a-z][a-z0-9_]*)`?\*{0,2}[ \t]*\((required|optional)(?:,?[ \t]*default:?[ \t]*["`]?([^)"`]*)["`]?)?[^)]*\):?\*{0,2}:?[ \t]*(.*)$/i.exec(
        row,
      );
    if (match === null) continue;
    const [, name = '', need = '', value = '', description = ''] = match;
    declare(
      name.toUpperCase(),
      description.trim() || name,
      1,
      need.toLowerCase() === 'optional' ? value.trim() : undefined,
    );
  }
  for (const [at, row] of preface.entries()) {
    if (!/\$ARGUMENTS\b/.test(row)) continue;
    preface[at] = row.replace(/\$ARGUMENTS\b/g, '{{ARGUMENTS}}');
    declare('ARGUMENTS', 'arguments', 1);
  }
  for (const step of steps) {
    step.label = step.label.replace(/\$ARGUMENTS\b/g, '{{ARGUMENTS}}');
    rewriteText(step.body, (row) => {
      let text = row.replace(/\$ARGUMENTS\b/g, '{{ARGUMENTS}}').replace(GAP, fill);
      for (const name of Object.keys(inputs))
        text = text
          .replaceAll(`{${name.toLowerCase()}}`, `{{${name}}}`)
          .replaceAll(`{{{${name}}}}`, `{{${name}}}`);
      for (const [, name = ''] of text.matchAll(/\{\{([A-Z][A-Z0-9_]*)\}\}/g))
        declare(name, name.toLowerCase().replace(/_/g, ' '), step.line);
      return text;
    });
  }
  return inputs;
}
