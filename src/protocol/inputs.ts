import { isPassed } from '../base/passed-variables.ts';
import { suggest } from '../base/suggest.ts';
import { INPUT_SHAPE } from './block/block-shape.ts';
import { readShape } from './block/shape.ts';
import { isObject, type Path } from './block/value.ts';
import { late } from './late.ts';
import type { Inputs } from './model.ts';
import type { InputDefinition } from './schema.ts';

/** Names of inputs and captures: environment variables of their own. */
const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Variables that decide which program runs, or what an interpreter loads before it begins. */
const DECIDES_WHAT_RUNS = new Set(
  (
    'ENV IFS CDPATH FPATH PATHEXT PWD OLDPWD SHELLOPTS BASHOPTS PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND ZDOTDIR GLOBIGNORE ' +
    'NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONINSPECT PYTHONEXECUTABLE PERL5LIB ' +
    'PERL5OPT PERL5DB PERLLIB RUBYLIB RUBYOPT GEM_PATH GEM_HOME PSMODULEPATH JAVA_TOOL_OPTIONS CLASSPATH ' +
    'GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_ASKPASS SSH_ASKPASS EDITOR VISUAL PAGER BROWSER'
  ).split(' '),
);
const PREFIXES = /^(?:KAIROS_|LD_|DYLD_|BASH_)/;

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
  if (pattern !== undefined) return late('patterns').fullMatch(pattern, value) ? null : 'pattern';
  return null;
}

/** A number as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** What is wrong with the inputs of a document's frontmatter, as a word that `describeProblem` knows. */
export interface InputProblem {
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
  const reason = definition.pattern === undefined ? null : late('patterns').problem(definition.pattern);
  if (reason !== null) return [{ path: [name, 'pattern'], issue: 'pattern', args: { reason } }];
  if (definition.default === undefined) return [];
  if (definition.secret === true) return [{ path: [name, 'default'], issue: 'secret-default' }];
  return inputFault(definition, definition.default) === null
    ? []
    : [{ path: [name, 'default'], issue: 'default-fits-not' }];
}
