import { isPassed } from '../../protocol/terms.ts';
import type { ParsedScript, SimpleCommand } from '../../shell/commands.ts';
import { outsideVariables, shellStateOf } from '../../shell/variables.ts';
import type { LintRule, RuleContext, StepScript } from '../rule.ts';
import { existsAbove, namesAt, scriptsBefore } from './support/written.ts';

export const shellStateLost: LintRule = {
  id: 'shell-state-lost',
  family: 'shell',
  severity: 'warning',
  summary: 'A step does not rely on the shell of an earlier step.',
  why: 'Every command has its own shell. What a command does with `cd`, `export` or an assignment ends with it: the next step begins in the directory of the run, without the variable.',
  check(context) {
    if (context.scripts.length < 2) return;
    for (const script of context.scripts) {
      reportDirectory(context, script);
      reportPaths(context, script);
      for (const { name, pos, end } of outsideVariables(script.parsed) ?? []) {
        if (isPassed(name) || namesAt(script).has(name) || isListed(script, name)) continue;
        const setter = scriptsBefore(context, script).findLast(({ parsed }) =>
          shellStateOf(parsed).variables.has(name),
        );
        if (setter === undefined) continue;
        context.report({
          place: script.place(pos, end),
          reason: `${name} is set in step ${setter.step.index}, whose shell has ended, so it is empty here. Set it in this command, or capture its value in that step.`,
        });
      }
    }
  },
};

function reportDirectory(context: RuleContext, script: StepScript): void {
  const { directory } = shellStateOf(script.parsed);
  if (directory === null || script.role !== 'proof') return;
  const later = context.scripts.filter(
    ({ chain: node, step: { index }, block, role }) =>
      node === script.chain &&
      index > script.step.index &&
      role === 'proof' &&
      block.value.proof_of_work?.type === 'shell' &&
      block.value.proof_of_work.shell.workdir === undefined,
  );
  if (later.length === 0) return;
  if (directory.users.length === 0) {
    context.report({
      place: script.place(directory.pos, directory.end),
      reason: `No later step begins in ${directory.to}: every command has its own shell. Set workdir in the steps that work there.`,
    });
    return;
  }
  // Only what an earlier command did there shows that a later one expects to be there.
  const earlier = new Set(scriptsBefore(context, script).flatMap(({ parsed }) => programsAtStart(parsed)));
  const programs = new Set(directory.users.flatMap((command) => projectProgram(command) ?? []));
  for (const each of later) {
    const found = startCommands(each.parsed).find((command) => {
      const program = projectProgram(command);
      return program !== null && programs.has(program) && !earlier.has(program);
    });
    if (found === undefined) continue;
    context.report({
      place: each.place(found.pos, found.end),
      reason: `${found.name} ran in ${directory.to} in step ${script.step.index}, but this command begins in the directory of the run: every command has its own shell. Set workdir in this step, or begin it with cd ${directory.to}.`,
    });
    return;
  }
}

/** The commands before a script's first change of directory. */
function startCommands({ commands }: ParsedScript): SimpleCommand[] {
  const move = commands.findIndex(({ name }) => name === 'cd' || name === 'pushd');
  return move === -1 ? commands : commands.slice(0, move);
}

const programsAtStart = (parsed: ParsedScript) =>
  startCommands(parsed).flatMap((command) => projectProgram(command) ?? []);

/** Programs that work on the project of the directory that they start in. */
const PROJECT_PROGRAMS: ReadonlySet<string> = new Set([
  ...['npm', 'pnpm', 'yarn', 'bun', 'make', 'ninja', 'cargo', 'go', 'mvn', 'gradle', 'gradlew', 'terraform'],
  ...['tofu', 'poetry', 'pytest', 'tox', 'composer', 'bundle', 'rake', 'dotnet', 'mix', 'docker-compose'],
]);
/** Arguments that name another directory, or with which the directory doesn't matter. */
const ELSEWHERE =
  /^(?:-C|--prefix|--cwd|--dir|--directory|--manifest-path|--project-directory|-chdir|-f|--file|-g|--global|-v|--version|version|view|info|login|whoami)(?:=|$)/;

/** The project program that a command is; null for any other, and for one with another directory in its arguments. */
function projectProgram({ name, args }: SimpleCommand): string | null {
  if (name === null || !PROJECT_PROGRAMS.has(name)) return null;
  return args.some((arg) => ELSEWHERE.test(arg)) ? null : name;
}

/** Files that exist only from the directory to which an earlier step changes. */
function reportPaths(context: RuleContext, script: StepScript): void {
  const proof = script.block.value.proof_of_work;
  if (script.role !== 'proof' || proof?.type !== 'shell' || proof.shell.workdir !== undefined) return;
  const { commands } = script.parsed;
  if (commands.some(moves)) return;
  const before = scriptsBefore(context, script);
  const mover = before.findLast(({ parsed }) => parsed.commands.some(moves));
  // A directory at the very end of a step is reported there.
  if (mover === undefined || shellStateOf(mover.parsed).directory?.users.length === 0) return;
  for (const { args, pos, end } of commands) {
    const path = args.find((arg) => FILE.test(arg) && !before.some(({ text }) => text.includes(arg)));
    if (path === undefined || existsAbove(context, script, path)) continue;
    const to = mover.parsed.commands.find(moves)!.args[0]!;
    context.report({
      place: script.place(pos, end),
      reason: `${path} does not exist next to this document or above it. Step ${mover.step.index} changes to ${to}, but its shell has ended. Write the whole path, or set workdir.`,
    });
    return;
  }
}

const moves = ({ name, args }: SimpleCommand) =>
  (name === 'cd' || name === 'pushd') && args[0] !== undefined && args[0] !== '-';
/** A relative path of a kind of file that people write, not one that a command makes. */
const FILE =
  /^(?!\/)[\w./-]*\w\.(?:conf|cfg|cnf|ini|ya?ml|json|toml|xml|txt|md|sql|env|pem|crt|key|csv|properties|service|tf)$/;

function isListed({ block }: StepScript, name: string): boolean {
  const proof = block.value.proof_of_work;
  return proof?.type === 'shell' && proof.shell.env?.includes(name) === true;
}
