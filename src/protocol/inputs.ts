import { suggest } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { INPUT_SHAPE } from './block/block-shape.ts';
import { readShape } from './block/shape.ts';
import type { Path } from './block/value.ts';
import { lazy } from './late.ts';
import type { ChainNode, Inputs, Place, Problem, StepNode } from './model.ts';
import { type LineIndex, placeBetween } from './position.ts';
import type { InputDefinition, StepBlock } from './schema.ts';
import { isPassed } from './terms.ts';

/** Names of inputs and captures, which are also names of environment variables. */
const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Variables that decide which program runs, or what an interpreter loads before it begins. */
const DECIDES_WHAT_RUNS = new Set(
  (
    'ENV IFS CDPATH FPATH PATHEXT PWD OLDPWD SHELLOPTS BASHOPTS PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND ZDOTDIR GLOBIGNORE ' +
    'NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONINSPECT PYTHONEXECUTABLE PERL5LIB ' +
    'PERL5OPT PERL5DB PERLLIB RUBYLIB RUBYOPT GEM_PATH GEM_HOME PSMODULEPATH JAVA_TOOL_OPTIONS CLASSPATH ' +
    'GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_ASKPASS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE ' +
    'GIT_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_TEMPLATE_DIR SSH_ASKPASS SSH_AUTH_SOCK EDITOR VISUAL PAGER BROWSER'
  ).split(' '),
);
const PREFIXES = /^(?:KAIROS_|LD_|DYLD_|BASH_|GIT_CONFIG|NPM_CONFIG_)/;

/** Why a name can't be an input's or a capture's; null when it can. */
export function nameFault(name: string): 'name-form' | 'name-reserved' | null {
  if (!NAME.test(name)) return 'name-form';
  const isReserved = isPassed(name) || DECIDES_WHAT_RUNS.has(name) || PREFIXES.test(name);
  return isReserved ? 'name-reserved' : null;
}

/** Why a value doesn't fit an input; null when it does. Load the patterns first (`withLate`). */
export function inputFault(
  { pattern, choices, type }: InputDefinition,
  value: string,
): 'number' | 'boolean' | 'choices' | 'pattern' | 'nul' | null {
  if (value.includes('\0')) return 'nul';
  if (type === 'number') return NUMBER.test(value) ? null : 'number';
  if (type === 'boolean') return value === 'true' || value === 'false' ? null : 'boolean';
  if (choices !== undefined) return choices.includes(value) ? null : 'choices';
  if (pattern !== undefined) return lazy('patterns').fullMatch(pattern, value) ? null : 'pattern';
  return null;
}

/** A number as JSON writes it. */
export const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** What is wrong with the inputs of a document's frontmatter, as a word that `describeProblem` knows. */
interface InputProblem {
  path: Path;
  issue: string;
  args?: Record<string, string | undefined>;
}

/** Reads the value of `inputs` in a frontmatter. Inputs with a problem are left out. */
export function readInputs(value: unknown): { inputs: Inputs; problems: InputProblem[] } {
  const inputs: Inputs = {};
  const problems: InputProblem[] = [];
  if (!isObject(value)) return { inputs, problems: [{ path: [], issue: 'inputs-type' }] };
  for (const [name, written] of Object.entries(value)) {
    const fault = nameFault(name);
    const found = fault === null ? definitionProblems(name, written ?? {}) : [{ path: [name], issue: fault }];
    problems.push(...found);
    if (found.length === 0) inputs[name] = normalised((written ?? {}) as Record<string, unknown>);
  }
  return { inputs, problems };
}

/** Numbers and booleans become the text that a command gets. */
function normalised(written: Record<string, unknown>): InputDefinition {
  const definition = readShape(INPUT_SHAPE, written) as InputDefinition & { default?: unknown };
  if (definition.default !== undefined) definition.default = String(definition.default);
  return definition as InputDefinition;
}

function definitionProblems(name: string, written: unknown): InputProblem[] {
  if (!isObject(written)) return [{ path: [name], issue: 'input-type' }];
  const shapes = INPUT_SHAPE.kind === 'object' ? INPUT_SHAPE.fields : {};
  const known = Object.keys(shapes);
  const problems = Object.entries(written).flatMap(([key, value]): InputProblem[] => {
    const field = shapes[key];
    if (field === undefined) {
      const args = { key, suggestion: suggest(key, known), known: known.join(', ') };
      return [{ path: [name, key], issue: 'unknown-key', args }];
    }
    const isScalar = key !== 'default' || ['string', 'number', 'boolean'].includes(typeof value);
    return isScalar && readShape(field.shape, value) !== undefined
      ? []
      : [{ path: [name, key], issue: `${key}-type` }];
  });
  if (problems.length > 0) return problems;
  const limits = ['pattern', 'choices', 'type'].filter((key) => key in written);
  if (limits.length > 1) return [{ path: [name, limits[1]!], issue: 'several-limits' }];
  const definition = normalised(written);
  const reason = definition.pattern === undefined ? null : lazy('patterns').problem(definition.pattern);
  if (reason !== null) return [{ path: [name, 'pattern'], issue: 'pattern', args: { reason } }];
  if (definition.default === undefined) return [];
  if (definition.secret === true) return [{ path: [name, 'default'], issue: 'secret-default' }];
  return inputFault(definition, definition.default) === null
    ? []
    : [{ path: [name, 'default'], issue: 'default-fits-not' }];
}

/** `{{NAME}}`: the place of an input's or capture's value in a text. `${{…}}` belongs to other tools. */
export const REFERENCE = /(?<!\$)\{\{[ \t]*([A-Z][A-Z0-9_]*)[ \t]*\}\}/g;

/** The names that a text refers to as `{{NAME}}`, in their order. */
export function referencesIn(text: string): string[] {
  return text.includes('{{') ? Array.from(text.matchAll(REFERENCE), ([, name]) => name!) : [];
}

/** Replaces each `{{NAME}}` with its value. A name without a value stays unchanged. */
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
    const report = (code: Problem['code'], text: string, args: Problem['args'], at: WrittenAt = {}): void => {
      const place = placeOf(source, lines, step, text, at);
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
      const names = referencesIn(text);
      for (const [at, name] of names.entries()) {
        const before = names.slice(0, at).filter((each) => each === name).length;
        report('reference-in-command', name, { name, key }, { key, before });
      }
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

/** Texts of a step block that name something and are never replaced: the tool, and the keys of its arguments. */
function namingTexts(proof: StepBlock['proof_of_work']): { key: string; text: string }[] {
  if (proof?.type !== 'mcp') return [];
  const keys = keysIn([proof.mcp.arguments, proof.mcp.expected_result]);
  return [
    { key: 'tool_name', text: proof.mcp.tool_name },
    ...keys.map((text) => ({ key: 'arguments', text })),
  ];
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(keysIn);
  return Array.isArray(value) ? inner : [...Object.keys(value), ...inner];
}

/** The proof types that provide each capture source. */
const SOURCES: Readonly<Record<'stdout' | 'result' | 'answer', readonly string[]>> = {
  stdout: ['shell'],
  result: ['mcp'],
  answer: ['user_input', 'comment'],
};

/** The texts of a step block in which `{{NAME}}` is replaced. */
export function shownTexts(block: StepBlock): string[] {
  const { proof_of_work: proof, sampling } = block;
  return textsIn([
    proof?.type === 'user_input' ? proof.user_input.prompt : [],
    filledExactly(block),
    sampling === undefined ? [] : [sampling.system, sampling.prompt],
  ]);
}

/** Those of them that decide what is called, accepted or checked. */
function filledExactly({ proof_of_work: proof, outputs }: StepBlock): unknown[] {
  return [
    proof?.type === 'user_input' ? proof.user_input.choices : [],
    proof?.type === 'mcp' ? [proof.mcp.arguments, proof.mcp.expected_result] : [],
    outputs?.map(({ path, equals }) => [path, equals]),
  ];
}

/** The names that a step block refers to where their values decide what is called, accepted or checked. */
export function exactReferences(block: StepBlock): string[] {
  return textsIn(filledExactly(block)).flatMap(referencesIn);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The texts that are used unchanged: commands and patterns. */
export function exactTexts({
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
    ...namingTexts(proof),
  ];
  return found.filter((each): each is { key: string; text: string } => each.text !== undefined);
}

interface WrittenAt {
  /** Of the text in the step block that has the reference. */
  key?: string;
  /** How many references to the same name come before it in that text. */
  before?: number;
}

/** The reference in the step where it is written, else the name in the block, else the block or the label. */
function placeOf(
  source: string,
  lines: LineIndex,
  step: StepNode,
  name: string,
  { key, before = 0 }: WrittenAt,
): Place {
  const { block } = step;
  const { start, end } = (key === undefined ? undefined : block?.place) ?? step.place;
  const text = source.slice(start.offset, end.offset);
  const isKeyed = key !== undefined && block?.format !== 'shorthand';
  const from = isKeyed ? Math.max(text.search(new RegExp(`\\b${key}["']?\\s*:`)), 0) : 0;
  const written = [...text.matchAll(REFERENCE)].filter(
    ({ 1: found, index }) => found === name && index >= from,
  )[before];
  if (written !== undefined) {
    const at = start.offset + written.index;
    return placeBetween(lines, at, at + written[0].length);
  }
  const value = block?.valuePlace;
  const at = value === undefined ? -1 : source.slice(value.start.offset, value.end.offset).indexOf(name);
  if (value === undefined || at === -1) return value ?? step.labelPlace;
  return placeBetween(lines, value.start.offset + at, value.start.offset + at + name.length);
}
