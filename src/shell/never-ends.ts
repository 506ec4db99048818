import type { SimpleCommand } from './commands.ts';

/** A question about a command, for tables of programs and what they do. */
type Test = (command: SimpleCommand) => boolean;

const all =
  (...tests: Test[]): Test =>
  (command) =>
    tests.every((test) => test(command));

const any =
  (...tests: Test[]): Test =>
  (command) =>
    tests.some((test) => test(command));

const not =
  (test: Test): Test =>
  (command) =>
    !test(command);

/** One of the words is an argument, in any position. */
const has =
  (...words: string[]): Test =>
  ({ args }) =>
    args.some((arg) => words.includes(arg));

/** One of the words is the first argument that is neither an option nor the value of one. */
const first =
  (...words: string[]): Test =>
  (command) =>
    words.includes(subcommand(command) ?? '');

/** Options with a value that precede the subcommand. */
const VALUED: Record<string, ReadonlySet<string>> = {
  git: new Set(['-C', '-c', '--git-dir', '--work-tree']),
  kubectl: new Set([
    '-n',
    '--namespace',
    '--context',
    '--kubeconfig',
    '--cluster',
    '--user',
    '-s',
    '--server',
  ]),
  docker: new Set(['-H', '--host', '-c', '--context', '-f', '--file', '-p', '--project-name']),
  npm: new Set(['--prefix', '-w', '--workspace']),
};

function subcommand({ name, args }: SimpleCommand): string | undefined {
  const valued = VALUED[name ?? ''];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!;
    if (!arg.startsWith('-')) return arg;
    if (valued?.has(arg)) at += 1;
  }
  return undefined;
}

/** A short option, alone, bundled (`-xvf`) or with its value attached (`-mtext`), or a long one with or without a value. */
const option =
  (letter: string, ...long: string[]): Test =>
  ({ args }) =>
    args.some((arg) => {
      if (!arg.startsWith('--'))
        return arg.startsWith(`-${letter}`) || (/^-[A-Za-z]{1,6}$/.test(arg) && arg.includes(letter));
      return long.some((name) => arg === name || arg.startsWith(`${name}=`));
    });

/** An argument begins so. */
const starts =
  (prefix: string): Test =>
  ({ args }) =>
    args.some((arg) => arg.startsWith(prefix));

/** Something is fed to its standard input. */
const fed: Test = ({ fed: isFed }) => isFed;

/** It only prints what it is. */
const askedForHelp: Test = has('--version', '-V', '--help', '-h');

/** What makes a command run until it is stopped, for example `tail -f`; null for no known reason. */
export function neverEnds(command: SimpleCommand): string | null {
  const { name, background, wrappers } = command;
  if (name === null || background || wrappers.includes('timeout')) return null;
  return ENDLESS.find((rule) => rule[0] === name && rule[2](command))?.[1] ?? null;
}

const leaves = any(
  option('d', '--detach', '--wait'),
  starts('--exit-code-from'),
  starts('--abort-on-'),
  has('--no-start'),
);
const develops = first('dev', 'serve', 'watch');
const runs: Test = ({ args }) =>
  args[0] === 'run' && ['dev', 'start', 'serve', 'watch'].includes(args[1] ?? '');

const ENDLESS: [name: string, what: string, applies: Test][] = [
  ['tail', 'tail -f', all(any(option('f', '--follow'), option('F')), not(starts('--pid')))],
  ['journalctl', 'journalctl -f', option('f', '--follow')],
  ['sleep', 'sleep infinity', has('infinity', 'inf')],
  ['nc', 'nc -l', option('l', '--listen')],
  ['ncat', 'nc -l', option('l', '--listen')],
  ['tcpdump', 'tcpdump without -c', not(any(option('c'), askedForHelp))],
  ['flask', 'flask run', first('run')],
  ['rails', 'rails server', first('server', 's')],
  ['watch', 'watch', not(any(askedForHelp, option('g', '--chgexit'), option('e', '--errexit')))],
  ['ping', 'ping without -c', not(any(option('c'), option('w'), askedForHelp))],
  ['kubectl', 'kubectl port-forward', first('port-forward', 'proxy')],
  ['kubectl', 'kubectl logs -f', all(has('logs'), has('-f', '--follow', '--follow=true'))],
  ['kubectl', 'kubectl get --watch', all(has('get'), has('-w', '--watch', '--watch=true'))],
  ['docker', 'docker logs -f', all(has('logs'), has('-f', '--follow'))],
  ['docker', 'docker compose up', all(first('compose'), has('up'), not(leaves))],
  ['docker', 'docker stats', all(first('stats'), not(has('--no-stream')))],
  ['docker-compose', 'docker-compose up', all(has('up'), not(leaves))],
  ['npm', 'npm start', any(first('start'), runs)],
  ['yarn', 'yarn start', any(first('start'), develops, runs)],
  ['pnpm', 'pnpm start', any(first('start'), develops, runs)],
  ['python', 'python -m http.server', has('http.server')],
  ['python3', 'python3 -m http.server', has('http.server')],
];

/** What makes a command wait for a person at a terminal, for example `git rebase -i`; null when nothing known does. */
export function asksPerson(command: SimpleCommand): string | null {
  const { name } = command;
  if (name === null || command.background) return null;
  if (EDITORS.has(name)) return isEditing(command) ? name : null;
  if (SCREENS.has(name)) return showsScreen(command) ? name : null;
  if (PROMPTS.has(name)) return command.args.length === 0 && !command.fed ? `${name} without a script` : null;
  return ASKING.find((rule) => rule[0] === name && rule[2](command))?.[1] ?? null;
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

/** `apt update` only reads lists of packages. */
const aptUpdate: Test = (command) => (command.name ?? '').startsWith('apt') && first('update')(command);

const ASKING: [name: string, what: string, applies: Test][] = [
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
  ...['apt', 'apt-get', 'dnf', 'yum'].map((name): [string, string, Test] => [
    name,
    `${name} without -y`,
    all(
      first('install', 'remove', 'purge', 'upgrade', 'dist-upgrade', 'full-upgrade', 'autoremove', 'update'),
      not(any(fed, option('y', '--yes', '--assumeyes', '--assume-yes'), option('q'), aptUpdate)),
    ),
  ]),
  ['docker', 'docker login', all(first('login'), not(has('--password-stdin')))],
  ['podman', 'podman login', all(first('login'), not(has('--password-stdin')))],
  ['docker', 'docker attach', first('attach')],
  [
    'gpg',
    'gpg --gen-key',
    all(
      has('--gen-key', '--full-gen-key', '--generate-key', '--full-generate-key', '--edit-key'),
      not(any(fed, has('--batch'))),
    ),
  ],
  ['mysql_secure_installation', 'mysql_secure_installation', () => true],
  ...['telnet', 'ftp'].map((name): [string, string, Test] => [name, name, not(fed)]),
  ['sftp', 'sftp without a batch', not(any(fed, option('b')))],
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
