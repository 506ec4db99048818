import { Option } from 'commander';

/** The policy that proposals are judged by, where it is not the one in the user's configuration folder. */
export const policyOption = () =>
  new Option('--policy <file>', 'judge proposals by this policy (never one of the project)');
