import { nameFault } from './inputs.ts';
import type { ChainNode, Place, Problem, StepNode } from './model.ts';
import { type LineIndex, placeBetween } from './position.ts';
import type { StepBlock } from './schema.ts';

/** `{{NAME}}`, where text takes the value of an input or a capture. `${{…}}` belongs to other tools. */
const REFERENCE = /(?<!\$)\{\{[ \t]*([A-Z][A-Z0-9_]*)[ \t]*\}\}/g;

/** The names that a text refers to as `{{NAME}}`, in their order. */
export function referencesIn(text: string): string[] {
  return text.includes('{{') ? Array.from(text.matchAll(REFERENCE), ([, name]) => name!) : [];
}

/** Puts values in the place of `{{NAME}}`. A name without a value stays as it is written. */
export function withReferences(text: string, values: Readonly<Record<string, string>>): string {
  if (!text.includes('{{')) return text;
  return text.replace(REFERENCE, (written, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : written,
  );
}

/** What is wrong with the names of a chain: captures that can't be used, and references to names that don't exist there. */
export function nameProblems(
  { source, lines }: { source: string; lines: LineIndex },
  chain: ChainNode,
): Problem[] {
  const hasCaptures = chain.steps.some(({ block }) => block?.value.captures !== undefined);
  if (!hasCaptures && !source.includes('{{')) return [];
  const problems: Problem[] = [];
  const known = new Map<string, string>(Object.keys(chain.inputs).map((name) => [name, 'input']));
  const declares = known.size > 0 || hasCaptures;
  for (const step of chain.steps) {
    const value = step.block?.value;
    const report = (code: Problem['code'], text: string, args: Problem['args']): void => {
      const place = placeOf(source, lines, step, text);
      problems.push({ code, severity: 'error', place, args });
    };
    if (declares) {
      for (const name of referencesIn(step.body)) {
        if (!known.has(name))
          report('reference-unknown', name, { name, known: [...known.keys()].join(', ') });
      }
    }
    if (value === undefined) continue;
    for (const text of shownTexts(value)) {
      for (const name of referencesIn(text)) {
        if (!known.has(name))
          report('reference-unknown', name, { name, known: [...known.keys()].join(', ') });
      }
    }
    for (const { key, text } of exactTexts(value)) {
      for (const name of referencesIn(text)) report('reference-in-command', name, { name, key });
    }
    for (const { name, from, pattern, json_pointer } of value.captures ?? []) {
      const fault =
        nameFault(name) ??
        (known.has(name) ? 'name-taken' : null) ??
        (SOURCES[from].includes(value.proof_of_work?.type ?? 'comment') ? null : 'capture-from') ??
        (pattern !== undefined && json_pointer !== undefined ? 'capture-both' : null);
      if (fault === null) known.set(name, 'capture');
      else report('capture-unusable', name, { name, issue: fault, from, kind: known.get(name) });
    }
  }
  return problems;
}

/** What each kind of capture is taken from. */
const SOURCES: Readonly<Record<'stdout' | 'result' | 'answer', readonly string[]>> = {
  stdout: ['shell'],
  result: ['mcp'],
  answer: ['user_input', 'comment'],
};

/** The texts of a step block in which `{{NAME}}` is replaced. */
function shownTexts({ proof_of_work: proof, outputs, sampling }: StepBlock): string[] {
  const values: unknown[] = [
    proof?.type === 'user_input' ? [proof.user_input.prompt, proof.user_input.choices] : [],
    proof?.type === 'mcp' ? [proof.mcp.arguments, proof.mcp.expected_result] : [],
    outputs?.map(({ path, equals }) => [path, equals]),
    sampling === undefined ? [] : [sampling.system, sampling.prompt],
  ];
  return textsIn(values);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The texts that are used to the letter: commands and patterns. */
function exactTexts({
  proof_of_work: proof,
  outputs,
  proposal,
  captures,
}: StepBlock): { key: string; text: string }[] {
  const found: { key: string; text: string | undefined }[] = [
    ...(proof?.type === 'shell'
      ? [
          { key: 'cmd', text: proof.shell.cmd },
          { key: 'workdir', text: proof.shell.workdir },
          { key: 'stdout_matches', text: proof.shell.stdout_matches },
        ]
      : []),
    { key: 'pattern', text: proof?.type === 'user_input' ? proof.user_input.pattern : undefined },
    { key: 'command', text: proposal?.rollback_semantics?.command },
    { key: 'verify', text: proposal?.rollback_semantics?.verify },
    ...(outputs ?? []).map(({ matches }) => ({ key: 'matches', text: matches })),
    ...(captures ?? []).map(({ pattern }) => ({ key: 'pattern', text: pattern })),
  ];
  return found.filter((each): each is { key: string; text: string } => each.text !== undefined);
}

/** The reference in the step where it is written, else the name in the block, else the block or the label. */
function placeOf(source: string, lines: LineIndex, step: StepNode, name: string): Place {
  const { start, end } = step.place;
  const text = source.slice(start.offset, end.offset);
  const written = [...text.matchAll(REFERENCE)].find(([, found]) => found === name);
  if (written !== undefined) {
    const from = start.offset + written.index;
    return placeBetween(lines, from, from + written[0].length);
  }
  const block = step.block?.valuePlace;
  const at = block === undefined ? -1 : source.slice(block.start.offset, block.end.offset).indexOf(name);
  if (block === undefined || at === -1) return block ?? step.labelPlace;
  return placeBetween(lines, block.start.offset + at, block.start.offset + at + name.length);
}
