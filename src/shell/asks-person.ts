import { all, any, askedForHelp, fed, first, has, not, option, starts, type Test } from './arguments.ts';
import type { SimpleCommand } from './commands.ts';

/** What makes a command wait for a person at a terminal, for example `git rebase -i`; null when nothing known does. */
export function asksPerson(command: SimpleCommand): string | null {
  const { name } = command;
  if (name === null || command.background) return null;
  if (EDITORS.has(name)) return isEditing(command) ? name : null;
  if (SCREENS.has(name)) return showsScreen(command) ? name : null;
  if (PROMPTS.has(name)) return command.args.length === 0 && !command.fed ? `${name} without a script` : null;
  return RULES.find((rule) => rule[0] === name && rule[2](command))?.[1] ?? null;
}

const EDITORS = new Set(['vi', 'vim', 'nvim', 'nano', 'emacs', 'pico', 'visudo', 'vipw', 'mc', 'nmtui']);
const isEditing = not(any(fed, askedForHelp, has('-c', '-es', '-Es', '--batch', '+qa')));

const SCREENS = new Set(['less', 'more', 'top', 'htop', 'btop', 'atop', 'iotop', 'k9s', 'ctop', 'tig']);
const showsScreen = not(any(askedForHelp, has('-b', '--batch', '-F', '--quit-if-one-screen')));

/** Without arguments they are a prompt. */
const PROMPTS = new Set([
  ...['python', 'python3', 'node', 'irb', 'ghci', 'iex', 'lua', 'R', 'ipython', 'gdb', 'bc'],
  ...['bash', 'zsh', 'fish', 'sh', 'mongosh', 'mongo', 'redis-cli', 'sqlite3'],
]);

const hasTerminal: Test = ({ args }) => args.some((arg) => /^-(?:it|ti|t)$|^--tty(?:=true)?$/.test(arg));
const one = (word: string): Test => all(first(word), ({ args }) => args.length === 1);

const RULES: [name: string, what: string, applies: Test][] = [
  [
    'git',
    'git rebase -i',
    all(first('rebase'), option('i', '--interactive'), not(starts('sequence.editor='))),
  ],
  ['git', 'git add -p', all(first('add', 'checkout', 'restore', 'reset'), has('-p', '--patch', '-i'))],
  [
    'git',
    'git commit without a message',
    all(
      has('commit'),
      not(option('m', '--message', '--fixup', '--squash', '--no-edit', '--dry-run', '--file')),
      not(any(option('F'), option('C', '--reuse-message'), starts('core.editor='))),
    ),
  ],
  ['crontab', 'crontab -e', has('-e')],
  ['kubectl', 'kubectl edit', first('edit')],
  ['kubectl', 'kubectl with a terminal', all(first('exec', 'run', 'attach', 'debug'), hasTerminal)],
  ['docker', 'docker with a terminal', all(first('run', 'exec', 'compose'), hasTerminal)],
  ['podman', 'podman with a terminal', all(first('run', 'exec'), hasTerminal)],
  ['ssh', 'ssh without a command', not(any(fed, opensNoShell))],
  [
    'psql',
    'psql without a query',
    not(
      any(
        fed,
        has('--version', '--help'),
        option('c', '--command'),
        option('f', '--file'),
        option('l', '--list'),
      ),
    ),
  ],
  ['mysql', 'mysql without a query', not(any(fed, has('--version', '--help'), option('e', '--execute')))],
  ['su', 'su', not(any(fed, option('c', '--command')))],
  ['sudo', 'sudo -i', any(one('-i'), ({ args }) => args.length === 1 && /^-[is]$/.test(args[0]!))],
  ['passwd', 'passwd', not(any(fed, has('--stdin', '-l', '-u', '-d', '-S')))],
  ['read', 'read', not(any(fed, option('t')))],
  ['npm', 'npm init', all(first('init'), not(has('-y', '--yes')))],
  ['npm', 'npm login', first('login', 'adduser')],
  ['gh', 'gh auth login', all(has('auth'), has('login'), not(has('--with-token')))],
  ['aws', 'aws configure', one('configure')],
  ['gcloud', 'gcloud auth login', all(has('auth'), has('login'), not(starts('--cred-file')))],
  ['gcloud', 'gcloud init', first('init')],
  ['az', 'az login', all(first('login'), not(has('--service-principal', '--identity')))],
  [
    'terraform',
    'terraform apply without -auto-approve',
    all(first('apply', 'destroy'), not(any(fed, has('-auto-approve', '--auto-approve'), namesPlan))),
  ],
];

/** `ssh host command`, `ssh -N -L …`, `ssh -V`: options with a value are skipped with it. */
function opensNoShell({ args }: SimpleCommand): boolean {
  if (args.some((arg) => /^-[A-Za-z]*[NVGTQ]/.test(arg) || arg === '-O')) return true;
  let words = 0;
  for (let at = 0; at < args.length; at += 1) {
    if (/^-[A-Za-z]*[bcDEeFIiJLlmOopRSWw]$/.test(args[at]!)) at += 1;
    else if (!args[at]!.startsWith('-')) words += 1;
  }
  return words !== 1;
}

/** `terraform apply tfplan` asks nothing. */
function namesPlan({ args }: SimpleCommand): boolean {
  return args.filter((arg) => !arg.startsWith('-')).length > 1;
}
