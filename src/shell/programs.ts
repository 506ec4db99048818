import { baseName, type SimpleCommand } from './commands.ts';
import { hasVerb, isChange, isLook, isTask, readsSql, VIEWERS } from './verbs.ts';

type Looks = (command: SimpleCommand) => boolean;

/** For a program with several uses, whether a command looks; undefined for programs without a rule. */
export function ruleOf(name: string): Looks | undefined {
  return RULES.get(name);
}

/** Whether it only shows what it would do. */
export function isDry({ args }: SimpleCommand): boolean {
  return has(
    args,
    /^--?(?:dry[-_]?run(?:=(?:client|server|true|all))?|check(?:-only)?|no-?op|simulate|just-print)$/,
  );
}

/** Options with their value in the next word. */
const VALUED =
  /^(?:-[nCHhpacfsuoLi]|--(?:namespace|context|kubeconfig|cluster|user|server|host|port|profile|region|output|project|subscription|prefix|workspace|filter|file|config|inventory|git-dir|work-tree|directory|limit|selector|resource-group|query|name|cwd|dir|endpoints?))$/;

/** The words of a command without options and their values. */
function wordsOf({ args }: SimpleCommand, valued = VALUED): string[] {
  return args.filter((arg, at) => !arg.startsWith('-') && !(at > 0 && valued.test(args[at - 1]!)));
}

const has = (args: readonly string[], pattern: RegExp) => args.some((arg) => pattern.test(arg));

/** Programs, and the first words with which they look. */
const SAYS: Readonly<Record<string, RegExp>> = {
  'terraform tofu terragrunt':
    /^(?:plan|validate|show|output|version|providers|graph|init|test|state (?:list|show)|workspace (?:list|show))$/,
  'redis-cli valkey-cli':
    /^(?:ping|info|m?get|ttl|pttl|exists|dbsize|llen|scard|zcard|hlen|hget|hgetall|lrange|keys|scan|type|strlen|role|time|lastsave|cluster (?:info|nodes|slots)|client list|config get|sentinel (?:masters?|replicas|slaves|get-\S+|ckquorum)|memory (?:usage|stats|doctor)|slowlog (?:get|len)|acl (?:list|whoami))\b/i,
  'docker podman nerdctl docker-compose':
    /^(?:(?:container|image|volume|network|compose|buildx|system|context|service|stack|node|manifest|secret|config|plugin) )?(?:ps|images|inspect|logs|version|info|stats|top|port|diff|history|search|build|ls|list|config|df)$/,
  'kubectl oc':
    /^(?:get|describe|logs|top|explain|version|cluster-info|api-resources|api-versions|diff|wait|events|kustomize|config (?:view|current-context|get-\S+)|auth (?:can-i|whoami)|rollout (?:status|history))$/,
  aws: /^(?:[a-z0-9-]+ (?:describe|list|get|head|batch-get|lookup|search|filter|validate|test|check|simulate|wait)(?:-(?!credentials|login)[a-z0-9-]+)?|s3 ls|configure list|logs tail)$/,
  systemctl: /^(?:|status|is-\S+|list-\S+|show|cat|show-environment|get-default)$/,
  'nft iptables-save': /^(?:|list)$/,
  ufw: /^(?:status|show|version)$/,
  cargo:
    /^(?:build|b|check|c|test|t|clippy|doc|bench|tree|metadata|fetch|audit|deny check|nextest run|search|version)$/,
  go: /^(?:build|test|vet|list|version|doc|mod (?:verify|graph|why|download)|tool (?:cover|vet))$/,
  'dotnet swift mix zig stack cabal flutter dart xcodebuild meson':
    /^(?:build|test|check|analyze|compile|pack|list|doctor|vet|credo|dialyzer)$/,
  mysqladmin: /^(?:status|ping|version|processlist|variables|extended-status)$/,
  'rclone s3cmd gsutil mc': /^(?:ls\w*|check|size|about|version|listremotes|cat|du|stat|info)$/,
  'k6 pre-commit cypress newman': /^(?:run|verify|inspect)$/,
  'hugo jekyll mkdocs vite next': /^(?:|build|version|doctor)$/,
  '7z 7za': /^[lt]$/,
  vitest: /^run$/,
};

/** Programs with a verb among so many first words, and more ways in which they look. */
const VERBS: Readonly<Record<string, [depth: number, more: RegExp]>> = {
  helm: [2, /^(?:template|env|get|repo list|dep(?:endency)? (?:list|build))\b/],
  pulumi: [2, /^(?:preview|stack output)$/],
  'gcloud az gh glab doctl heroku flyctl fly oci hcloud openstack ibmcloud': [
    4,
    /^(?:logs|auth status|config get-value|version|apps|releases)$/,
  ],
  'timedatectl hostnamectl localectl loginctl resolvectl networkctl': [1, /^(?:|session|statistics)$/],
  'apt apt-get aptitude yum dnf zypper apk brew snap gem conda choco': [
    1,
    /^(?:policy|depends|repolist|check-update|config|deps|leaves)\b/,
  ],
  'pip pip3 pipx uv poetry pipenv bundle bundler composer': [2, /^(?:freeze|sync|install|install -r .*)$/],
  'vault consul nomad etcdctl': [
    3,
    /^(?:members|endpoint (?:health|status)|operator raft list-peers|token lookup|version)\b/,
  ],
  ceph: [2, /^(?:$|(?:status|health|df|osd (?:tree|df|stat)|\w+ stat)\b)/],
};

/** Programs, and an argument with which they look. */
const WITH: Readonly<Record<string, RegExp>> = {
  'iptables ip6tables': /^-[nv]*[LSC][nv]*$|^--(?:list.*|check)$/,
  'firewall-cmd': /^--(?:list|state|get|query|info)/,
  'swapon swapoff': /^(?:-s|--show.*|--summary)$/,
  'ssh-keygen ssh-add': /^-[lLE]\w*$/,
  crontab: /^-l$/,
  'unzip gzip gunzip xz bzip2 zstd': /^(?:-[ltZ]\w*|--(?:test|list))$/,
  'dpkg rpm pacman': /^-(?:[lLsSV]|q\w*|V\w*|Q\w*)$|^--(?:list|listfiles|status|search|verify|query|audit)/,
  cmake: /^--build$/,
  'gpg gpg2': /^(?:--(?:verify|list-.*|fingerprint|check-.*)|-[kK])$/,
  'nginx sshd apachectl apache2ctl httpd php-fpm varnishd squid caddy':
    /^(?:-[tTvVMC]|configtest|validate|version)$/,
  'haproxy visudo': /^-c$/,
  'logrotate dovecot': /^-[dn]$/,
  'nc ncat netcat': /^-[a-zA-Z]*z/,
  mtr: /^(?:-[a-zA-Z]*r[a-zA-Z]*|--report.*)$/,
  rsync: /^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run|--list-only)$/,
  ansible: /^(?:ping|setup|--list-hosts)$/,
  'ansible-playbook': /^(?:--(?:check|syntax-check|list-\w+)|-C)$/,
  'smartctl mdadm': /^-(?:[aHixlD]|-(?:detail|examine|all|health|info|query))$/,
  'black ruff prettier gofmt rustfmt isort': /^(?:--check|-c|-l|-d|--diff|--list-different|check)$/,
  keytool: /^-(?:storepass|file|sslserver)/,
  openssl: /^(?:version|verify|ciphers|-noout)$/,
  command: /^-[vV]$/,
};

/** Programs that look without such an argument. */
const WITHOUT: Readonly<Record<string, RegExp>> = {
  'journalctl dmesg':
    /^(?:--(?:vacuum|rotate|flush|sync|relinquish|smart|setup|clear|console|read-clear|follow).*|-[a-zA-Z]*[fwcCDE][a-zA-Z]*)$/,
  date: /^(?:-s|--set.*|\d+)$/,
  'hostname uniq': /^[^-]/,
  sort: /^(?:-[a-zA-Z]*o|--output)/,
  sysctl: /^-[wp]|=|^--(?:write|load|system)/,
  'ifconfig arp route mount': /^(?:[^-].*|-[asdK])$/,
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint.*|fls)$/,
  'awk gawk mawk': /system\s*\(|getline|print[^}]*>|\|\s*"|^-[if]|^--(?:include|file)/,
  'tsc jest mocha ava rubocop': /^(?:-[uwaA]|-b|watch|dev)$/,
};

/** Programs that change, send or ask in every form. */
const NEVER =
  'sftp scp ftp mail mailx sendmail mutt tee mv cp ln install mkdir touch chmod chown chgrp chattr setfacl kill pkill killall su chroot ' +
  'nsenter at batch systemd-run screen tmux eval source pkexec sudo doas xargs passwd usermod unshare script';

/** Words, or a hint that nothing is done. */
const says =
  (pattern: RegExp): Looks =>
  (command) => {
    const words = wordsOf(command);
    if (isDry(command) || words.length === 0) return isDry(command) || pattern.test('');
    return [1, 2, 3].some((count) => pattern.test(words.slice(0, count).join(' ')));
  };

const verbs =
  ([depth, more]: readonly [number, RegExp]): Looks =>
  (command) => {
    const words = wordsOf(command);
    return isDry(command) || more.test(words.join(' ')) || hasVerb(words, depth);
  };

/** Options and words that send something, and addresses that do by their name. */
const SENDS =
  /^(?:-[a-zA-Z]*[dFTKQ](?!\w*:).*|--(?:data|form|json|upload-file|config|quote|post|body|delete).*|(?:POST|PUT|PATCH|DELETE|MOVE|PURGE|post|put|patch)|(?:-[a-zA-Z]*X|--(?:request|method)=)(?!(?:GET|HEAD|OPTIONS)$).+)$/;
const ACTS =
  /^[^-\s]*[/?&=](?:re(?:start|load|boot|index|deploy|start)|trigger|deploy|activate|enable|disable|promote|failover|send|(?:web)?hooks?|run|execute|pause|resume|start)(?:[/?&=]|$)/i;

/** Gets, and writes nowhere but below this folder or into a folder for such files. */
function gets({ args, name }: SimpleCommand): boolean {
  const valueAfter = (option: RegExp) => args[args.findIndex((arg) => option.test(arg)) + 1] ?? '';
  const isGet = !has(args, METHOD) || /^(?:GET|HEAD|OPTIONS)$/i.test(valueAfter(METHOD));
  const target = has(args, INTO) ? valueAfter(INTO) : '';
  const isKept = /^(?:\/dev\/(?:null|stdout)$|\/tmp\/)/.test(target) || !/^[/~]|\.\.\//.test(target);
  const isData = (arg: string) => /^(?:https?|xh)$/.test(name!) && /^[\w.-]+(?::=|=(?!=)|@)/.test(arg);
  return isGet && isKept && !args.some((arg) => SENDS.test(arg) || ACTS.test(arg) || isData(arg));
}
const METHOD = /^(?:-[a-zA-Z]*X|--(?:request|method))$/;
const INTO = /^(?:-[a-zA-Z]*[oOP]|--output(?:-d\w+)?|--directory-prefix)$/;

function readsGit(command: SimpleCommand): boolean {
  const { args } = command;
  const [first = '', second = ''] = wordsOf(command, /^(?:-[Cc]|--git-dir|--work-tree)$/);
  if (GIT_READS.test(first)) return true;
  if (/^(?:reflog|submodule|worktree|stash|notes|bundle|lfs|remote)$/.test(first))
    return (
      /^(?:list|show|status|get-url|verify|ls-files|env)$/.test(second) ||
      (second === '' && !/^(?:stash|bundle|lfs|notes)$/.test(first))
    );
  if (!/^(?:branch|tag|config)$/.test(first)) return isDry(command);
  return (
    second === '' || has(args, /^(?:-l|--list|--get.*|--contains|--merged|--no-merged|--points-at|--verify)$/)
  );
}
const GIT_READS =
  /^(?:status|log|diff|show|blame|ls-\w+|rev-parse|rev-list|describe|shortlog|cat-file|grep|fsck|fetch|cherry|merge-base|name-rev|check-ignore|show-ref|for-each-ref|count-objects|verify-\w+|version|help|whatchanged|range-diff|diff-\w+)$/;

/** A script is judged by its name, and a module of Python by its own. */
function ofScript({ name, args }: SimpleCommand): boolean {
  const [first = ''] = args;
  if (first === '-m') {
    const [, module = '', ...more] = args;
    return !more.some(isChange) && (isLook(module) || VIEWERS.has(module) || MODULES.test(module));
  }
  if (/^-(?:v|V|n|l|wc)$/.test(first))
    return !(first === '-n' && /^(?:python3?|node|ruby|perl)$/.test(name!));
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  if (has(args.slice(0, at === -1 ? args.length : at), /^-[a-zA-Z]*[ceEpsri]$|^--(?:eval|print)/))
    return false;
  const [script, ...more] = at === -1 ? [] : args.slice(at);
  if (script === undefined) return name === 'node' && args.includes('--test');
  if (more.some(isChange)) return false;
  const base = baseName(script);
  return (
    isLook(base) ||
    (/^(?:manage\.py|artisan|console|spark|cli\.\w+|bin\/rails|rails)$/.test(base) && hasVerb(more, 1))
  );
}
const MODULES = /^(?:unittest|compileall|json\.tool|platform|py_compile|doctest)$/;

/** Scripts of packages. */
function ofPackage(command: SimpleCommand): boolean {
  const words = wordsOf(command, /^(?:--prefix|-w|--workspace|--filter|-C|--cwd)$/);
  if (PACKAGES.test(words.join(' '))) return true;
  const [first = '', ...more] = /^run(?:-script)?$/.test(words[0] ?? '') ? words.slice(1) : words;
  return isTarget(first) && words[0] !== 'version' && !more.some(isChange);
}
const PACKAGES =
  /^(?:ci|install|audit(?: signatures)?|(?:ls|list|view|info|outdated|why|explain|doctor|ping|whoami|pkg get|config (?:get|list|ls)|pack)(?: .*)?)$/;

/** `test:unit`, `:lib:check`, `//lib:test`. */
const isTarget = (word: string) =>
  word.split(':').every((part) => part === '' || isTask(part)) ||
  (isTask(word.split(':').at(-1)!) && /^(?::|\/\/)/.test(word));

/** Targets of a build. */
const builds =
  (valued: RegExp, isOptional: boolean): Looks =>
  (command) => {
    const words = wordsOf(command, valued).filter((word) => !/^[A-Za-z_][\w.]*=|^\d+$/.test(word));
    if (has(command.args, /^(?:-n|--just-print|--dry-run)$/)) return true;
    return words.length === 0 ? isOptional : words.every(isTarget);
  };

const READS_IP = /^(?:a|addr|address|r|route|l|link|n|neigh|rule)(?: (?:show|list|ls|get)(?: .*)?)?$/;
const READS_MONGO =
  /^[\w.$()'"-]*\.(?:status|stats|serverStatus|version|hello|isMaster|count\w*|find(?:One)?|printReplicationInfo|conf|getCollectionNames)\([^()]*\)(?:\.(?:ok|count\(\)|members|state))?;?$|Command\(\{? *['"]?ping\b[^;]*\)(?:\.ok)?$/;
/** A script of sed that writes no file. */
const PRINTS = /^(?:(?:\d+|\$|\/[^/]*\/)(?:,(?:\d+|\$|\/[^/]*\/))?[pdq=]|s([/|,#]).*\1.*\1[gIip\d]*)$/;

/** Programs with a separate rule. */
const OWN: readonly [string, Looks][] = [
  [NEVER, () => false],
  ['curl wget http https xh', gets],
  ['psql mysql mariadb sqlite3 clickhouse-client duckdb cqlsh', ({ args }) => readsSql(args)],
  ['mongosh mongo', ({ args }) => has(args, READS_MONGO)],
  ['git', readsGit],
  ['service rc-service', ({ args }) => /^(?:status|--status-all)$/.test(args.at(-1) ?? '')],
  ['ip', (command) => READS_IP.test(wordsOf(command, /^$/).join(' '))],
  ['npm pnpm yarn bun', ofPackage],
  ['make gmake ninja', builds(/^-[CfIoj]$/, true)],
  ['just task rake nx turbo bazel sbt lerna', builds(/^-[CfIoj]$/, false)],
  ['mvn mvnw gradle gradlew ant', builds(/^-[PfpDbx]$|^--(?:file|projects|tests|exclude-task)$/, false)],
  ['python python3 node ruby perl php deno bash sh zsh', ofScript],
  ['sed', ({ args }) => !has(args, /^-[a-zA-Z]*[if]|^--(?:in-place|file)/) && has(args, PRINTS)],
  ['tar bsdtar', ({ args: [mode = ''] }) => /^(?:-?[a-bd-qsv-z]*t[a-bd-qsv-z]*|--list)$/i.test(mode)],
];

const table = (patterns: Readonly<Record<string, RegExp>>, rule: (pattern: RegExp) => Looks) =>
  Object.entries(patterns).map(([names, pattern]): [string, Looks] => [names, rule(pattern)]);

const RULES: ReadonlyMap<string, Looks> = new Map(
  [
    ...table(SAYS, says),
    ...Object.entries(VERBS).map(([names, given]): [string, Looks] => [names, verbs(given)]),
    ...table(
      WITH,
      (pattern) =>
        ({ args }) =>
          has(args, pattern),
    ),
    ...table(
      WITHOUT,
      (pattern) =>
        ({ args }) =>
          !has(args, pattern),
    ),
    ...OWN,
  ].flatMap(([names, rule]) => names.split(' ').map((name) => [name, rule] as const)),
);
