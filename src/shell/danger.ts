import { type ParsedScript, parseScript, perScript, type SimpleCommand } from './commands.ts';
import { runsDownload } from './download.ts';

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
  rule('kubectl', 'kubectl delete', 'removes cluster resources', some(/^(?:delete|drain)$/)),
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

/** An option that names the method of a request, in one word or two, and any method that changes something. */
const sends = (args: string[]) =>
  some(
    /^(?:-X|--request[= ]?|--method[= ]?)?(?:POST|PUT|PATCH|DELETE)$|^-[a-zA-Z]*X(?:POST|PUT|PATCH|DELETE)$/i,
  )(args);

/** Commands that publish, send or change what no later command restores. What only deploys or restarts a service isn't here. */
const LASTS: readonly Rule[] = [
  rule('chown chgrp chmod', 'chown -R', 'changes whole folders', recursive),
  rule('mvn mvnw', 'mvn deploy', 'publishes', some(/^(?:deploy|site-deploy|release:.*|.*:deploy.*)$/)),
  rule('gradle gradlew', 'gradle publish', 'publishes', some(/^(?:.*:)?publish|^uploadArchives$/)),
  rule(
    'curl',
    'curl with a method or data',
    'sends something',
    (a) => sends(a) || some(/^(?:-[a-zA-Z]*[dFT].*|--(?:data|form|json|upload-file)\b.*)$/)(a),
  ),
  rule('wget', 'wget with a method or data', 'sends something', some(/^--(?:post|body|method=(?!GET|HEAD))/)),
  rule(
    'http https xh',
    'http with a method or data',
    'sends something',
    (a) => sends(a) || some(/^[\w.-]+:?=/)(a),
  ),
  rule('aws', 'aws s3 cp', 'writes to a bucket', (a) => first('s3')(a) && some(/^(?:cp|mv|sync)$/)(a)),
  rule(
    'aws',
    'aws … put',
    'changes cloud resources',
    some(/^(?:put|update|create|stop|modify|invoke|send)-/),
  ),
  rule(
    'gsutil rclone s3cmd mc',
    'gsutil cp',
    'writes to a bucket',
    some(/^(?:cp|mv|put|copy|move|rsync|mirror)$/),
  ),
  rule('scp sftp ftp', 'scp', 'sends files'),
  rule('rsync', 'rsync to another machine', 'sends files', (a) => /^(?!\/)[^/]+:/.test(a.at(-1) ?? '')),
  rule(
    'gh',
    'gh … create',
    'changes things on GitHub',
    (a) =>
      some(/^(?:create|edit|merge|close|upload|comment|run|set|rerun|review)$/)(a) ||
      (first('api')(a) && (sends(a) || some(/^-[fF]$|^--(?:raw-)?field/)(a))),
  ),
  rule('svn p4 fossil', 'svn commit', 'publishes', some(/^(?:commit|ci|submit)$/)),
  rule('git', 'git rebase', 'changes history', first('rebase', 'stash', 'send-email', 'filter-branch')),
  rule('git', 'git branch -d', 'removes a branch', (a) => has('branch')(a) && flag('d', '--delete')(a)),
  rule('mail mailx sendmail mutt', 'mail', 'sends a message'),
  rule('gpg gpg2', 'gpg --send-keys', 'publishes keys', some(/^--(?:send-keys?|import|edit)/)),
  rule('fastlane eas', 'fastlane deliver', 'publishes', some(/^(?:deliver|submit|supply|pilot)$/)),
  rule('crontab', 'crontab', 'replaces all scheduled jobs', (a) => !a.includes('-l')),
  rule('sed perl ruby', 'sed -i', 'rewrites files', some(/^-[a-zA-Z]*i|^--in-place/)),
  rule('unzip', 'unzip -o', 'overwrites files', flag('o', '-o')),
  rule('ssh-keygen', 'ssh-keygen -R', 'removes a known host', some(/^-R/)),
  rule('passwd usermod chpasswd visudo', 'passwd', 'changes an account'),
  rule(
    'ufw firewall-cmd nft',
    'ufw',
    'changes rules of the firewall',
    (a) => !some(/^(?:status|list|show)|^--(?:list|state|get|query)/)(a),
  ),
  rule(
    'psql mysql sqlite3 mariadb',
    'SQL that writes',
    'changes data',
    some(/\b(?:insert\s+into|alter\s|grant\s|create\s|replace\s+into)/i),
  ),
  rule(
    'redis-cli',
    'redis-cli SET',
    'changes keys',
    some(/^(?:[a-z]{0,2}set(?:nx|ex)?|del|[lr]?push|expire|rename|config)$/i),
  ),
  rule('etcdctl consul', 'etcdctl put', 'changes keys', some(/^(?:put|del)$/)),
  rule('vault', 'vault write', 'changes secrets', (a) => some(/^(?:write|put|patch|revoke|seal|unseal)$/)(a)),
];

/** Why the effect of a command stays by the table, as words; null if the table has no rule for it. */
export function lastingEffect(command: SimpleCommand): string | null {
  const found = ruleFor(command, LASTS);
  return found === undefined ? null : `${found.what} ${found.why}`;
}

/** Parts of words that destroy, stop or publish, also inside of a word: `dropdb`, `delete_queue`. */
const STEM =
  /delet|remov|destr[ou]|(?<!back|rain|tear)drop(?!let|box|down)|purg|prun(?:e|ing)|wip(?:e|ing)|eras(?:e|ing)|truncat|terminat|uninstall|unlink|publish|upload|obliterat|overwrit|decommission|deprovision|deregister|unregister|deallocat|rimraf|discard|shred|revok|evict|expung|flush|(?<!p)reset|rollback|downgrad|shutdown|poweroff|reboot|(?<!s)kill/;

/** The same as a whole part of a word: `docker-rm`, `db:clean`. */
const PART: ReadonlySet<string> = new Set([
  'undo',
  ...(
    'rm rmi rmdir rmtree del clean cleanup clear labelclear fresh refresh format mkfs mkswap mklabel mktable mkpart zap nuke ' +
    'stop stopped halt down drain cordon absent disable deactivate abort cancel revert restore forget expire invalidate ' +
    'vacuum yank deprecate detach disconnect unmount umount swapoff ifdown suspend pause quarantine teardown release push mask ' +
    'userdel groupdel deluser delgroup merge taint'
  ).split(' '),
]);

/** The same only as the whole word, because they mean something else in names. */
const WORD = /^(?:rb|rd|dd|gc|mv|move|tee|init|telinit|leave|at|batch)$/;

/** Options that ask for an effect without a question. */
const OPTION = /^-+(?:force|auto-approve|zap|gc|clear|clean|push)\b/i;

/** Whether a word of a command that the table doesn't know asks for an effect that stays. */
export function hasLastingEffect(word: string): boolean {
  // `docker run --rm` removes only what it made, `--format` prints.
  if (/^--(?:no-|rm$|rm=|format\b|release$|with-)/.test(word)) return false;
  if (OPTION.test(word) || WORD.test(word.toLowerCase())) return true;
  if (/^\/dev\/(?!null$|std(?:in|out|err)$|tty$|fd\b)/.test(word)) return true;
  if (/^update\b.*\bset\b/i.test(word)) return true;
  const isOption = /^--/.test(word);
  const text = isOption ? word.replace(/^--[\w-]+=/, '') : word;
  if (STEM.test(word.toLowerCase())) return true;
  if (isOption && text === word) return false;
  return partsOf(text.replace(/\b(?:os-|lsb_)release\b/g, '')).some((part) => PART.has(part));
}

/** The parts of a word, cut at everything that isn't a letter, and in camelCase. */
function partsOf(word: string): string[] {
  const parts = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return parts.map((part) => part.toLowerCase());
}
