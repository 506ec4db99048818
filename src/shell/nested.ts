import {
  baseName,
  isUnknown,
  type ParsedScript,
  perScript,
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
    'echo printf grep egrep fgrep zgrep rg ag ack cat bat head tail wc ls tree stat file info whatis apropos which ' +
    'whereis type hash jq yq test [ [[ cut tr sort uniq diff cmp touch mkdir rmdir rm cp mv ln chmod chown tee read cd ' +
    'pwd date sleep true false kill seq basename dirname realpath alias unalias kairos curl wget'
  ).split(' '),
);

/** Other programs that only read, check, pack or store the files that they are given: a script among them isn't run. */
export const FILE_READERS = new Set(
  (
    'find chmod chown rm shellcheck shfmt prettier biome eslint npx-prettier bat batcat less more most vi vim nvim nano emacs emacsclient code codium cursor ' +
    'subl micro hx gedit kate open xdg-open scp sftp rsync tar zip unzip gzip gunzip bzip2 xz zstd 7z base64 base32 md5sum sha1sum ' +
    'sha256sum sha512sum shasum cksum xxd od hexdump strings nl tac rev fold fmt expand paste join comm split csplit awk gawk ' +
    'mawk sed dd install link unlink shred truncate chgrp chattr setfacl getfacl lsattr du df gh glab docker podman aws gsutil gcloud ' +
    'az codespell typos cspell markdownlint vale dos2unix unix2dos iconv pbcopy xclip mktemp export declare local readonly set unset ' +
    'exec pre-commit patch delta difft colordiff vimdiff meld pygmentize highlight ctags tokei cloc scc'
  ).split(' '),
);

/** The option before a text for people: `git commit -m 'x'`, `gh pr create --body 'x'`. */
const MESSAGE =
  /^(?:-[A-Za-z]*m|-[btSGF]|--(?:message|body|title|grep|notes?|description|subject|comment|author|reason|text|filter|match|search|testNamePattern|test-name-pattern))$/;

/** Whether a program may run what is in its arguments: all but the known readers. */
export function mayRun({ name, args }: SimpleCommand): boolean {
  if (name === 'git') return args[0] !== 'grep' || args.some((arg) => /^-(?:[A-Za-z]*O|-op)/.test(arg));
  if (name === 'gh') return args[0] !== 'api';
  if (/^[gm]?awk$/.test(name ?? '')) return args.some((arg) => /^-(?:[filE]|-[a-z])|system|[|@]/.test(arg));
  if (name === 'man') return args.some((arg) => /^(?:-P|--pager)/.test(arg));
  if (name === 'docker' || name === 'podman')
    return args.some((arg) => /^(?:run|exec|create|start|compose|-H|--host)/.test(arg));
  return name === null || !READERS.has(name);
}

/**
 * The commands that a program may run from its arguments: each rest of them that begins with a program of these names, a shell or a
 * wrapper. Known wrappers are looked through by the reader.
 */
export function* innerCommands(
  command: SimpleCommand,
  isProgram: (name: string) => boolean,
): Generator<SimpleCommand> {
  // `parallel git ::: push` runs `git push`.
  const args = command.args.filter((arg) => !/^:{3,4}\+?$/.test(arg));
  for (const [at, arg] of args.entries()) {
    // `npx semantic-release@20` runs `semantic-release`, `nix run nixpkgs#git` runs `git`.
    const name = baseName(arg)
      .replace(/^.*#/, '')
      .replace(/(?<=.)@[^@]*$/, '');
    const isFound = arg === '{}' && /^-(?:exec|ok)(?:dir)?$/.test(args[at - 1] ?? '');
    if (!isFound && !isProgram(name) && !SHELLS.has(name) && !TEXT_RUNNERS.has(name)) continue;
    const wrappers = [...command.wrappers, command.name ?? ''];
    yield* unwrap({ ...command, name, path: arg, args: args.slice(at + 1), wrappers });
  }
}

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

/** The variables that a script sets: `A=x cmd`, `export A=x`, `env A=x cmd`. `isAlone`: without a program, as in `A=x`. */
export function variablesIn({ nodes }: ParsedScript): { name: string; value: string; isAlone: boolean }[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Command') return [];
    const isAlone = node.name === undefined;
    const given = node.name?.value === 'gh' ? [] : node.suffix;
    return [...node.prefix, ...given].flatMap((part) => {
      if (part.type === 'Assignment')
        return part.value.type === 'Word' ? [{ name: part.name, value: part.value.value, isAlone }] : [];
      const text = 'value' in part && typeof part.value === 'string' ? part.value : '';
      const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
      return name === undefined ? [] : [{ name, value: value!, isAlone }];
    });
  });
}

export const RENAMERS = new Set(['ln', 'cp', 'mv', 'install', 'hash', 'link']);

const WRITERS = /^(?:tee|cp|mv|ln|link|install|rsync|dd|ed|ex|patch|sponge)$/;

/** Whether a program changes the files that it gets: `sed -i`. */
function writesGiven({ name, args }: SimpleCommand): boolean {
  if (name === null || WRITERS.test(name)) return name !== null;
  return !READERS.has(name) && args.some((arg) => /^-(?:[a-zA-Z0]*i|-in-?place|-write$)/.test(arg));
}

/** The names of the files that a script writes, copies, moves or changes, also by a patch. */
export const writtenFiles = perScript(({ text, nodes, commands }): string[] => {
  const targets = nodes.flatMap((node) => {
    if (node.type !== 'Command' && node.type !== 'Redirected') return [];
    return node.redirects.flatMap((each) =>
      each.type === 'Redirect' && each.operator.includes('>') && each.target !== undefined
        ? [each.target.value]
        : [],
    );
  });
  const given = commands.flatMap((command) => (writesGiven(command) ? command.args : []));
  const setsPackage = commands.some(({ name, args }) => /^\w*npm$/.test(name ?? '') && args[0] === 'pkg');
  const patched = text.matchAll(/^(?:\+\+\+ |\*\*\* (?:Add|Update) File: )(\S+)/gm);
  return [
    ...targets,
    ...given,
    ...(setsPackage ? ['package.json'] : []),
    ...[...patched].map(([, path]) => path!),
  ].map((path) => baseName(path.replace(/^of=/, '')));
});

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

/** Options of git, before its command, with a value in the next word. */
const GIT_VALUED = new Set(
  '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source'.split(' '),
);

/** The command of git and its arguments, without the options before it. All arguments if a variable may be more than one word. */
export function gitArguments({ args, single }: SimpleCommand): string[] {
  let at = 0;
  for (let arg = args[at]; arg?.startsWith('-'); arg = args[at]) {
    const value = args[at + 1] ?? '';
    const isValued = GIT_VALUED.has(arg);
    if (isUnknown(isValued ? value : arg) && !single.has(isValued ? value : arg)) return [...args];
    at += isValued ? 2 : 1;
  }
  return args.slice(at);
}

/** What gives git a configuration: a variable, an option, or a file. */
export const GIT_SETTINGS =
  /\b(?:GIT_CONFIG\w*|GIT_DIR|HOME|XDG_CONFIG_HOME)=|\binclude(?:if\..*)?\.path|\.git\/config|gitconfig|git\/config|\[alias\b/i;

/** Commands of git that no alias can replace. */
export const GIT_COMMANDS = new Set(
  (
    'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick citool ' +
    'clean clone column commit commit-graph commit-tree config count-objects credential describe diff diff-files diff-index ' +
    'diff-tree difftool fast-export fast-import fetch filter-branch for-each-ref format-patch fsck gc grep gui hash-object help ' +
    'hook init instaweb interpret-trailers log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree ' +
    'mergetool mktag mktree mv name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog remote repack ' +
    'replace rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch show-ref ' +
    'sparse-checkout stash status submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag ' +
    'version whatchanged worktree write-tree'
  ).split(' '),
);

export function gitAlias(value: string): string {
  return value.startsWith('!') ? value.slice(1) : `git ${value}`;
}

/** Other programs that run what they read. */
export const TEXT_READERS =
  /^(?:at|batch|crontab|make|gmake|ed|ex|vi|vim|ssh|parallel|fish|tcsh|csh|nu|xonsh|tclsh)$/;

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

/** Whether a script has a word, as a whole word, also one in pieces: `g\\it`, `gi"t"`. Cached for a script with many commands. */
export function spells(script: string, word: string): boolean {
  if (script !== spelledIn) spelled.clear();
  spelledIn = script;
  const texts = () => [script, script.replace(/\\[nrt]/g, ' ')].map((text) => text.replace(/['"\\]/g, ''));
  const found = spelled.get(word) ?? (mentions(script, word) || texts().some((text) => mentions(text, word)));
  spelled.set(word, found);
  return found;
}

const spelled = new Map<string, boolean>();
let spelledIn = '';
