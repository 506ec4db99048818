import { Option } from 'commander';

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
