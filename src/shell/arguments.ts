import type { SimpleCommand } from './commands.ts';

/** A question about a command, for tables of programs and what they do. */
export type Test = (command: SimpleCommand) => boolean;

export const all =
  (...tests: Test[]): Test =>
  (command) =>
    tests.every((test) => test(command));

export const any =
  (...tests: Test[]): Test =>
  (command) =>
    tests.some((test) => test(command));

export const not =
  (test: Test): Test =>
  (command) =>
    !test(command);

/** One of the words is an argument, in any position. */
export const has =
  (...words: string[]): Test =>
  ({ args }) =>
    args.some((arg) => words.includes(arg));

/** One of the words is the first argument that is neither an option nor the value of one. */
export const first =
  (...words: string[]): Test =>
  (command) =>
    words.includes(subcommand(command) ?? '');

/** Options with a value that precede the subcommand. */
const VALUED: Record<string, ReadonlySet<string>> = {
  git: new Set(['-C', '-c', '--git-dir', '--work-tree']),
  kubectl: new Set([
    '-n',
    '--namespace',
    '--context',
    '--kubeconfig',
    '--cluster',
    '--user',
    '-s',
    '--server',
  ]),
  docker: new Set(['-H', '--host', '-c', '--context', '-f', '--file', '-p', '--project-name']),
  npm: new Set(['--prefix', '-w', '--workspace']),
};

function subcommand({ name, args }: SimpleCommand): string | undefined {
  const valued = VALUED[name ?? ''];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!;
    if (!arg.startsWith('-')) return arg;
    if (valued?.has(arg)) at += 1;
  }
  return undefined;
}

/** A short option, alone, bundled (`-xvf`) or with its value attached (`-mtext`), or a long one with or without a value. */
export const option =
  (letter: string, ...long: string[]): Test =>
  ({ args }) =>
    args.some((arg) => {
      if (!arg.startsWith('--'))
        return arg.startsWith(`-${letter}`) || (/^-[A-Za-z]{1,6}$/.test(arg) && arg.includes(letter));
      return long.some((name) => arg === name || arg.startsWith(`${name}=`));
    });

/** An argument begins so. */
export const starts =
  (prefix: string): Test =>
  ({ args }) =>
    args.some((arg) => arg.startsWith(prefix));

/** Something is fed to its standard input. */
export const fed: Test = ({ fed: isFed }) => isFed;

/** It only prints what it is. */
export const askedForHelp: Test = has('--version', '-V', '--help', '-h');
