import { baseName, isUnknown, SHELLS, type SimpleCommand, unwrap, WRAPPERS } from './commands.ts';

/** Programs that print, search or move what they are given and never run it. */
export const READERS = new Set(
  (
    'echo printf grep egrep fgrep zgrep rg ag ack cat bat head tail wc ls tree stat file info whatis apropos which ' +
    'whereis type hash jq yq test [ [[ cut tr sort uniq diff cmp touch mkdir rmdir rm cp mv ln chmod chown tee read cd ' +
    'pwd date sleep true false : kill pkill pgrep pidof seq basename dirname realpath alias unalias kairos curl wget ' +
    'tldr cheat notify-send logger'
  ).split(' '),
);

/** Programs that test, check or bundle code. Their arguments name tests and files, not commands. */
const TESTERS =
  /^(?:vitest|jest|mocha|ava|pytest|tsc|eslint|stylelint|prettier|vite|webpack|rollup|esbuild)$/;

/** Programs that read a text aloud. */
const SPEAKERS = /^(?:espeak|sa[y])$/;

/** Other programs that only read, check, pack or store the files that they are given: a script among them isn't run. */
export const FILE_READERS = new Set(
  (
    'find chmod chown rm shellcheck shfmt prettier biome eslint npx-prettier bat batcat less more most vi vim nvim nano emacs emacsclient code codium cursor ' +
    'subl micro hx gedit kate open xdg-open scp sftp rsync tar zip unzip gzip gunzip bzip2 xz zstd 7z base64 base32 md5sum sha1sum ' +
    'sha256sum sha512sum shasum cksum xxd od hexdump strings nl tac rev fold fmt expand paste join comm split csplit awk gawk ' +
    'mawk sed dd install link unlink shred truncate chgrp chattr setfacl getfacl lsattr du df gh glab docker podman aws gsutil gcloud ' +
    'az codespell typos cspell markdownlint vale dos2unix unix2dos iconv pbcopy xclip mktemp export declare local readonly set unset ' +
    'exec pre-commit patch delta difft colordiff vimdiff meld pygmentize highlight ctags tokei cloc scc ruff black isort flake8 pylint ' +
    'mypy pyright rubocop golangci-lint gofmt goimports rustfmt clang-format clang-tidy cppcheck yamllint hadolint actionlint ansible-lint tflint ' +
    'sqlfluff phpcs phpstan psalm ktlint swiftlint checkstyle stylelint eslint tsc semgrep gitleaks trufflehog'
  ).split(' '),
);

/** The option before a text for people: `git commit -m 'x'`, `gh pr create --body 'x'`. */
const MESSAGE =
  /^(?:-[A-Za-z]*m|-[btSGF]|--(?:message|body|title|grep|notes?|description|subject|comment|author|reason|text|filter|match|search|testNamePattern|test-name-pattern))$/;

/** Whether a program may run what is in its arguments: all but the known readers. */
export function mayRun({ name, args, wrappers }: SimpleCommand): boolean {
  if (name === 'git') return args[0] !== 'grep' || args.some((arg) => /^-(?:[A-Za-z]*O|-op)/.test(arg));
  if (name === 'gh')
    return !/^(?:api|search|issue|label|gist|release|run|workflow|pr|browse)$/.test(args[0] ?? '');
  // Reads and writes of `package.json` and the registry, and a pattern for the names of tests.
  if (name === 'npm') return !/^(?:pkg|view|info|show|search|ls|list|outdated)$/.test(args[0] ?? '');
  if (name === 'command') return !/^-[vV]/.test(args[0] ?? '');
  if (name === 'go') return args[0] !== 'test' || args.some((arg) => /^-(?:exec|toolexec|vettool)/.test(arg));
  if (name === 'perl') return !(onlyEdits(args) && !wrappers.includes('xargs'));
  if (/^[gm]?awk$/.test(name ?? '')) return args.some((arg) => /^-(?:[filE]|-[a-z])|system|[|@]/.test(arg));
  // `rollup --watch.onEnd 'git push'`.
  if (args.some((arg) => arg.startsWith('--watch.on'))) return true;
  if (name === 'npx' && TESTERS.test(args[0] ?? '')) return false;
  if (name === 'man') return args.some((arg) => /^(?:-P|--pager)/.test(arg));
  if (name === 'docker' || name === 'podman')
    return args.some((arg) => /^(?:run|exec|create|start|compose|-H|--host)/.test(arg));
  return name === null || !(READERS.has(name) || SPEAKERS.test(name) || TESTERS.test(name));
}

/** `s/a/b/g`, `print if /a/`: nothing that perl runs, such as the flag `e`, a backtick, `@{[…]}` or `(?{…})`. */
const EDIT =
  /^\s*(?:(?:s\/(?:[^/\\`@]|\\.)*|(?:print (?:if|unless) )?)\/(?:[^/\\`@]|\\.)*\/[gimsx]*\s*(?:;\s*|$))+$/;

/** Whether perl only edits or prints lines of files: a name with `|` would start a program. */
function onlyEdits(args: readonly string[]): boolean {
  const codes = args.filter((_, at) => /^-[A-Za-z0]*e$/.test(args[at - 1] ?? ''));
  return (
    codes.length > 0 &&
    codes.every((code) => EDIT.test(code) && !/\(\?\??\{|\$\{/.test(code)) &&
    args.every(
      (arg) =>
        codes.includes(arg) || /^(?:-[pnwl0]*(?:i(?:\.\w+)?)?|-[pnwl0]*i?e|[\w./*][\w./*-]*)$/.test(arg),
    )
  );
}

/** Programs whose words are names, such as those of packages, services and hosts, unless one of them is a command that runs a program. */
const NAMERS =
  /^(?:kubectl|oc|systemctl|service|journalctl|launchctl|apt|apt-get|aptitude|dnf|yum|zypper|apk|pacman|brew|snap|choco|winget|dpkg|rpm|pip\d?|pipx|gem|conda|cargo|go|ping6?|host|dig|nslookup|traceroute|ps|terraform|tofu|helm|aws|gcloud|az)$/;

/** Whether the words of a command are names, none of them a program that it runs. */
export function onlyNames({ name, args }: SimpleCommand): boolean {
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name ?? ''))
    return /^(?:i|install|add|rm|remove|uninstall|update|why)$/.test(args[0] ?? '');
  return (
    NAMERS.test(name ?? '') && !args.some((arg) => /^(?:exec|run|debug|ssh|--|--command\b.*)$/.test(arg))
  );
}

/** An option before a name. */
const NAMING = /^--(?:name|hostname|network|label|container|service|namespace|context)$/;

/**
 * The commands that a program may run from its arguments: each rest of them that begins with a program of these names, a shell or a
 * wrapper. Known wrappers are looked through by the reader.
 */
export function* innerCommands(
  command: SimpleCommand,
  isProgram: (name: string, path: string, isFirst: boolean) => boolean,
): Generator<SimpleCommand> {
  // `parallel git ::: push` runs `git push`.
  const args = command.args.filter((arg) => !/^:{3,4}\+?$/.test(arg));
  const first = args.findIndex((arg) => !arg.startsWith('-'));
  for (const [at, arg] of args.entries()) {
    const [, entry = args[at - 1] === '--entrypoint' ? arg : null] = /^--entrypoint=(.+)$/s.exec(arg) ?? [];
    // `npx semantic-release@20` runs `semantic-release`, `nix run nixpkgs#git` runs `git`, so does the image `alpine/git:latest`.
    const name = baseName(entry ?? arg)
      .replace(/^.*#/, '')
      .replace(/(?<=.)[@:].*$/, '');
    if (NAMING.test(args[at - 1] ?? '') || (at === 0 && command.name === 'ssh')) continue;
    const isFound = arg === '{}' && /^-(?:exec|ok)(?:dir)?$/.test(args[at - 1] ?? '');
    if (
      !isFound &&
      !isProgram(name, arg, at === first || /^-(?:exec|ok)(?:dir)?$/.test(args[at - 1] ?? '')) &&
      !SHELLS.has(name) &&
      !TEXT_RUNNERS.has(name)
    )
      continue;
    const wrappers = [...command.wrappers, command.name ?? ''];
    const inner = { ...command, name, path: arg, wrappers };
    yield* unwrap({ ...inner, args: args.slice(at + 1) });
    // Its arguments follow the image, which follows options.
    for (let next = at + 1; entry !== null && next < Math.min(args.length, at + MAX_OPTIONS); next += 1)
      if (!args[next]!.startsWith('-')) yield* unwrap({ ...inner, args: args.slice(next + 1) });
  }
}

const MAX_OPTIONS = 40;

/** Texts in the arguments of a program that may run them as commands, also behind a `=`. */
export function innerArguments({ name, args }: SimpleCommand): string[] {
  // These run no text, only words.
  if (name === 'find' || name === 'fd' || (name !== null && name in WRAPPERS)) return [];
  return args.flatMap((arg, at) => {
    if (!/\s/.test(arg) || MESSAGE.test(args[at - 1] ?? '') || MESSAGE.test(arg.slice(0, 2))) return [];
    const [option = '', ...values] = arg.split('=');
    if (values.length > 0 && MESSAGE.test(option)) return [];
    const attached = /^-[A-Za-z](.*)$/s.exec(arg)?.slice(1) ?? [];
    // Editors and pagers run a text after `+`, terminals one before a line break.
    return [arg, ...attached, ...values.map((_, from) => values.slice(from).join('='))].map((text) =>
      text.replace(/^[+:!]+/, '').replace(/(?:\^M|\\[nr]|\r)+$/, ''),
    );
  });
}

export const RENAMERS = new Set(['ln', 'cp', 'mv', 'install', 'hash', 'link']);

/** Scripts in arguments: `eval 'x'`, `trap 'x' EXIT`, `su -c 'x'`, `env -S 'x'`, `git -c alias.p='!x'`. */
export function innerTexts({ name, args, input }: SimpleCommand): string[] {
  switch (name) {
    case 'eval':
      return [args.join(' ')];
    case 'trap':
      return args.slice(0, 1);
    case 'env':
      return optionValues(
        args.map((arg) => arg.replace(/^-[A-Za-z0]+S/, '-S')),
        ['-S', '--split-string'],
      ).map((text) => text.replaceAll('\\_', ' '));
    case 'git':
      return gitAliases(args);
    default:
      if (name !== null && SHELLS.has(name)) return shellText(args, input);
      return name !== null && TEXT_RUNNERS.has(name) ? optionValues(args, ['-c', '--command', '--call']) : [];
  }
}

/** The text of a shell that another program runs; of others the reader has it. */
function shellText(args: readonly string[], input: string | null): string[] {
  const at = args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg));
  if (at === -1) return input === null ? [] : [input];
  return args.slice(at + 1, at + 2);
}

const TEXT_RUNNERS = new Set('su script npx npm flock runuser sg capsh eval env'.split(' '));

export function optionValues(args: readonly string[], names: readonly string[]): string[] {
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
    // The value is in a variable.
    if (/^--config-env(?:=alias\.|$)/.test(arg)) return [gitAlias('$VALUE')];
    const [, value = args[at + 1]] = /^(?:-c)?alias\.[^=]+(?:=(.*))?$/s.exec(arg) ?? [null, ''];
    return value === '' || value === undefined ? [] : [gitAlias(value)];
  });
}

/** Options of a program, before its command, with a value in the next word. */
const VALUED: Record<string, ReadonlySet<string>> = {
  git: new Set(
    '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --config'.split(' '),
  ),
  npm: new Set('--prefix -C -w --workspace --registry --userconfig --cache'.split(' ')),
  kubectl: new Set('-n --namespace --context --kubeconfig --cluster --user -s --server'.split(' ')),
};

/** Whether options before the command of a program are known. */
export const hasValued = (name: string) => Object.hasOwn(VALUED, name);

/**
 * The command of git, or another program, and its arguments, without the options before it. All arguments if a variable may be more
 * than one word.
 */
export function gitArguments(
  { args, single }: Pick<SimpleCommand, 'args' | 'single'>,
  program = 'git',
): string[] {
  const valued = VALUED[program]!;
  let at = 0;
  // `git for-each-repo --config=x push` runs `git push`.
  for (
    let arg = args[at];
    arg?.startsWith('-') || (program === 'git' && arg === 'for-each-repo');
    arg = args[at]
  ) {
    const value = args[at + 1] ?? '';
    const isValued = valued.has(arg);
    if (isUnknown(isValued ? value : arg) && !single.has(isValued ? value : arg)) return [...args];
    at += isValued ? 2 : 1;
  }
  return args.slice(at);
}

export function gitAlias(value: string): string {
  return value.startsWith('!') ? value.slice(1) : `git ${value}`;
}

/** Other programs that run what they read. */
export const TEXT_READERS =
  /^(?:at|batch|crontab|make|gmake|ed|ex|vi|vim|ssh|parallel|fish|tcsh|csh|nu|xonsh|tclsh)$/;

/** Whether a program runs what it reads; of `ed` only a line with `!`. */
export function readsCommands({ name, input }: SimpleCommand): boolean {
  if (name === 'ed' && input !== null && !/[!$`]/.test(input)) return false;
  return name !== null && TEXT_READERS.test(name);
}

/** Programs that run code of another language. */
export const CODE_RUNNERS =
  /^(?:python[\d.]*|node|deno|bun|perl|ruby|php|osascript|pwsh|powershell|lua|awk|gawk|tclsh|expect|Rscript|gdb|lldb|emacs|emacsclient)$/;

/** Whether a text has a word, as a whole word. */
export function mentions(text: string, word: string): boolean {
  const literal = word.split('*').reduce((longest, part) => (part.length > longest.length ? part : longest));
  if (literal === '') return true;
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    const around = [text.charAt(at - 1), text.charAt(at + literal.length)];
    if (literal !== word || !around.some((char) => /[A-Za-z0-9_-]/.test(char))) return true;
  }
  return false;
}

/** Whether a script has a word in any letter case, as a whole word, also one in pieces: `g\\it`, `gi"t"`. Cached for a script with many commands. */
export function spells(script: string, word: string): boolean {
  if (script !== spelledIn) spelled.clear();
  spelledIn = script;
  const texts = () => {
    const small = script.toLowerCase();
    return [small, ...[small, small.replace(/\\[nrt]/g, ' ')].map((text) => text.replace(/['"\\]/g, ''))];
  };
  const found = spelled.get(word) ?? texts().some((text) => mentions(text, word.toLowerCase()));
  spelled.set(word, found);
  return found;
}

const spelled = new Map<string, boolean>();
let spelledIn = '';
