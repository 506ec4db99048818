import { expect, it } from 'vitest';
import { decideBackEnd, type PromptSituation } from '../../../src/cli/terminal/choose-prompter.ts';

const terminal: PromptSituation = {
  stdin: true,
  stdout: true,
  stderr: true,
  env: { TERM: 'xterm' },
  platform: 'linux',
  flags: {},
};
const dumb = { TERM: 'dumb' };

it.each<[string, Partial<PromptSituation>, string]>([
  ['a terminal', {}, 'rich'],
  ['a terminal, events on a pipe', { stdout: false, flags: { json: true } }, 'rich'],
  ['a terminal, errors in a file', { stderr: false }, 'rich'],
  ['a terminal, errors in a file, events on the terminal', { stderr: false, flags: { json: true } }, 'plain'],
  ['a terminal for input only', { stdout: false, stderr: false }, 'plain'],
  ['TERM=dumb', { env: dumb }, 'plain'],
  ['no TERM', { env: {} }, 'plain'],
  ['no TERM on Windows', { env: {}, platform: 'win32' }, 'rich'],
  ['ACCESSIBLE=1', { env: { TERM: 'xterm', ACCESSIBLE: '1' } }, 'plain'],
  ['ACCESSIBLE=0', { env: { TERM: 'xterm', ACCESSIBLE: '0' } }, 'rich'],
  ['ACCESSIBLE empty', { env: { TERM: 'xterm', ACCESSIBLE: '' } }, 'rich'],
  ['a pipe', { stdin: false }, 'plain'],
  ['a pipe in CI', { stdin: false, env: { CI: 'true' } }, 'plain'],
  ['a terminal in CI', { env: { TERM: 'xterm', CI: 'true' } }, 'none'],
  ['a terminal, CI=false', { env: { TERM: 'xterm', CI: 'false' } }, 'rich'],
  ['--no-input', { flags: { noInput: true } }, 'none'],
  ['--no-input and a pipe', { stdin: false, flags: { noInput: true } }, 'none'],
  ['--answers', { flags: { answers: new Map() } }, 'answers'],
  ['--answers and --no-input', { flags: { answers: new Map(), noInput: true } }, 'answers'],
  ['--answers, a pipe, CI', { stdin: false, env: { CI: '1' }, flags: { answers: new Map() } }, 'answers'],
])('%s', (_name, change, expected) => {
  expect(decideBackEnd({ ...terminal, ...change })).toBe(expected);
});
