/** Programs that only print, compare, check or test what they are given: a word such as `delete` is what they look for. */
export const VIEWERS: ReadonlySet<string> = new Set(
  (
    'cat grep egrep fgrep zgrep rg ag ls ll tree stat file wc head tail diff cmp comm jq cut tr printf echo which whereis type ' +
    'test [ true false pwd whoami id groups who w last lastlog uname arch nproc uptime free df du lsblk blkid lscpu lsmod lspci ' +
    'lsusb lsof findmnt ps pgrep pstree pidof ss netstat vmstat iostat mpstat sar getent nslookup dig host drill ping ping6 ' +
    'traceroute tracepath whois md5sum sha1sum sha256sum sha512sum b2sum cksum shasum strings od hexdump readlink realpath ' +
    'basename dirname locale env printenv zcat bzcat xzcat sleep seq nl tac column getfacl getenforce sestatus mountpoint ' +
    'ssh-keyscan klist zipinfo lvs vgs pvs lvdisplay vgdisplay pvdisplay pg_isready pg_lsclusters pg_controldata apt-cache ' +
    'dpkg-query nmap numfmt sensors lsns lslocks getconf shellcheck hadolint yamllint markdownlint flake8 pylint mypy pyright ' +
    'eslint stylelint pytest py.test tox nox phpunit rspec ctest tfsec tflint trivy grype checkov kubeconform kubeval conftest ' +
    'vale xmllint golangci-lint ansible-lint htmlhint actionlint gitleaks luacheck cppcheck cloc kube-score kube-linter ' +
    'staticcheck govulncheck bandit phpstan psalm detekt ktlint swiftlint gosec semgrep commitlint cfn-lint named-checkconf ' +
    'named-checkzone unbound-checkconf testparm lychee linkchecker lighthouse'
  ).split(' '),
);

/** Words for looking, checking, building and testing, as verbs and in names. */
const LOOK: ReadonlySet<string> = new Set(
  (
    'get ls list lists status show describe check checks verify test tests tester unittest lint linter diff validate info ' +
    'version plan inspect view ps history explain search find query count stats stat health healthcheck healthz doctor whoami ' +
    'smoke audit outdated why display report isready ready ping coverage typecheck sanity probe lookup read compare compile ' +
    'build spec unit e2e configtest is has can wait analyze analyse current tracking sources snapshots routes certificates ' +
    'summary scan showmigrations heads'
  ).split(' '),
);

/** Words for a change, next to those of `hasLastingEffect`. */
export const CHANGE: ReadonlySet<string> = new Set(
  (
    'add allow annotate append apply approve archive assign attach authorize ban block bootstrap bounce boot bump chmod chown ' +
    'clone close commit configure connect convert copy cp create deny dispatch do down dump edit elect enable enroll exec execute ' +
    'extend failover fence fix fixes flip generate grant grow init initialize inject insert install invoke issue join kick label ' +
    'launch load lock login logout mint mirror modify notify off on open patch pay populate post promote prompt provision pull put ' +
    'raise rebalance rebase rebuild recover redeploy redo refund reindex register reload remediate rename renew reopen repair ' +
    'replace replay replicate request rerun resize resolve retry rotate save scale seal send set setup shift sign silence ' +
    'start restart step submit swap switch switchover transfer trigger trim tune unarchive unban unblock undefine unlock unmask ' +
    'unseal unset up update upgrade upload use watch write tail monitor serve console shell listen dev repl ' +
    'backup deploy deployment export import mail message migrate page repo restore resume run schedule seed server sync tag alert'
  ).split(' '),
);

/** Those of them that also name a thing: `backup get`, `run list`, `verify-backup`. */
const THING =
  /^(?:backup|deploy|deployment|export|import|mail|message|migrate|page|repo|restore|schedule|server|sync|tag|alert|run)$/;

/** The parts of a word in small letters, cut at everything that isn't a letter, and in camelCase; `e2e` is one. */
const partsOf = (word: string) =>
  (word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+(?:\d+[a-z]+)?/g) ?? []).map((part) => part.toLowerCase());

/** A name or verb with a part that looks, and none that changes something: `check-disk`, `describe-instances`, `db:migrate:status`. */
export function isLook(word: string): boolean {
  if (!/^[A-Za-z][\w:.-]*$/.test(word)) return false;
  const parts = partsOf(word.replace(/\.\w+$/, ''));
  if (word.includes(':')) return LOOK.has(parts.at(-1)!);
  return parts.some((part) => LOOK.has(part)) && !parts.some((part) => CHANGE.has(part) && !THING.test(part));
}

/** A word that asks for a change. */
export function isChange(word: string): boolean {
  if (!/^[A-Za-z][\w:-]*$/.test(word) || isLook(word)) return false;
  return partsOf(word).some((part) => CHANGE.has(part) && !THING.test(part));
}

/** A verb that looks is one of the first words, and only names of things precede it: `pr view`, `compute instances list`. */
export function hasVerb(words: readonly string[], depth: number): boolean {
  for (const [at, word] of words.slice(0, depth).entries()) {
    if (!/^[a-z][a-z:_-]*$/.test(word) || isChange(word)) return false;
    if (!isLook(word)) continue;
    const isThing = THING.test(words[at - 1] ?? '');
    return (
      !/credentials|login/.test(word) &&
      (!isThing || /^(?:get|ls|list|status|show|describe|history|info)$/.test(word))
    );
  }
  return false;
}

/** What scripts of packages and targets are called that build, test or check; the second words only name what is built. */
const TASK = new Set(
  (
    'build compile package test tests t check lint verify validate typecheck type types tsc coverage cov cover units unit ' +
    'integration e2e smoke docs doc ci audit bench vet clippy assemble bundle dist spec doctor status version help info ' +
    'outdated list view why prettier eslint jest vitest pytest mypy black ruff classes jar html pdf diff report style static ' +
    'security unittest unittests functional acceptance contract schema analyze analyse format fmt all'
  ).split(' '),
);
const ABOUT = new Set(
  'run image frontend backend web api prod production staging debug fast quick full local app client i18n js css ts go py'.split(
    ' ',
  ),
);

/** Whether the name of a script or target is that of a build, test or check: `test:unit`, `build-web`. */
export function isTask(word: string): boolean {
  const parts = partsOf(word);
  if (/^(?:format|fmt|black|prettier)$/.test(word)) return false;
  return parts.some((part) => TASK.has(part)) && parts.every((part) => TASK.has(part) || ABOUT.has(part));
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

/** SQL of which every statement reads. */
const READS_SQL =
  /^\s*(?:(?:select|show|describe|desc|values|pragma \w+$|explain(?!\s+(?:\(|analyze)))\b|\\[dlxzc]\w*\+?|\.(?:tables|schema|databases)\b)/i;
const CALLS =
  /\b(?:pg_(?:terminate|cancel|promote|reload|switch|rotate|create|drop|start|stop|wal_replay|log_|replication|advisory|restore)\w*|setval|nextval|dblink\w*|lo_\w+|set_config|into|load_file|sleep|for\s+update)\b/i;

/** Whether all SQL among the words of a client reads. */
export function readsSql(args: readonly string[]): boolean {
  const texts = args.filter(
    (arg, at) =>
      /\s|^\\|^\./.test(arg) || /^-[a-zA-Z]*[ceQq]$|^--(?:command|execute|query)$/.test(args[at - 1] ?? ''),
  );
  if (texts.length === 0) return args.some((arg) => /^(?:-l|--list)$/.test(arg));
  const statements = texts.flatMap((text) => text.replace(/^--\w+=/, '').split(';'));
  return statements.every((part) => part.trim() === '' || (READS_SQL.test(part) && !CALLS.test(part)));
}
