import type { Carrier } from './carriers.ts';
import type { Step } from './steps.ts';

export interface ImportOptions {
  /** The document's name without folder and extension, for a title if there is no other. */
  name: string;
  steps?: Carrier;
  /** Import only what is below this heading. */
  section?: string;
  /** Why a command can't be a proof as it is; null when it can. */
  commandFault(command: string): string | null;
}

/** Something that the import decided, with the line of the original (1-based). */
export interface ImportDecision {
  line: number;
  what: string;
}

const SHELLS: Readonly<Record<string, string>> = {
  sh: 'sh',
  shell: 'sh',
  bash: 'bash',
  console: 'sh',
  zsh: 'zsh',
};

const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*([\w+-]*)(.*)$/;

/** Marks the one fenced command of a step as its proof where nothing speaks against it. Reports why not. */
export function proposeProof(
  step: Step,
  { commandFault }: ImportOptions,
  decisions: ImportDecision[],
): boolean {
  const fences: { open: number; close: number; language: string; mark: string }[] = [];
  for (let at = 0; at < step.body.length; at += 1) {
    const match = FENCE.exec(step.body[at]!);
    if (match === null) continue;
    const [, , mark = '', language = ''] = match;
    let close = at + 1;
    while (
      close < step.body.length &&
      !new RegExp(`^ {0,3}\\${mark[0]}{${mark.length},}[ \\t]*$`).test(step.body[close]!)
    )
      close += 1;
    fences.push({ open: at, close, language: language.toLowerCase(), mark });
    at = close;
  }
  const shells = fences.filter(({ language }) => language in SHELLS);
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
  step.body[only.open] = `${only.mark}${SHELLS[only.language]} proof`;
  note('its command is the proof');
  return true;
}

const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Placeholders of the text that become inputs: `{{NAME}}`, `$ARGUMENTS` of Claude's commands, parameters of agent SOPs. */
export function placeholderInputs(
  preface: string[],
  steps: readonly Step[],
  decisions: ImportDecision[],
): Record<string, { description: string }> {
  const inputs: Record<string, { description: string }> = {};
  const declare = (name: string, description: string, line: number) => {
    if (!NAME.test(name) || name in inputs) return;
    inputs[name] = { description };
    decisions.push({ line, what: `input ${name}` });
  };
  for (const row of preface) {
    const match =
      /^[-*+][ \t]+\*{0,2}`?([a-z][a-z0-9_]*)`?\*{0,2}[ \t]*\((?:required|optional)[^)]*\):?\*{0,2}:?[ \t]*(.*)$/i.exec(
        row,
      );
    if (match !== null) declare(match[1]!.toUpperCase(), match[2]!.trim() || match[1]!, 1);
  }
  for (const step of steps) {
    step.label = step.label.replace(/\$ARGUMENTS\b/g, '{{ARGUMENTS}}');
    let isCode = false;
    for (const [at, row] of step.body.entries()) {
      if (/^ {0,3}(?:`{3,}|~{3,})/.test(row)) isCode = !isCode;
      if (isCode) continue;
      let text = row.replace(/\$ARGUMENTS\b/g, '{{ARGUMENTS}}');
      for (const name of Object.keys(inputs))
        text = text
          .replaceAll(`{${name.toLowerCase()}}`, `{{${name}}}`)
          .replaceAll(`{{{${name}}}}`, `{{${name}}}`);
      step.body[at] = text;
      for (const [, name = ''] of text.matchAll(/\{\{([A-Z][A-Z0-9_]*)\}\}/g))
        declare(name, name.toLowerCase().replace(/_/g, ' '), step.line);
    }
  }
  return inputs;
}
