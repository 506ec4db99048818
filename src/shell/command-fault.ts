import type { SyntaxNode } from 'unbash';
import {
  baseName,
  type ParsedScript,
  parseScript,
  redirectsOf,
  SHELLS,
  type SimpleCommand,
  unwrap,
} from './commands.ts';
import { dangersOf } from './danger.ts';
import { executed } from './listings.ts';
import { asksPerson, neverEnds } from './never-ends.ts';
import { gapIn } from './placeholder.ts';
import { isDry, ruleOf } from './programs.ts';
import { outsideVariables } from './variables.ts';
import { hasLastingEffect, hasVerb, isChange, isLook, VIEWERS } from './verbs.ts';

/**
 * Returns why a command from a document can't be a proof unchanged, as a clause, or null. A command can be one if it shows that it only
 * looks, checks, builds or tests. If unsure, it can't.
 */
export function commandFault(command: string): string | null {
  const fault = faultOf(command);
  if (fault !== null) return fault;
  if (parseScript(command.trim()).commands.every(looks)) return null;
  return 'nothing shows that it only looks, checks, builds or tests; if it may run unseen, write proof after the language of its fence';
}

function faultOf(command: string): string | null {
  const text = command.trim();
  if (text === '') return 'it is empty';
  if (PROMPT.test(text)) return 'it has prompts or comments';
  const parsed = parseScript(text);
  const gap = gapIn(parsed);
  if (gap !== null) return `it has a gap: ${gap}`;
  if (parsed.errors.length > 0) return "a shell can't read it";
  const [statement] = parsed.tree.commands;
  if (
    parsed.tree.commands.length !== 1 ||
    statement?.command.type !== 'Command' ||
    statement.background === true
  )
    return 'it is more than one command';
  const [written] = filesWritten(parsed);
  if (written !== undefined) return `it writes to a file (${written})`;
  if (statement.command.name === undefined) return 'it only sets variables';
  if (/^(?:cd|export|source|\.|set|alias|pushd)$/.test(statement.command.name.text))
    return 'it only changes the shell';
  const [danger] = dangersOf(text);
  if (danger !== undefined) return `it is destructive (${danger.what})`;
  for (const each of parsed.commands.flatMap(withRemote)) {
    const person = asksPerson(each) ?? asksPassword(each);
    if (person !== null) return `it needs a person (${person})`;
    const endless = neverEnds(each) ?? countsForever(each);
    if (endless !== null) return `it never ends (${endless})`;
  }
  if (runsSubstitution(parsed)) return 'it runs what another command prints';
  const words = wordsToJudge(parsed);
  const lasting = words.find((word) => hasLastingEffect(word)) ?? ZERO.exec(text)?.[0];
  if (lasting !== undefined) return `its effect stays (${lasting})`;
  const open = words.find((word) => STAYS_OPEN.test(word));
  if (open !== undefined) return `it needs a person or never ends (${open})`;
  const outside = outsideVariables(parsed);
  if (outside === null || outside.length > 0 || parsed.nodes.some(isPositional))
    return 'it reads variables that are set elsewhere';
  return null;
}

/** A prompt in front of a line: of a shell, with the name of its host or folder too, of Windows. */
const PROMPT =
  /^[ \t]*(?:[$%#>❯➜λ»][ \t]|(?:PS[ \t])?[A-Za-z]:\\[^>\n]*>|(?:\([\w.-]+\)[ \t]*)?[\w.-]+@[\w.-]+[: ][^\s$#%]*[ \t]?[$#%][ \t]|\[[^\]\n]+@[^\]\n]+\][$#]|(?:ba|z|k|da)?sh-\d[\d.]*[$#%][ \t]|[\w.-]+:[~/][^\s$#%]*[ \t]+[\w.-]+[$#%][ \t]|[\w.-]+[$#][ \t])/m;

/** The redirections to files, in arguments that are scripts too. */
function filesWritten({ nodes, inner }: ParsedScript): string[] {
  const own = nodes.flatMap(redirectsOf).flatMap((each) => {
    if (each.type !== 'Redirect' || !/^(?:>>?\|?|&>>?|<>|>&)$/.test(each.operator)) return [];
    const target = each.target?.value ?? '';
    const isKept = /^(?:\d*-?|\/dev\/(?:null|stdout|stderr|tty|fd\/\d+))$/.test(target);
    return isKept ? [] : [`${each.operator} ${target}`];
  });
  return [...own, ...inner.flatMap(({ script }) => filesWritten(script))];
}

/** To zero: `--replicas=0`, `web=0`. */
const ZERO = /(?:replicas|count|capacity|instances|min|max|size)["']?[\s=:]+0\b|\bscale\b.*[\s=]0(?!\S)/i;

/** The words of all programs that may do something, texts that they may run included, cut at blanks, quotes and brackets. */
function wordsToJudge({ nodes }: ParsedScript): string[] {
  const texts = nodes.flatMap((node) => {
    if (node.type !== 'Command') return [];
    const fed = node.redirects.map((each) =>
      each.type === 'HereDoc' ? each.body.text : (each.target?.value ?? ''),
    );
    const words = [...node.prefix, ...node.suffix].flatMap((part) =>
      part.type === 'Assignment' ? [part.text] : part.type === 'Word' ? [part.value] : [],
    );
    const name = node.name?.value ?? '';
    const shown = SHOWS_DEVICES.test(name) ? words.filter((word) => !word.startsWith('/dev/')) : words;
    const own = VIEWERS.has(name) ? [] : [name, ...shown];
    return [...own.map((word, at) => sink(word, own[at - 1])), ...fed];
  });
  return texts.flatMap((text) => [text, ...text.split(/[\s;&|()'"`,]+/)]).filter((word) => word !== '');
}

const SHOWS_DEVICES = /^(?:smartctl|mdadm|nvme)$/;

/** `curl -o /dev/null` throws its output away, `cp /dev/null LOG` empties a file. */
function sink(word: string, before = ''): string {
  return word === '/dev/null' && !/^(?:-o|-O|--output|--output-document)$/.test(before) ? 'truncate' : word;
}

/** A command, and what it runs in another place: `ssh db1 top`, `docker exec db psql`. */
function withRemote(command: SimpleCommand): SimpleCommand[] {
  const { name, args } = command;
  const start = REMOTE[name ?? '']?.(args) ?? -1;
  if (start === -1) return [command];
  const rest = args.slice(start).flatMap((arg) => arg.split(/\s+/));
  const inner = rest.map((word, at) => ({ ...command, name: word, args: rest.slice(at + 1) }));
  return [command, ...inner];
}

const inContainer = (args: readonly string[]) => args.findIndex((arg) => /^(?:exec|run)$/.test(arg));
const REMOTE: Readonly<Record<string, (args: readonly string[]) => number>> = {
  ...Object.fromEntries(['docker', 'podman', 'nerdctl', 'kubectl', 'oc'].map((name) => [name, inContainer])),
  ...Object.fromEntries(['ssh', 'chroot', 'nsenter', 'find', 'su', 'vagrant'].map((name) => [name, () => 0])),
};

/** Programs that ask for a password before they run another. */
function asksPassword({ name, args, wrappers }: SimpleCommand): string | null {
  const asks = ['sudo', 'doas', 'su', 'runuser'].find((each) => each === name || wrappers.includes(each));
  if (asks === undefined || args.some((arg) => /^-[a-zA-Z]*[nSA]$|^--non-interactive$/.test(arg)))
    return null;
  return wrappers.includes(asks) ? null : `${asks} may ask for a password`;
}

/** Words of programs that wait for a person, or that run until they are stopped. */
const STAYS_OPEN =
  /^(?:login|logon|attach|edit|editor|console|shell|repl|wizard|infinity|forever|listen|serve|runserver|watch|dev)$|^--(?:interactive|tty|edit|follow|watch|login|listen)(?:=(?!false|never)|$)|interactive_|secure_installation|reconfigure/i;

/** `vmstat 1` prints until it is stopped, `vmstat 1 5` five times. */
function countsForever({ name, args, wrappers }: SimpleCommand): string | null {
  if (wrappers.includes('timeout') || !/^(?:vmstat|iostat|mpstat|sar|free|zpool)$/.test(name ?? ''))
    return null;
  const numbers = args.filter((arg) => /^[\d.]+$/.test(arg));
  return numbers.length === 1 ? `${name} without a count` : null;
}

/** `sh -c "$(cat x)"`: what it does isn't in the document. */
function runsSubstitution({ commands }: ParsedScript): boolean {
  return commands.some(
    ({ name, args }) => SHELLS.has(name ?? '') && args.some((arg) => /\$\(|`|<\(/.test(arg)),
  );
}

/** `$1` is given to a script, and a command alone has none. */
function isPositional(node: SyntaxNode): boolean {
  return (
    (node.type === 'SimpleExpansion' && /^\$[\d@*#]/.test(node.text)) ||
    (node.type === 'ParameterExpansion' && /^[\d@*#]+$/.test(node.parameter))
  );
}

/**
 * Whether a command shows by itself that it only looks at something, checks it, builds or tests: by its program, its verb, its
 * options or its name. A program that the tables don't know and that has no such sign may do anything.
 */
function looks(command: SimpleCommand): boolean {
  const { name, args } = command;
  if (name === null || args.some((arg) => CHANGING_OPTION.test(arg))) return false;
  const carried = carriedBy(command);
  if (carried !== null) return carried.length > 0 && carried.every(looks);
  if (args.length === 1 && /^(?:--?(?:version|help)|-V)$/.test(args[0]!)) return true;
  const rule = ruleOf(name);
  if (rule !== undefined) return rule(command);
  if (VIEWERS.has(name)) return name !== 'cat' || args.length > 0 || command.fed;
  if (args.some((arg) => SHOWS.test(arg)) || isDry(command)) return true;
  const words = args.filter((arg) => !arg.startsWith('-'));
  return !words.some(isChange) && (isLook(name) || MODE.test(args[0] ?? '') || hasVerb(words, 2));
}

/** Options that make a program that looks change, ask or stay open. */
const CHANGING_OPTION =
  /^--?(?:fix(?:-.*)?|write|in-?place|apply|set(?:-.*)?|update(?:-.*)?|save(?:-.*)?|install|upgrade|init|watch.*|edit|interactive|commit|push|serve|ask-.*|ui|headed|pdb|repl|debugger)(?:=(?!false).*)?$/i;

/** Options that make a program show something instead. */
const SHOWS = /^--?(?:check|check-only|syntax-check|list(?:-\w+)*|describe|status)$/;

/** The mode of a program, as its first word. */
const MODE =
  /^--?(?:verify|validate|test|self-?test|config-?test|health(?:-?check)?|lint|info|show|diff|version|help)$/;

/** The commands that a command only carries to another place or environment; null if it carries none. */
function carriedBy(command: SimpleCommand): SimpleCommand[] | null {
  const { name, args } = command;
  const inner = ([first, ...more]: readonly string[]): SimpleCommand[] =>
    first === undefined ? [] : [{ ...command, name: baseName(first), path: first, args: more }];
  if (name !== null && SHELLS.has(name)) {
    const flag = args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg));
    return flag === -1 ? null : parseScript(args[flag + 1] ?? '').commands;
  }
  switch (name) {
    case 'npx':
    case 'bunx':
    case 'uvx':
      return inner(after(args, 0, /^(?:-p|--package|--from|--python)$/));
    case 'bundle':
    case 'pnpm':
      return args[0] === 'exec' ? inner(after(args, 1)) : null;
    case 'poetry':
    case 'pipenv':
    case 'uv':
      return args[0] === 'run' ? inner(after(args, 1)) : null;
    case 'ssh': {
      const { commands, errors } = parseScript(after(args, 0, OF_SSH).slice(1).join(' '));
      return args.includes('-V') ? null : errors.length > 0 ? [] : commands;
    }
    case 'find':
      if (executed(args) === undefined) return null;
      return inner(args.slice(args.findIndex((arg) => /^-(?:exec|ok)/.test(arg)) + 1, -1));
    case 'kubectl':
    case 'oc':
      if (!args.includes('exec')) return null;
      return inner(args.includes('--') ? args.slice(args.indexOf('--') + 1) : []);
    case 'docker':
    case 'podman':
    case 'nerdctl':
    case 'docker-compose': {
      const at = args.findIndex((arg) => /^(?:run|exec)$/.test(arg));
      return at === -1 ? null : inner(after(args, at + 1, OF_CONTAINERS).slice(1));
    }
  }
  const last = unwrap(command).at(-1)!;
  return last.wrappers.length > command.wrappers.length ? [last] : null;
}

const OF_SSH = /^-[A-Za-z]*[bcDEeFIiJLlmOopRSWw]$/;
const OF_CONTAINERS =
  /^(?:-[evwupl]|-h|--(?:env|volume|workdir|user|publish|name|network|net|entrypoint|env-file|label|mount|memory|cpus|platform|add-host|hostname|index))$/;

/** Arguments from the first that is neither an option nor the value of one. */
function after(args: readonly string[], from: number, valued = /^$/): string[] {
  let at = from;
  while (at < args.length && args[at]!.startsWith('-')) {
    if (args[at] === '--') return args.slice(at + 1);
    at += valued.test(args[at]!) ? 2 : 1;
  }
  return args.slice(at);
}
