import { baseName, isUnknown, type ParsedScript, type SimpleCommand } from './commands.ts';
import { aliases } from './listings.ts';
import { gitArguments, mentions, RENAMERS } from './nested.ts';
import { type CommandPattern, follows, isSameName, splitOptions } from './same-command.ts';

/**
 * Whether a script gives the pattern's program another name, and runs something with the pattern's words. A copy of the program itself
 * is enough, because a later call can run it.
 */
export function renames(parsed: ParsedScript, { name, words, options }: CommandPattern): boolean {
  if (words.length + options.length === 0) return false;
  const copied = parsed.commands.flatMap((command) => (RENAMERS.has(command.name ?? '') ? command.args : []));
  if (copied.some((path) => PROGRAM_PATH.test(path) && isSameName(name, baseName(path)))) return true;
  // `alias g='git ' p=push; g p`.
  const stands = aliases(parsed);
  if (stands.length > 1 && [name, ...words].every((word) => stands.some((text) => mentions(text, word))))
    return true;
  const hasWords = (command: SimpleCommand) => {
    // Copying unknown files runs none of them.
    const args = RENAMERS.has(command.name ?? '')
      ? command.args.filter((arg) => !isUnknown(arg))
      : command.args;
    return args.length > 0 && follows(splitOptions(args), words, false);
  };
  return (
    renamedWords(parsed, (path) => isSameName(name, path)).some((source) => mentions(source, name)) &&
    parsed.commands.some(hasWords)
  );
}

/** The path of a program of the system. */
const PROGRAM_PATH = /(?:^|\/)(?:s?bin|git-core|Cellar)\/[^ ]+$/;

/** What a script gives another name; of the paths of programs, their names. */
function renamedWords(parsed: ParsedScript, isProgram: (name: string) => boolean): string[] {
  const { commands } = parsed;
  const sources = commands.flatMap(({ name, args }) => (RENAMERS.has(name ?? '') ? args : []));
  const paths = commands.flatMap(({ args }) =>
    args
      .filter((arg) => arg.includes('/'))
      .map(baseName)
      .filter(isProgram),
  );
  return [...sources, ...paths, ...aliases(parsed)];
}

/** What gives git a configuration: a variable, an option, or a file. */
const GIT_SETTINGS =
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

/** Whether a script gives git a configuration that can't be read here, and runs a command of git that may be an alias in it. */
export function hidesAlias({ text, commands }: ParsedScript, { name, words }: CommandPattern): boolean {
  if (name !== 'git' || words.length === 0 || !GIT_SETTINGS.test(text)) return false;
  return commands.some((command) => {
    if (command.name === null || !isSameName(name, command.name)) return false;
    const [first = '-'] = gitArguments(command);
    return !first.startsWith('-') && !GIT_COMMANDS.has(first);
  });
}
