import type { SyntaxNode, Word } from 'unbash';
import { type ParsedScript, parseScript, SHELLS, type SimpleCommand } from './commands.ts';
import { dangersOf, hasLastingEffect, lastingEffect } from './danger.ts';
import { asksPerson, neverEnds } from './never-ends.ts';
import { placeholders } from './placeholder.ts';
import { outsideVariables } from './variables.ts';

/** Returns why a command from a document can't be a proof unchanged, as a clause, or null. If unsure, it can't. */
export function commandFault(command: string): string | null {
  const text = command.trim();
  if (text === '') return 'it is empty';
  if (PROMPT.test(text)) return 'it has prompts or comments';
  const parsed = parseScript(text);
  const gap = placeholders(parsed)[0]?.text ?? (GAP.exec(text) ?? TEMPLATE.exec(text))?.[0].trim();
  if (gap !== undefined) return `it has a gap: ${gap}`;
  if (parsed.errors.length > 0) return "a shell can't read it";
  const [statement] = parsed.tree.commands;
  if (
    parsed.tree.commands.length !== 1 ||
    statement?.command.type !== 'Command' ||
    statement.background === true
  )
    return 'it is more than one command';
  const [written] = writtenFiles(parsed);
  if (written !== undefined) return `it writes to a file (${written})`;
  if (statement.command.name === undefined) return 'it only sets variables';
  if (/^(?:cd|export|source|\.|set|alias|pushd)$/.test(statement.command.name.text))
    return 'it only changes the shell';
  const [danger] = dangersOf(text);
  if (danger !== undefined) return `it is destructive (${danger.what})`;
  const all = parsed.commands.flatMap(withRemote);
  const [effect] = all.flatMap((each) => lastingEffect(each) ?? []);
  if (effect !== undefined) return `its effect stays (${effect})`;
  for (const each of all) {
    const person = asksPerson(each) ?? asksPassword(each);
    if (person !== null) return `it needs a person (${person})`;
    const endless = neverEnds(each);
    if (endless !== null) return `it never ends (${endless})`;
  }
  if (runsSubstitution(parsed)) return 'it runs what another command prints';
  const words = wordsToJudge(parsed);
  const lasting = words.find((word) => hasLastingEffect(word)) ?? ZERO.exec(text)?.[0];
  if (lasting !== undefined) return `its effect stays (${lasting})`;
  const open = words.find((word) => STAYS_OPEN.test(word));
  if (open !== undefined) return `it needs a person or never ends (${open})`;
  const capitals = capitalsIn(parsed);
  if (capitals !== undefined) return `it has a gap: ${capitals}`;
  const outside = outsideVariables(parsed);
  if (outside === null || outside.length > 0 || parsed.nodes.some(isPositional))
    return 'it reads variables that are set elsewhere';
  return null;
}

/** A prompt in front of a line, of a shell with the name of its host too. */
const PROMPT =
  /^[ \t]*(?:[$%#>❯➜][ \t]|PS [A-Z]:\\|(?:\([\w.-]+\)[ \t]*)?[\w.-]+@[\w.-]+[: ][^\s$#%]*[ \t]?[$#%][ \t]|\[[^\]\n]+@[^\]\n]+\][$#])/m;

/** Spellings of a gap in documents that are valid in a shell: `{name}`, `[a name]`, `%NAME%`, `...`, `xxx`, `X.Y.Z`. */
const GAP =
  /(?<![\w$%`{])\{[A-Za-z][\w -]*\}(?!\})|(?<![\w$[])\[[A-Za-z][A-Za-z_ ][A-Za-z_ -]*\](?!\])|%[A-Z][A-Z0-9_]+%|(?<=^|[\s=:"'/])(?:\.{3}|…)(?=$|[\s"'])(?<!\.\/\.{3})|<[A-Za-z][\w -]*>|(?<!\w)[xX]{3,}(?!\w)|(?<![\w.])v?[xX]\.[yYxX](?:\.[zZxX])?(?!\w)/m;

/** A template that has to be filled in; those of other programs have fields (`{{.Name}}`). */
const TEMPLATE = /\{\{(?![^{}]*(?:[\s(]|^)?\.)(?!-?\s*(?:end|else|nil|true|false)\b)[^{}]*\}\}/;

/** Words in capitals that aren't names to fill in. */
const CAPITALS: ReadonlySet<string> = new Set(
  (
    'HEAD ORIG FETCH GET POST PUT PATCH OPTIONS TRACE HUP TERM INT USR1 USR2 QUIT CONT README LICENSE CHANGELOG PING PONG ' +
    'DELETE INFO DEBUG WARN WARNING ERROR FATAL TRUE FALSE UTC GMT JSON YAML XML CSV HTML UTF ISO ASCII TCP UDP HTTP HTTPS SSL TLS DNS AAAA CNAME TXT SOA ' +
    'LISTEN ESTABLISHED BEGIN END AND NOT SELECT FROM WHERE COUNT SHOW STATUS OK READY'
  ).split(' '),
);

function capitalsIn({ nodes }: ParsedScript): string | undefined {
  // In capitals and not in a text with blanks: `HOSTNAME`, `user@HOST`, `--name=SERVICE_NAME`.
  return nodes
    .filter((node): node is Word => node.type === 'Word' && !/[\s${}()`]/.test(node.value))
    .flatMap(({ value }) => [
      ...value.matchAll(
        /(?<![\w.$%-]|[^\w-]-)(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z][A-Z0-9]{2,}|IP|ID|DB)(?![\w.(=])/g,
      ),
    ])
    .map(([word]) => word)
    .find((word) => !CAPITALS.has(word));
}

/** The redirections to files, in arguments that are scripts too. */
function writtenFiles({ nodes, inner }: ParsedScript): string[] {
  const own = nodes.flatMap((node) => {
    if (node.type !== 'Command' && node.type !== 'Redirected') return [];
    return node.redirects.flatMap((each) => {
      if (each.type !== 'Redirect' || !/^(?:>>?\|?|&>>?|<>|>&)$/.test(each.operator)) return [];
      const target = each.target?.value ?? '';
      const isKept = /^(?:\d*-?|\/dev\/(?:null|stdout|stderr|tty|fd\/\d+))$/.test(target);
      return isKept ? [] : [`${each.operator} ${target}`];
    });
  });
  return [...own, ...inner.flatMap(({ script }) => writtenFiles(script))];
}

/** To zero: `--replicas=0`, `web=0`. */
const ZERO = /(?:replicas|count|capacity|instances|min|max|size)["']?[\s=:]+0\b|\bscale\b.*[\s=]0(?!\S)/i;

/** Programs that only print or compare what they are given: a word such as `delete` is what they look for. */
const READERS: ReadonlySet<string> = new Set(
  'cat grep egrep fgrep zgrep rg ls head tail wc stat file test [ diff cmp jq cut sort uniq printf echo which'.split(
    ' ',
  ),
);

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
    const own = READERS.has(name) ? [] : [name, ...words];
    return [...own.map((word, at) => sink(word, own[at - 1])), ...fed];
  });
  return texts.flatMap((text) => [text, ...text.split(/[\s;&|()'"`,]+/)]).filter((word) => word !== '');
}

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
  /^(?:login|logon|attach|edit|editor|console|shell|repl|wizard|infinity|forever|listen|serve|server|runserver|watch|dev)$|^--(?:interactive|tty|edit|follow|watch|login|listen)(?:=(?!false|never)|$)|interactive_|secure_installation|reconfigure/i;

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
