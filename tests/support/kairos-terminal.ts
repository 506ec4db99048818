import { type CliHome, KAIROS_BIN } from './cli.ts';
import { KEYS, openTerminal, type Terminal, type TerminalOptions } from './pty.ts';

/** What `kairos run` asks, by what of it is always the same. */
export const ASKED = {
  trust: 'Allow this content to run on this machine as you?',
  goOn: 'Continue?',
  run: 'Run this command?',
  phrase: /Type run it to continue:|to refuse: run it/,
  account: /\(at least \d+ characters\)/,
  closing: '(closing comment)',
  failed: 'The proof was not accepted. What now?',
  interrupted: 'Interrupted. What now?',
  skip: 'Why is this step skipped?',
  openRun: 'of the same content',
  changed: 'Continue with the content that the run began with?',
} as const;

/** Waits for a question and answers it with a line. */
export async function answer(terminal: Terminal, question: string | RegExp, line = ''): Promise<void> {
  await terminal.waitFor(question);
  enter(terminal, line);
}

/** Types a line. */
export function enter(terminal: Terminal, line = ''): void {
  terminal.send(line + KEYS.enter);
}

/** The real binary on a terminal of its own, as the user of this home. Pair it with `afterEach(closeTerminals)`. */
export function openKairos(
  home: CliHome,
  args: readonly string[],
  options: Omit<TerminalOptions, 'args'> = {},
): Terminal {
  const own = Object.fromEntries(Object.entries(home.env).map(([name, value]) => [name, value ?? '']));
  return openTerminal(process.execPath, {
    cols: 120,
    cwd: home.work,
    ...options,
    args: [KAIROS_BIN, ...args],
    env: { ...own, ...options.env },
  });
}

/** The arguments of the literal command that takes a stopped run up again, as a shell would take them apart. */
export function resumeArguments(text: string): string[] {
  const command = /Resume with: (?:kairos|node \S+kairos\.js) (.*)/.exec(text)?.[1];
  if (command === undefined) throw new Error(`no resume command in: ${text}`);
  return [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

/** The id of the run that was begun or resumed, from what was shown. */
export function runIdIn(text: string): string {
  const id = /(?:Run|Resumed run) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/.exec(text)?.[1];
  if (id === undefined) throw new Error(`no run in: ${text}`);
  return id;
}
