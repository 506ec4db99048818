import type { SyntaxNode } from 'unbash';
import { baseName, type ParsedScript, parseScript, perScript, type SimpleCommand } from './commands.ts';

/** What a command could destroy, in fixed words. */
export interface Danger {
  /** The command's name and subcommand, for example `git push --force`. */
  what: string;
  why: string;
  pos: number;
}

/** A danger, and the command that contains it. */
interface DangerousCommand extends Danger {
  command: SimpleCommand;
}

/**
 * What a person must check before a script runs, in the order of the text: commands that destroy, and those
 * that run unread code.
 */
export function dangersOf(script: string): Danger[] {
  const parsed = parseScript(script);
  const found = findDangers(parsed).map(({ what, why, pos }) => ({ what, why, pos }));
  return [...found, ...runsDownload(parsed).map(({ pos }) => ({ ...DOWNLOAD, pos }))].sort(
    (a, b) => a.pos - b.pos,
  );
}

const DOWNLOAD = { what: 'a download that is run', why: 'runs code that has not been read' };

/** Commands of a parsed script that destroy or overwrite something that no other command can restore. */
export const findDangers = perScript(({ commands }: ParsedScript): readonly DangerousCommand[] =>
  commands.flatMap((command) => {
    const found = ruleFor(command, DESTROYS);
    return found === undefined ? [] : [{ what: found.what, why: found.why, pos: command.pos, command }];
  }),
);

interface Rule {
  names: string[];
  what: string;
  why: string;
  applies: (args: string[]) => boolean;
}

/** A rule for programs whose names have spaces between them. */
const rule = (names: string, what: string, why: string, applies: Rule['applies'] = () => true): Rule => ({
  names: names.split(' '),
  what,
  why,
  applies,
});

function ruleFor({ name, args }: SimpleCommand, rules: readonly Rule[]): Rule | undefined {
  if (name === null) return undefined;
  // mkfs.ext4 and its like.
  const known = name.startsWith('mkfs.') ? 'mkfs' : name;
  return rules.find(({ names, applies }) => names.includes(known) && applies(args));
}

const has =
  (...words: string[]) =>
  (args: string[]) =>
    words.every((word) => args.includes(word));
const first =
  (...words: string[]) =>
  (args: string[]) =>
    words.includes(args.find((arg) => !arg.startsWith('-')) ?? '');
const some = (pattern: RegExp) => (args: string[]) => args.some((arg) => pattern.test(arg));
/** Short options may be combined: `-rf` contains `-r` and `-f`. */
const flag = (letter: string, long: string) => (args: string[]) =>
  args.some((arg) => arg === long || (/^-[A-Za-z]+$/.test(arg) && arg.includes(letter)));
const recursive = (args: string[]) => flag('r', '--recursive')(args) || flag('R', '--recursive')(args);
const sql = some(/\b(?:drop\s+(?:table|database|schema|index|view|role)|truncate\s+|delete\s+from)\b/i);
const inSql = (name: string) => rule(name, `${name} with DROP, TRUNCATE or DELETE`, 'removes data', sql);

/** Every user may write. */
const OPEN_TO_ALL = /^[0-7]?[0-7]{2}[2367]$|^(?:[ugo]*[ao][ugo]*)?[+=][rx]*w/;

/** Commands after which something is lost. The first rule that applies counts. */
const DESTROYS: readonly Rule[] = [
  rule('rm', 'rm -r', 'removes whole folders', recursive),
  rule('rm', 'rm -f', 'removes files without asking', flag('f', '--force')),
  rule('rmdir', 'rmdir', 'removes folders'),
  rule('shred', 'shred', 'overwrites files permanently'),
  rule('dd', 'dd of=', 'overwrites a file or device', some(/^of=/)),
  rule(
    'chmod',
    'chmod -R 777',
    'lets every user change whole folders',
    (a) => flag('R', '--recursive')(a) && some(OPEN_TO_ALL)(a),
  ),
  rule('truncate', 'truncate', 'cuts files off'),
  rule('find', 'find -delete', 'removes what it finds', has('-delete')),
  rule(
    'git',
    'git push --force',
    'overwrites published history',
    (a) => has('push')(a) && some(/^-f$|^--force|^\+/)(a),
  ),
  rule('git', 'git reset --hard', 'throws local changes away', has('reset', '--hard')),
  rule('git', 'git clean', 'removes untracked files', (a) => has('clean')(a) && flag('f', '--force')(a)),
  rule('git', 'git branch -D', 'removes a branch with its commits', has('branch', '-D')),
  rule(
    'git',
    'git checkout --',
    'throws local changes away',
    (a) => a[0] === 'checkout' && (a.includes('--') || a.includes('.')),
  ),
  rule('rclone', 'rclone sync', 'removes what the source has not', first('sync')),
  rule('kubectl', 'kubectl delete', 'removes cluster resources', has('delete')),
  rule('kubectl', 'kubectl drain', 'evicts everything from a node', has('drain')),
  rule('helm', 'helm uninstall', 'removes a release', first('uninstall', 'delete')),
  rule(
    'terraform',
    'terraform destroy',
    'removes infrastructure',
    (a) => first('destroy')(a) || has('apply', '-destroy')(a),
  ),
  rule(
    'docker',
    'docker rm',
    'removes containers, images or volumes',
    (a) => first('rm', 'rmi')(a) || a.includes('prune') || has('volume', 'rm')(a),
  ),
  rule('aws', 'aws … delete', 'removes cloud resources', some(/^(?:delete|terminate|rb|rm)(?:-|$)/)),
  rule('gcloud', 'gcloud … delete', 'removes cloud resources', has('delete')),
  rule('az', 'az … delete', 'removes cloud resources', has('delete')),
  rule('npm', 'npm unpublish', 'removes a published version', first('unpublish', 'deprecate')),
  rule('dropdb', 'dropdb', 'removes a database'),
  ...['psql', 'mysql', 'sqlite3'].map(inSql),
  rule('pg_restore', 'pg_restore --clean', 'drops what it restores', flag('c', '--clean')),
  rule('redis-cli', 'redis-cli FLUSH', 'removes all keys', some(/^flush(?:all|db)$/i)),
  rule('mkfs', 'mkfs', 'formats a device'),
  rule('wipefs', 'wipefs', 'erases what is on a device', flag('a', '--all')),
  rule('lvremove', 'lvremove', 'removes a volume'),
  rule('zfs', 'zfs destroy', 'removes a file system', first('destroy')),
  rule('userdel', 'userdel', 'removes an account'),
  rule('etcdctl', 'etcdctl del', 'removes keys', first('del')),
  rule('vault', 'vault delete', 'removes secrets', (a) =>
    /^(?:delete|destroy)$/.test(a[0] === 'kv' ? (a[1] ?? '') : (a[0] ?? '')),
  ),
  rule('crontab', 'crontab -r', 'removes all scheduled jobs', flag('r', '--remove')),
  ...['iptables', 'ip6tables'].map((name) =>
    rule(name, `${name} -F`, 'removes rules of the firewall', some(/^(?:-[FXD]|--(?:flush|delete).*)$/)),
  ),
  rule('unlink', 'unlink', 'removes a file'),
  rule('shutdown', 'shutdown', 'stops the machine'),
  rule('reboot', 'reboot', 'stops the machine'),
  rule('gh', 'gh … delete', 'removes things on GitHub', has('delete')),
];

/** A place where a script runs what it has just downloaded. Offsets in the script, UTF-16 units. */
interface RunDownload {
  pos: number;
  end: number;
}

const FETCHERS = new Set(['curl', 'wget', 'fetch', 'http', 'https']);
const RUNNERS = new Set('sh bash dash zsh ksh python python3 perl ruby node eval . source'.split(' '));

/** Finds `curl … | sh`, `sh -c "$(curl …)"`, `eval "$(curl …)"`, `. <(curl …)`. */
export const runsDownload = perScript(findDownloads);

function findDownloads(parsed: ParsedScript): readonly RunDownload[] {
  const found: RunDownload[] = [];
  for (const node of parsed.nodes) {
    if (isDownloadPiped(node) || isDownloadRun(node)) found.push({ pos: node.pos, end: node.end });
  }
  for (const { command, script } of parsed.inner) {
    if (runsDownload(script).length > 0) found.push({ pos: command.pos, end: command.end });
  }
  return found;
}

function isDownloadPiped(node: SyntaxNode): boolean {
  if (node.type !== 'Pipeline') return false;
  const fetches = node.commands.findIndex((command) => runs(command, FETCHERS));
  return (
    fetches !== -1 &&
    node.commands.slice(fetches + 1).some((command) => runs(command, RUNNERS) && !hasScript(command))
  );
}

/** A substitution that fetches, as an argument of something that runs it. */
function isDownloadRun(node: SyntaxNode): boolean {
  if (node.type !== 'Command' || !runs(node, RUNNERS)) return false;
  return node.args.some(({ text }) => /^(?:"?\$\(|`|"`|<\()\s*(?:sudo\s+)?(?:curl|wget|fetch)\b/.test(text));
}

/** `sudo sh` runs like `sh`. */
function runs(node: SyntaxNode, names: ReadonlySet<string>): boolean {
  if (node.type !== 'Command' || node.name === undefined) return false;
  const words = [node.name.value, ...node.args.flatMap((arg) => (arg.type === 'Word' ? [arg.value] : []))];
  const name = words.find(
    (word) => !['sudo', 'doas', 'env', 'command', 'exec'].includes(word) && !/^-|=/.test(word),
  );
  return name !== undefined && names.has(baseName(name));
}

/** `curl … | python parse.py` reads data: `-c` and a file name give the program its own code to run. */
function hasScript(node: SyntaxNode): boolean {
  if (node.type !== 'Command') return false;
  const words = node.args.flatMap((arg) => (arg.type === 'Word' ? [arg.value] : []));
  const own = words.slice(words.findIndex((word) => RUNNERS.has(baseName(word))) + 1);
  return (
    own.some((word, at) => !word.startsWith('-') && own[at - 1] !== '-s' && own[at - 1] !== '--') &&
    !own.includes('-s')
  );
}
