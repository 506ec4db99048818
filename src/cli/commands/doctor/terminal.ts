import { decideBackEnd } from '../../terminal/choose-prompter.ts';
import { decideColor } from '../../terminal/color.ts';
import { editorCommand } from '../../terminal/editor.ts';
import { type Check, ok } from './check.ts';

const PROMPTS = {
  rich: 'questions are asked with menus',
  plain: 'questions are asked in plain lines',
  answers: 'answers come from a file',
  none: 'nobody can be asked',
} as const;

/** What the terminal can do, and how questions would be asked in it. */
export const checkTerminal: Check = async ({ io }) => {
  const { stdin, stdout, stderr, env } = io;
  const isTerminal = (stream: { isTTY?: boolean }) => stream.isTTY === true;
  const backEnd = decideBackEnd({
    stdin: isTerminal(stdin),
    stdout: isTerminal(stdout),
    stderr: isTerminal(stderr),
    env,
    platform: process.platform,
    flags: {},
  });
  const color = decideColor({ flag: 'auto', env, terminal: isTerminal(stdout) });
  const parts = [
    isTerminal(stdout)
      ? `${env.TERM || 'unnamed'}, ${stdout.columns ?? 80} columns`
      : 'standard output is no terminal',
    color ? 'colours' : 'no colours',
    PROMPTS[backEnd],
    `editor: ${editorCommand(env) ?? 'none (set EDITOR)'}`,
  ];
  return [ok('terminal', parts.join('; '))];
};
