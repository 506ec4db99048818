import type {
  CommandNode,
  CompoundList,
  Pipeline,
  PipelineNode,
  Script,
  Statement,
  SyntaxNode,
} from 'unbash';
import { baseName, type ParsedScript, perScript, type SimpleCommand } from '../../shell/commands.ts';
import { canFail, mayExit, type SetOptions, setOptions } from '../../shell/exit-status.ts';
import type { Fix } from '../message.ts';
import type { LintRule, RuleContext, StepScript } from '../rule.ts';
import { editScript } from './support/written.ts';

export const shellLostFailure: LintRule = {
  id: 'shell-lost-failure',
  family: 'shell',
  severity: 'warning',
  summary: 'Every part of a command that fails makes the step fail.',
  why: 'The exit code of a list is that of its last command, the exit code of a pipe that of its last program. An earlier failure is lost, and the step is proven although a part failed.',
  fixable: 'unsafe',
  check(context) {
    for (const script of context.scripts) {
      for (const lost of lostFailures(script.parsed)) {
        if (lost.by === 'pipe' && isOutputJudged(script)) continue;
        const fix = joinWithAnd(context, script, lost);
        context.report({
          place: script.place(lost.pos, lost.end),
          reason:
            lost.by === 'list'
              ? 'When this fails the command continues, and only its last part decides. Join the parts with && instead of a semicolon or a new line.'
              : `A failure here is not noticed: ${lost.decidedBy} at the end of the pipe decides. Write to a file first and join with &&, or run it as bash -o pipefail -c '…'.`,
          ...(fix === undefined ? {} : { fix }),
        });
      }
    }
  },
};

/** What comes out of the pipe is what the step looks at. */
function isOutputJudged({ block, role }: StepScript): boolean {
  const proof = block.value.proof_of_work;
  return role === 'proof' && proof?.type === 'shell' && proof.shell.stdout_matches !== undefined;
}

function joinWithAnd(context: RuleContext, script: StepScript, { separator }: LostFailure): Fix | undefined {
  if (separator === null) return undefined;
  const fix = editScript(context, script, separator, ' &&');
  return fix === undefined ? undefined : { ...fix, safe: false };
}

/** A command whose failure is not noticed. Offsets in the script, UTF-16 units. */
export interface LostFailure {
  by: 'list' | 'pipe';
  /** The command that may fail. */
  pos: number;
  end: number;
  /** Where the next command of the list begins, or the one that decides for the pipe. */
  next: number;
  /** The separator of a list that `&&` can replace; null where that would change more. */
  separator: [start: number, end: number] | null;
  /** The program that decides instead, where it is known. */
  decidedBy: string | null;
}

/**
 * Finds commands where only the exit code of the last one counts: in lists (`a; b`, lines) and in pipes that end
 * in a program which succeeds on empty input. Scripts that handle failures (`set -e`, `|| exit`, `$?`) are
 * ignored.
 */
export const lostFailures = perScript((parsed): readonly LostFailure[] => failuresIn(parsed, null));

/** `shell`: the command that the script is an argument of. */
function failuresIn(parsed: ParsedScript, shell: SimpleCommand | null): LostFailure[] {
  const found: LostFailure[] = [];
  look(parsed.tree, { text: parsed.text, options: setOptions(parsed, shell), found });
  for (const { command, script } of parsed.inner) {
    const { pos, end } = command;
    for (const inner of failuresIn(script, command))
      found.push({ ...inner, pos, end, next: pos, separator: null });
  }
  return found;
}

interface Search {
  text: string;
  options: SetOptions;
  found: LostFailure[];
}

/** Follows the structure of a script, but not into words: what a substitution loses is seen in what it gives. */
function look(node: SyntaxNode, search: Search): void {
  switch (node.type) {
    case 'Script':
    case 'CompoundList':
      if (!search.options.errexit) lostInList(node, search);
      for (const statement of node.commands) look(statement, search);
      return;
    case 'Statement':
    case 'Redirected':
      look(node.command, search);
      return;
    case 'AndOr':
      for (const command of node.commands) look(command, search);
      return;
    case 'Pipeline':
      if (!search.options.pipefail) lostInPipe(node, search);
      for (const command of node.commands) look(command, search);
      return;
    case 'If':
      for (const list of [node.then, ...node.elif.map(({ then }) => then)]) look(list, search);
      if (node.else) look(node.else, search);
      return;
    case 'Case':
      for (const { body } of node.items) look(body, search);
      return;
    case 'For':
    case 'While':
    case 'ArithmeticFor':
    case 'Subshell':
    case 'BraceGroup':
    case 'Function':
      look(node.body, search);
      return;
  }
}

function lostInList({ commands }: Script | CompoundList, search: Search): void {
  const last = commands.at(-1);
  // `exit $status` at the end: the author has handled it.
  if (last === undefined || endsWithOwnCode(last.command)) return;
  for (const [at, statement] of commands.entries()) {
    const next = commands[at + 1];
    if (next === undefined || !isLost(statement, next, search)) continue;
    search.found.push({
      by: 'list',
      pos: statement.pos,
      end: statement.end,
      next: next.pos,
      separator: separatorBetween(statement, next, search.text),
      decidedBy: programOf(next.command),
    });
  }
}

function isLost(statement: Statement, next: Statement, { text, options }: Search): boolean {
  if (statement.background === true || !canFail(statement, options)) return false;
  if (text.slice(next.pos, next.end).includes('$?')) return false;
  return !mayExit(statement) && !isChoice(statement.command) && !isPreparation(statement.command);
}

/** `[ -f x ] && …`, `… || return`, `… && break`: the failure is an answer, not an accident. Loops and branches look after themselves. */
function isChoice(node: PipelineNode | Statement['command']): boolean {
  if (node.type === 'AndOr') {
    if (node.operators[0] === '&&' && isTest(node.commands[0]!)) return true;
    return node.commands.some((command) => LEAVES.has(programOf(command) ?? ''));
  }
  return !['Command', 'Pipeline', 'Redirected', 'Subshell', 'TestCommand'].includes(node.type);
}

const LEAVES = new Set(['break', 'continue', 'return', 'exit']);

function isTest(node: PipelineNode): boolean {
  return node.type === 'TestCommand' || ['[', 'test'].includes(programOf(node) ?? '');
}

/** What is often there already, or gone already, and values, which are looked at later. */
function isPreparation(node: PipelineNode | Statement['command']): boolean {
  if (node.type !== 'Command') return false;
  if (node.name === undefined) return true;
  const name = programOf(node);
  if (name === 'rm' || name === 'docker')
    return node.args.some(({ text }) => text === 'rm' || /^-[a-zA-Z]*f/.test(text));
  return ['kill', 'pkill', 'killall', 'wait', 'hash', 'cat', 'ls', 'history'].includes(name ?? '');
}

function endsWithOwnCode(node: Statement['command']): boolean {
  return node.type === 'Command' && node.name?.value === 'exit' && (node.args[0]?.text ?? '').includes('$');
}

/** `a; b || c` is not `a && b || c`, and a command in the background includes the whole row. */
function separatorBetween(statement: Statement, next: Statement, text: string): [number, number] | null {
  const between = /^[ \t]*;?[ \t\r\n]*$/.exec(text.slice(statement.end, next.pos));
  const isRow = next.command.type === 'AndOr' && next.command.operators.includes('||');
  if (between === null || isRow || next.background === true || text.includes('<<')) return null;
  const semicolon = text.indexOf(';', statement.end);
  return [statement.end, semicolon !== -1 && semicolon < next.pos ? semicolon + 1 : statement.end];
}

/** Programs that make something of any input, none included, and succeed. */
const SWALLOWERS = new Set([
  ...[
    'tee',
    'cat',
    'head',
    'tail',
    'sort',
    'uniq',
    'wc',
    'sed',
    'awk',
    'gawk',
    'tr',
    'cut',
    'column',
    'less',
  ],
  ...['more', 'nl', 'fold', 'fmt', 'rev', 'tac', 'ts', 'logger', 'xargs', 'jq', 'paste', 'od', 'xxd'],
]);
/** Programs whose failure would hardly matter before a filter. */
const SOURCES = new Set([
  ...[
    'echo',
    'printf',
    'cat',
    'ls',
    'ps',
    'env',
    'printenv',
    'yes',
    'seq',
    'date',
    'find',
    'history',
    'true',
  ],
  ...[
    'head',
    'tail',
    'sort',
    'uniq',
    'sed',
    'awk',
    'tr',
    'cut',
    'grep',
    'egrep',
    'fgrep',
    'wc',
    'id',
    'uname',
  ],
]);

function lostInPipe({ commands }: Pipeline, search: Search): void {
  const last = commands.at(-1);
  if (last === undefined) return;
  const decidedBy = programOf(last);
  if (decidedBy === null || !SWALLOWERS.has(decidedBy) || answersByCode(last)) return;
  for (const command of commands.slice(0, -1)) {
    const name = programOf(command);
    if (name === null || SOURCES.has(name) || !canFail(command, search.options)) continue;
    const { pos, end } = command;
    search.found.push({ by: 'pipe', pos, end, next: last.pos, separator: null, decidedBy });
    return;
  }
}

/** `jq -e` fails on empty input, and awk and sed can be made to. */
function answersByCode(node: CommandNode): boolean {
  if (node.type !== 'Command') return false;
  const asked = programOf(node) === 'jq' ? /^-[a-zA-Z]*e|^--exit-status$/ : /\bexit\b|\bq[0-9]/;
  return node.args.some(({ text }) => asked.test(text));
}

function programOf(node: PipelineNode | Statement['command']): string | null {
  return node.type === 'Command' && node.name !== undefined ? baseName(node.name.value) : null;
}
