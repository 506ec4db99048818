import type { SyntaxNode } from 'unbash';
import {
  baseName,
  type ParsedScript,
  parseScript,
  SHELLS,
  type SimpleCommand,
  unwrap,
  WRAPPERS,
} from './commands.ts';

/** What the aliases of a script stand for. */
export function aliases({ nodes }: ParsedScript): string[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Command' || node.name?.value !== 'alias') return [];
    return node.suffix.flatMap((word) =>
      word.type === 'Assignment' && word.value?.type === 'Word' ? [word.value.value] : [],
    );
  });
}

/** Programs that print, search or move what they are given and never run it. */
const READERS = new Set(
  (
    'echo printf grep egrep fgrep zgrep rg ag ack cat bat head tail wc ls tree stat file man info whatis apropos which ' +
    'whereis type hash jq yq test [ [[ cut tr sort uniq diff cmp touch mkdir rmdir rm cp mv ln chmod chown tee read cd ' +
    'pwd date sleep true false kill seq basename dirname realpath alias unalias kairos curl wget'
  ).split(' '),
);

/** The option before a text for people: `git commit -m 'x'`, `gh pr create --body 'x'`. */
const MESSAGE =
  /^(?:-[A-Za-z]*m|-[btSGF]|--(?:message|body|title|grep|notes?|description|subject|comment|author|reason|text))$/;

/** Whether a program may run what is in its arguments: all but the known readers. */
export function mayRun({ name }: SimpleCommand): boolean {
  return name === null || !READERS.has(name);
}

/**
 * The commands that a program may run from its arguments: each rest of them that begins with a program of these names, a shell or a
 * wrapper. Known wrappers are looked through by the reader.
 */
export function innerCommands(command: SimpleCommand, isProgram: (name: string) => boolean): SimpleCommand[] {
  // `parallel git ::: push` runs `git push`.
  const args = command.args.filter((arg) => !/^:{3,4}\+?$/.test(arg));
  return args.flatMap((arg, at) => {
    // `npx semantic-release@20` runs `semantic-release`, `nix run nixpkgs#git` runs `git`.
    const name = baseName(arg)
      .replace(/^.*#/, '')
      .replace(/(?<=.)@[^@]*$/, '');
    if (!isProgram(name) && !SHELLS.has(name) && !TEXT_RUNNERS.has(name)) return [];
    const wrappers = [...command.wrappers, command.name ?? ''];
    return unwrap({ ...command, name, args: args.slice(at + 1), wrappers });
  });
}

/** Texts in the arguments of a program that may run them as commands, also behind a `=`. */
export function innerArguments({ name, args }: SimpleCommand): string[] {
  // These run no text, only words.
  if (name === 'find' || name === 'fd' || (name !== null && name in WRAPPERS)) return [];
  return args.flatMap((arg, at) => {
    if (!/\s/.test(arg) || MESSAGE.test(args[at - 1] ?? '')) return [];
    const [option = '', ...values] = arg.split('=');
    if (values.length > 0 && MESSAGE.test(option)) return [];
    // Editors and pagers run a text after these.
    return [arg, ...values.map((_, from) => values.slice(from).join('='))].map((text) =>
      text.replace(/^[+:!]+/, ''),
    );
  });
}

/** The values of variables that programs get: `GIT_EDITOR='x' git commit`, `export PAGER='x'`. */
export function prefixValues({ nodes }: ParsedScript): string[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Command' || node.name === undefined) return [];
    return [...node.prefix, ...node.suffix].flatMap((part) => {
      if (part.type !== 'Assignment' || part.value.type !== 'Word') return [];
      const { value } = part.value;
      if (/^GIT_CONFIG_VALUE_/.test(part.name)) return [gitAlias(value)];
      return /\s/.test(value) ? [value] : [];
    });
  });
}

/** The names of the files that a script writes. */
export function writtenFiles({ nodes, commands }: ParsedScript): string[] {
  const targets = nodes.flatMap((node) => {
    if (node.type !== 'Command' && node.type !== 'Redirected') return [];
    return node.redirects.flatMap((each) =>
      each.type === 'Redirect' && each.operator.includes('>') && each.target !== undefined
        ? [each.target.value]
        : [],
    );
  });
  return [...targets, ...commands.flatMap(({ name, args }) => (name === 'tee' ? args : []))].map(baseName);
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
    case 'git':
      return gitAliases(args);
    default:
      if (name !== null && SHELLS.has(name)) return shellText(args);
      return name !== null && TEXT_RUNNERS.has(name) ? optionValues(args, ['-c', '--command', '--call']) : [];
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
  'sg',
  'capsh',
  'eval',
  'env',
]);

function optionValues(args: readonly string[], names: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const name = names.find((each) => arg === each || arg.startsWith(`${each}=`));
    if (name !== undefined) return arg === name ? args.slice(at + 1, at + 2) : [arg.slice(name.length + 1)];
    const short = names.find((each) => each.length === 2 && arg.startsWith(each));
    return short === undefined ? [] : [arg.slice(2)];
  });
}

/** What the aliases stand for that git gets or keeps: `-c alias.p=push`, `git config alias.p push`. */
function gitAliases(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const [, value = args[at + 1]] = /^alias\.[^=]+(?:=(.*))?$/s.exec(arg) ?? [null, ''];
    return value === '' || value === undefined ? [] : [gitAlias(value)];
  });
}

function gitAlias(value: string): string {
  return value.startsWith('!') ? value.slice(1) : `git ${value}`;
}

/** Programs that run the file that is their first argument. */
export const FILE_RUNNERS: ReadonlySet<string> = new Set([
  ...SHELLS,
  ...['python', 'python3', 'node', 'deno', 'bun', 'perl', 'ruby', 'php', 'pwsh', 'awk'],
]);

/**
 * The files of commands that a script runs: `sh deploy.sh`, `./deploy.sh`, `. ./env.sh`. Literal paths only, as in the source.
 * `runners`: the programs whose first argument is such a file.
 */
export function scriptFiles(script: string, runners: ReadonlySet<string> = SHELLS): string[] {
  const parsed = parseScript(script);
  const files = new Set<string>();
  const take = (word: string | undefined) => {
    if (word !== undefined && word !== '' && !/[$`*?[{]/.test(word)) files.add(word);
  };
  const paths = [...parsed.nodes, ...parsed.inner.flatMap(({ script: { nodes } }) => nodes)].flatMap(wordsOf);
  const inner = parsed.commands.filter(mayRun).flatMap((command) => innerCommands(command, isRunner));
  for (const command of [...parsed.commands, ...inner]) {
    const { name, args } = command;
    if (name === null) continue;
    if (runners.has(name) && !args.some((arg) => /^-(?:[A-Za-z]*c|[em]$)/.test(arg)))
      take(args.find((arg) => !/^[-+]/.test(arg)));
    else if (name === '.' || name === 'source') take(args[0]);
    else for (const path of paths) if (path.includes('/') && baseName(path) === name) take(path);
  }
  return [...files];
}

const isRunner = (name: string) => name === '.' || name === 'source';

function wordsOf(node: SyntaxNode): string[] {
  if (node.type !== 'Command') return [];
  return [node.name, ...node.suffix].flatMap((word) =>
    word !== undefined && 'value' in word && typeof word.value === 'string' ? [word.value] : [],
  );
}
