import { Option } from 'commander';

/** What `next` and `attest` both take to name a run and hand in a solution. */
export interface SolutionOptions {
  solution?: string;
  run?: string;
}

export const solutionOption = () =>
  new Option('--solution <solution>', 'JSON that answers the challenge, @FILE, or - for standard input');

export const runOption = () =>
  new Option('--run <id>', 'the run that is meant (else the one that showed the nonce)');
