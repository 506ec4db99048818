import { Option } from 'commander';

/** The options with which `next` and `attest` name a run and submit a solution. */
export interface SolutionOptions {
  solution?: string;
  run?: string;
}

export const solutionOption = () =>
  new Option('--solution <solution>', 'solution of the challenge as JSON, @FILE, or - for standard input');

export const runOption = () =>
  new Option('--run <id>', 'id of the run (default: the run that showed the nonce)');
