import type { ParsedScript, SimpleCommand } from './commands.ts';
import { gitArguments } from './nested.ts';
import { type CommandPattern, isSameName } from './same-command.ts';

/** What settings and options of git may name: `-c core.editor=./x`. */
export const gitPrograms = ({ name, args }: SimpleCommand) =>
  name === 'git'
    ? args.flatMap((arg) => /^(?:(?:-c)?[\w-]+\.[^=]+|--[\w-]+-pack|--exec)=!?(\S+)/.exec(arg)?.[1] ?? [])
    : [];

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
