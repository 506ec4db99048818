import type { SyntaxNode } from 'unbash';
import { baseName, type ParsedScript, parseScript, SHELLS, type SimpleCommand, unwrap } from './commands.ts';

/** What the aliases of a script stand for. */
export function aliases({ nodes }: ParsedScript): string[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Command' || node.name?.value !== 'alias') return [];
    return node.suffix.flatMap((word) =>
      word.type === 'Assignment' && word.value?.type === 'Word' ? [word.value.value] : [],
    );
  });
}

/** Programs that run the command in their arguments, with the words that come before it. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  pnpm: ['exec', 'dlx'],
  npm: ['exec', 'x'],
  yarn: ['exec', 'dlx', 'run'],
  bun: ['x'],
  mise: ['exec', 'x'],
  uv: ['run'],
  uvx: [],
  poetry: ['run'],
  bundle: ['exec'],
  direnv: ['exec'],
  busybox: [],
  parallel: [],
  watch: [],
  script: [],
  strace: [],
  ltrace: [],
  flock: [],
  unshare: [],
  chroot: [],
  proxychains: [],
  builtin: [],
  caffeinate: [],
  systemd: [],
  'systemd-run': [],
  wsl: [],
};

/** The commands that another one runs from its arguments, in addition to the wrappers of the reader. */
export function innerCommands(command: SimpleCommand): SimpleCommand[] {
  const { name, args } = command;
  if (name === 'find' || name === 'fd') {
    return args.flatMap((arg, at) =>
      /^(?:-exec(?:dir)?|-ok(?:dir)?|-[xX]|--exec(?:-batch)?)$/.test(arg) ? from(command, at + 1) : [],
    );
  }
  const before = name === null || !Object.hasOwn(RUNNERS, name) ? undefined : RUNNERS[name];
  if (before === undefined) return [];
  const start = before.length === 0 ? 0 : args.findIndex((arg) => before.includes(arg)) + 1;
  if (before.length > 0 && start === 0) return [];
  // Which options have values isn't known, so each word that may begin the command is tried.
  const firsts = args.flatMap((arg, at) =>
    at >= start &&
    !arg.startsWith('-') &&
    !args.slice(start, Math.max(start, at - 1)).some((word) => !word.startsWith('-'))
      ? [at]
      : [],
  );
  return firsts.flatMap((at) => from(command, at));
}

function from(command: SimpleCommand, at: number): SimpleCommand[] {
  const [name, ...args] = command.args.slice(at);
  if (name === undefined) return [];
  const isUsual = command.name !== null && command.name in RUNNERS;
  // `npx semantic-release@20` runs `semantic-release`.
  const bare = isUsual ? baseName(name).replace(/(?<=.)@[^@]*$/, '') : baseName(name);
  return unwrap({ ...command, name: bare, args, wrappers: [...command.wrappers, command.name ?? ''] });
}

/** Scripts in arguments: `eval 'x'`, `trap 'x' EXIT`, `su -c 'x'`, `env -S 'x'`, `git -c alias.p='!x'`. */
export function innerTexts({ name, args }: SimpleCommand): string[] {
  switch (name) {
    case 'eval':
      return [args.join(' ')];
    case 'trap':
      return args.slice(0, 1);
    case 'env':
      return optionValues(args, ['-S', '--split-string']);
    case 'watch':
    case 'parallel':
    case 'xargs':
    case 'ssh':
      return args.filter((arg) => arg.includes(' '));
    case 'git':
      return gitAliases(args);
    default:
      if (name !== null && SHELLS.has(name)) return shellText(args);
      return name === null ? [] : optionValues(args, ['-c', '--command', '--call'], TEXT_RUNNERS.has(name));
  }
}

/** The text of a shell that another program runs; of others the reader has it. */
function shellText(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg));
  return at === -1 ? [] : args.slice(at + 1, at + 2);
}

const TEXT_RUNNERS = new Set([
  'su',
  'script',
  'npx',
  'npm',
  'flock',
  'runuser',
  'nix-shell',
  'tmux',
  'screen',
]);

function optionValues(args: readonly string[], names: readonly string[], wanted = true): string[] {
  if (!wanted) return [];
  return args.flatMap((arg, at) => {
    const name = names.find((each) => arg === each || arg.startsWith(`${each}=`));
    if (name !== undefined) return arg === name ? args.slice(at + 1, at + 2) : [arg.slice(name.length + 1)];
    const short = names.find((each) => each.length === 2 && arg.startsWith(each));
    return short === undefined ? [] : [arg.slice(2)];
  });
}

/** What an alias on git's own command line stands for. */
function gitAliases(args: readonly string[]): string[] {
  return args.flatMap((arg) => {
    const [, value] = /^alias\.[^=]+=(.*)$/s.exec(arg) ?? [];
    if (value === undefined) return [];
    return [value.startsWith('!') ? value.slice(1) : `git ${value}`];
  });
}

/**
 * The files of shell commands that a script runs: `sh deploy.sh`, `./deploy.sh`, `. ./env.sh`. Literal paths only, as in
 * the source.
 */
export function scriptFiles(script: string): string[] {
  const parsed = parseScript(script);
  const files = new Set<string>();
  const take = (word: string | undefined) => {
    if (word !== undefined && word !== '' && !/[$`*?[{]/.test(word)) files.add(word);
  };
  const paths = [...parsed.nodes, ...parsed.inner.flatMap(({ script: { nodes } }) => nodes)].flatMap(wordsOf);
  for (const command of [...parsed.commands, ...parsed.commands.flatMap(innerCommands)]) {
    const { name, args } = command;
    if (name === null) continue;
    if (SHELLS.has(name) && !args.some((arg) => /^-[A-Za-z]*c/.test(arg)))
      take(args.find((arg) => !/^[-+]/.test(arg)));
    else if (name === '.' || name === 'source') take(args[0]);
    else for (const path of paths) if (path.includes('/') && baseName(path) === name) take(path);
  }
  return [...files];
}

function wordsOf(node: SyntaxNode): string[] {
  if (node.type !== 'Command') return [];
  return [node.name, ...node.suffix].flatMap((word) =>
    word !== undefined && 'value' in word && typeof word.value === 'string' ? [word.value] : [],
  );
}
