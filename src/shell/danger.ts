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
    const rule = ruleFor(command);
    return rule === undefined ? [] : [{ what: rule.what, why: rule.why, pos: command.pos, command }];
  }),
);

function ruleFor({ name, args }: SimpleCommand): Rule | undefined {
  if (name === null) return undefined;
  // mkfs.ext4 and its like.
  const known = name.startsWith('mkfs.') ? 'mkfs' : name;
  return RULES.find((rule) => rule.name === known && rule.applies(args));
}

interface Rule {
  name: string;
  what: string;
  why: string;
  applies: (args: string[]) => boolean;
}

const has =
  (...words: string[]) =>
  (args: string[]) =>
    words.every((word) => args.includes(word));
const first =
  (...words: string[]) =>
  (args: string[]) =>
    words.includes(args.find((arg) => !arg.startsWith('-')) ?? '');
/** Short options may be combined: `-rf` contains `-r` and `-f`. */
const flag = (letter: string, long: string) => (args: string[]) =>
  args.some((arg) => arg === long || (/^-[A-Za-z]+$/.test(arg) && arg.includes(letter)));
const sql = (args: string[]) =>
  args.some((arg) =>
    /\b(?:drop\s+(?:table|database|schema|index|view|role)|truncate\s+|delete\s+from)\b/i.test(arg),
  );

/** Every user may write. */
const OPEN_TO_ALL = /^[0-7]?[0-7]{2}[2367]$|^(?:[ugo]*[ao][ugo]*)?[+=][rx]*w/;

const RULES: Rule[] = [
  {
    name: 'rm',
    what: 'rm -r',
    why: 'removes whole folders',
    applies: (a) => flag('r', '--recursive')(a) || flag('R', '--recursive')(a),
  },
  { name: 'rm', what: 'rm -f', why: 'removes files without asking', applies: flag('f', '--force') },
  { name: 'rmdir', what: 'rmdir', why: 'removes folders', applies: () => true },
  { name: 'shred', what: 'shred', why: 'overwrites files permanently', applies: () => true },
  {
    name: 'dd',
    what: 'dd of=',
    why: 'overwrites a file or device',
    applies: (a) => a.some((arg) => arg.startsWith('of=')),
  },
  {
    name: 'chmod',
    what: 'chmod -R 777',
    why: 'lets every user change whole folders',
    applies: (a) => flag('R', '--recursive')(a) && a.some((arg) => OPEN_TO_ALL.test(arg)),
  },
  { name: 'truncate', what: 'truncate', why: 'cuts files off', applies: () => true },
  { name: 'find', what: 'find -delete', why: 'removes what it finds', applies: has('-delete') },
  {
    name: 'git',
    what: 'git push --force',
    why: 'overwrites published history',
    applies: (a) =>
      has('push')(a) && a.some((arg) => arg === '-f' || arg.startsWith('--force') || arg.startsWith('+')),
  },
  {
    name: 'git',
    what: 'git reset --hard',
    why: 'throws local changes away',
    applies: has('reset', '--hard'),
  },
  {
    name: 'git',
    what: 'git clean',
    why: 'removes untracked files',
    applies: (a) => has('clean')(a) && flag('f', '--force')(a),
  },
  {
    name: 'git',
    what: 'git branch -D',
    why: 'removes a branch with its commits',
    applies: has('branch', '-D'),
  },
  {
    name: 'git',
    what: 'git checkout --',
    why: 'throws local changes away',
    applies: (a) => a[0] === 'checkout' && (a.includes('--') || a.includes('.')),
  },
  { name: 'rclone', what: 'rclone sync', why: 'removes what the source has not', applies: first('sync') },
  {
    name: 'kubectl',
    what: 'kubectl delete',
    why: 'removes cluster resources',
    applies: (a) => a.includes('delete') || a.includes('drain'),
  },
  { name: 'helm', what: 'helm uninstall', why: 'removes a release', applies: first('uninstall', 'delete') },
  {
    name: 'terraform',
    what: 'terraform destroy',
    why: 'removes infrastructure',
    applies: (a) => first('destroy')(a) || has('apply', '-destroy')(a),
  },
  {
    name: 'docker',
    what: 'docker rm',
    why: 'removes containers, images or volumes',
    applies: (a) => first('rm', 'rmi')(a) || a.includes('prune') || has('volume', 'rm')(a),
  },
  {
    name: 'aws',
    what: 'aws … delete',
    why: 'removes cloud resources',
    applies: (a) => a.some((arg) => /^(?:delete|terminate|rb|rm)(?:-|$)/.test(arg)),
  },
  {
    name: 'gcloud',
    what: 'gcloud … delete',
    why: 'removes cloud resources',
    applies: (a) => a.includes('delete'),
  },
  { name: 'az', what: 'az … delete', why: 'removes cloud resources', applies: (a) => a.includes('delete') },
  {
    name: 'npm',
    what: 'npm unpublish',
    why: 'removes a published version',
    applies: first('unpublish', 'deprecate'),
  },
  { name: 'dropdb', what: 'dropdb', why: 'removes a database', applies: () => true },
  { name: 'psql', what: 'psql with DROP, TRUNCATE or DELETE', why: 'removes data', applies: sql },
  { name: 'mysql', what: 'mysql with DROP, TRUNCATE or DELETE', why: 'removes data', applies: sql },
  { name: 'sqlite3', what: 'sqlite3 with DROP, TRUNCATE or DELETE', why: 'removes data', applies: sql },
  {
    name: 'pg_restore',
    what: 'pg_restore --clean',
    why: 'drops what it restores',
    applies: flag('c', '--clean'),
  },
  {
    name: 'redis-cli',
    what: 'redis-cli FLUSH',
    why: 'removes all keys',
    applies: (a) => a.some((arg) => /^flush(?:all|db)$/i.test(arg)),
  },
  { name: 'mkfs', what: 'mkfs', why: 'formats a device', applies: () => true },
  { name: 'wipefs', what: 'wipefs', why: 'erases what is on a device', applies: flag('a', '--all') },
  { name: 'lvremove', what: 'lvremove', why: 'removes a volume', applies: () => true },
  { name: 'zfs', what: 'zfs destroy', why: 'removes a file system', applies: first('destroy') },
  { name: 'userdel', what: 'userdel', why: 'removes an account', applies: () => true },
  { name: 'etcdctl', what: 'etcdctl del', why: 'removes keys', applies: first('del') },
  {
    name: 'vault',
    what: 'vault delete',
    why: 'removes secrets',
    applies: (a) => /^(?:delete|destroy)$/.test(a[0] === 'kv' ? (a[1] ?? '') : (a[0] ?? '')),
  },
  { name: 'crontab', what: 'crontab -r', why: 'removes all scheduled jobs', applies: flag('r', '--remove') },
  ...['iptables', 'ip6tables'].map((name) => ({
    name,
    what: `${name} -F`,
    why: 'removes rules of the firewall',
    applies: (a: string[]) => a.some((arg) => /^(?:-[FXD]|--(?:flush|delete).*)$/.test(arg)),
  })),
  { name: 'unlink', what: 'unlink', why: 'removes a file', applies: () => true },
  { name: 'shutdown', what: 'shutdown', why: 'stops the machine', applies: () => true },
  { name: 'reboot', what: 'reboot', why: 'stops the machine', applies: () => true },
  { name: 'gh', what: 'gh … delete', why: 'removes things on GitHub', applies: (a) => a.includes('delete') },
];

/** A place where a script runs what it has just downloaded. Offsets in the script, UTF-16 units. */
interface RunDownload {
  pos: number;
  end: number;
}

const FETCHERS = new Set(['curl', 'wget', 'fetch', 'http', 'https']);
const RUNNERS = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'python',
  'python3',
  'perl',
  'ruby',
  'node',
  'eval',
  '.',
  'source',
]);

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
