import { nameFault } from '../../protocol/inputs.ts';
import { isPassed } from '../../protocol/terms.ts';
import { outsideVariables, shellStateOf } from '../../shell/variables.ts';
import type { Fix } from '../message.ts';
import type { LintRule, RuleContext, StepScript } from '../rule.ts';
import { insertAfter, locateWritten, namesAt, scriptsBefore, writtenPath } from './support/written.ts';

const CMD = ['proof_of_work', 'shell', 'cmd'];
const ENV = ['proof_of_work', 'shell', 'env'];
/** Set from an accepted proposal; `parameter-not-declared` checks these. */
const PARAMETER_PREFIX = 'KAIROS_PARAM_';

export const shellVariableNotPassed: LintRule = {
  id: 'shell-variable-not-passed',
  family: 'shell',
  severity: 'warning',
  summary: 'A command gets the variables that it reads.',
  why: 'Commands do not see the whole environment: only what programs need in general, and what the step lists in "env". Any other variable is empty, however it was exported, and `rm -rf "$DIR/"` then means `rm -rf /`.',
  fixable: 'unsafe',
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      const names = proof?.type === 'shell' ? (proof.shell.env ?? []) : [];
      for (const { name, pos, end } of outsideVariables(script.parsed) ?? []) {
        if (names.includes(name) || isPassed(name) || name.startsWith(PARAMETER_PREFIX)) continue;
        if (namesAt(script).has(name) || isSetBefore(context, script, name)) continue;
        const fix = script.role === 'proof' ? addName(context, script, name) : undefined;
        // A name that kairos sets itself, for example, is refused as an input.
        const remedy =
          nameFault(name) === null
            ? `Declare it in inputs, or ${howToPass(script, names, name)}`
            : capitalised(howToPass(script, names, name));
        context.report({
          place: script.place(pos, end),
          reason: `${name} is not an input, a capture or in "env", so it is empty when the command runs. ${remedy}.`,
          ...(fix === undefined ? {} : { fix }),
        });
      }
    }
  },
};

function capitalised(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

function howToPass({ block }: StepScript, names: readonly string[], name: string): string {
  if (block.format === 'shorthand') return `write env=${[...names, name].join(',')} after proof`;
  return names.length === 0 ? `add "env": ["${name}"] next to "cmd"` : `add "${name}" to "env"`;
}

/** `shell-state-lost` reports a variable of an earlier step's shell. */
function isSetBefore(context: RuleContext, script: StepScript, name: string): boolean {
  return scriptsBefore(context, script).some(({ parsed }) => shellStateOf(parsed).variables.has(name));
}

function addName(context: RuleContext, { block }: StepScript, name: string): Fix | undefined {
  const env = (block.value.proof_of_work?.type === 'shell' && block.value.proof_of_work.shell.env) || [];
  if (block.format === 'shorthand') {
    const end = context.locate(block, ENV)?.value.end.offset;
    if (end === undefined) return undefined;
    return { range: [end, end], replacement: env.length === 0 ? ` env=${name}` : `,${name}`, safe: false };
  }
  if (env.length === 0) {
    const isNested =
      writtenPath(block, CMD).length === CMD.length && locateWritten(context, block, ENV) === null;
    const fix = isNested ? insertAfter(context, block, CMD, 'env', [name]) : undefined;
    return fix === undefined ? undefined : { ...fix, safe: false };
  }
  const last = locateWritten(context, block, [...ENV, env.length - 1]);
  const { source } = context;
  // A YAML list over several lines is left to its author.
  if (last === null || !/^\s*[,\]]/.test(source.slice(last.value.end.offset))) return undefined;
  const quote = source[last.value.start.offset] === '"' ? '"' : '';
  const at = last.value.end.offset;
  return { range: [at, at], replacement: `, ${quote}${name}${quote}`, safe: false };
}
