import { InvalidArgumentError, Option } from 'commander';

/** The options with which `next` and `attest` name a run and submit a solution. */
export interface SolutionOptions {
  solution?: string;
  run?: string;
}

export const solutionOption = () =>
  new Option('--solution <solution>', 'solution of the challenge as JSON, @FILE, or - for standard input');

export const runOption = () =>
  new Option('--run <id>', 'id of the run (default: the run that showed the nonce)');

/** Gathers the values of an option that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Parses an option as a whole number within bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** Parses an option as a decimal number within bounds. */
export function decimalNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
  };
}

/** The run moves to this machine and directory. */
export const hereOption = () =>
  new Option(
    '--here',
    'move the run to this machine, and to the current directory unless --workdir names another',
  );

/** The policy for proposals, when it isn't the one in the user's configuration folder. */
export const policyOption = () =>
  new Option(
    '--policy <file>',
    'judge proposals by this policy, never by one of the project; an existing run adopts it',
  );
