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

/** One of the words is an argument, wherever it stands. */
export const has =
  (...words: string[]): Test =>
  ({ args }) =>
    args.some((arg) => words.includes(arg));

/** One of the words is the first argument that is no option. Values of options are not known here. */
export const first =
  (...words: string[]): Test =>
  ({ args }) =>
    words.includes(args.find((arg) => !arg.startsWith('-')) ?? '');

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

/** It only says what it is. */
export const askedForHelp: Test = has('--version', '-V', '--help', '-h');
