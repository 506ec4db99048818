import type { Redirect, SyntaxNode, Word } from 'unbash';
import { type ParsedScript, parseScript, perScript } from './commands.ts';

/** A part of a command that should have been replaced. Offsets in the script, UTF-16 units. */
interface Placeholder {
  text: string;
  pos: number;
  end: number;
}

/**
 * Finds unfilled placeholders: `<name>`, which a shell reads as redirections, `{{name}}`, `YOUR_TOKEN`,
 * `CHANGEME`, `path/to/file`. Variables, templates of other programs (`{{.Name}}`) and markup in quotes don't
 * count.
 */
export const placeholders = perScript(findPlaceholders);

function findPlaceholders(parsed: ParsedScript): readonly Placeholder[] {
  const found: Placeholder[] = [];
  for (const node of parsed.nodes) {
    if (node.type === 'Redirect') add(found, angled(node, parsed.text));
    else if (node.type === 'Word') found.push(...inWord(node));
  }
  for (const { command, script } of parsed.inner) {
    if (found.some(({ pos, end }) => pos >= command.pos && end <= command.end)) continue;
    for (const { text } of placeholders(script)) found.push({ text, pos: command.pos, end: command.end });
  }
  return found;
}

const NAME = /^[A-Za-z][\w.:/-]*$/;

/** `<pod-name>`, and `<the pod>` with more words up to the closing bracket. */
function angled({ operator, target, descriptor, pos }: Redirect, text: string): Placeholder | null {
  if (operator !== '<' || descriptor !== undefined || target === undefined) return null;
  if (target.pos !== pos + 1 || !NAME.test(target.text)) return null;
  const rest = /^(?: [A-Za-z][\w-]*){0,4}>/.exec(text.slice(target.end));
  if (rest === null) return null;
  const end = target.end + rest[0].length;
  return { text: text.slice(pos, end), pos, end };
}

/** Literal text only: what an expansion puts in is filled in. */
function inWord(word: Word): Placeholder[] {
  if (word.parts === undefined) return inLiteral(word.text, word.pos, false);
  return word.parts.flatMap((part) => inPart(part));
}

function inPart(part: SyntaxNode): Placeholder[] {
  switch (part.type) {
    case 'Literal':
      return inLiteral(part.text, part.pos, false);
    case 'SingleQuoted':
      return inLiteral(part.text, part.pos, true);
    case 'DoubleQuoted':
      return part.parts.flatMap((inner) =>
        inner.type === 'Literal' ? inLiteral(inner.text, inner.pos, true) : inPart(inner),
      );
    case 'ParameterExpansion':
      // `${{ secrets.NAME }}` is filled in by a workflow, never by a shell.
      return part.text.startsWith('${{') ? [{ text: part.text, pos: part.pos, end: part.end }] : [];
    case 'BraceExpansion':
      return inLiteral(part.text, part.pos, false);
    default:
      return [];
  }
}

const BRACES = /\{\{ *(?!end\b|else\b|nil\b|true\b|false\b)[A-Za-z][\w-]* *\}\}/;
const WORDS =
  /(?<![\w$-])(?:(?:YOUR|MY|INSERT|REPLACE|ENTER)[_-][A-Z][A-Z0-9_-]*|your[_-][a-z][a-z0-9_-]*|your[A-Z]\w+|(?:insert|replace)[_-](?:[a-z0-9]+[_-])*(?:me|here)|CHANGE_?ME|changeme|TODO|FIXME|X{4,}|x{4,})(?![\w-])/;
const PATH = /(?<![\w$.-])\/?path\/to(?:\/[\w.-]+)*/;
/** In quotes, angle brackets may be markup: these look like names to fill in. */
const QUOTED_ANGLES =
  /<(?:[A-Z][A-Z0-9_]+|[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+|(?:your|my|the|insert|enter)[ _-][\w -]+)>(?!.*<\/)/;
const UNQUOTED = [BRACES, WORDS, PATH];
const QUOTED = [...UNQUOTED, QUOTED_ANGLES];
/** Every pattern needs one of these. */
const HINT = /[<{]|your|my[_-]|insert|replace|enter|change_?me|todo|fixme|xxxx|path\/to/i;

function inLiteral(text: string, pos: number, quoted: boolean): Placeholder[] {
  if (!HINT.test(text)) return [];
  const found: Placeholder[] = [];
  for (const pattern of quoted ? QUOTED : UNQUOTED) {
    const match = pattern.exec(text);
    if (match === null) continue;
    found.push({ text: match[0], pos: pos + match.index, end: pos + match.index + match[0].length });
  }
  return found;
}

function add(found: Placeholder[], placeholder: Placeholder | null): void {
  if (placeholder !== null) found.push(placeholder);
}

/**
 * Spellings of a gap in documents that are valid in a shell: `{name}`, `[a name]`, `[--option]`, `%NAME%`, `{% name %}`, `‹name›`,
 * `__NAME__`, `...`, `xxx`, `???`, `X.Y.Z`, `10.0.0.x`, `my-name`.
 */
const GAP = new RegExp(
  [
    String.raw`(?<![\w$%\`{])\{[A-Za-z][\w -]*\}(?!\})`,
    String.raw`(?<![\w$[])\[[A-Za-z][A-Za-z_ ][A-Za-z_ -]*\](?!\])`,
    String.raw`(?<=\s)\[--?[A-Za-z][\w-]*(?:[ =|][^\]\n]*)?\]`,
    String.raw`\{%[^%\n]*%\}|[‹«⟨＜][^›»⟩＞\n]*[›»⟩＞]|(?<!\w)__[A-Z][A-Z0-9_]*?__(?!\w)|%[A-Z][A-Z0-9_]+%`,
    String.raw`(?<=^|[\s=:"'/])(?:\.{3}|…)(?=$|[\s"'])(?<!\.\/\.{3})|\?{3,}`,
    String.raw`<[A-Za-z][\w -]*>|(?<!\w)[xX]{3,}(?!\w)|(?<![\w.])v?[xX]\.[yYxX](?:\.[zZxX])?(?!\w)`,
    String.raw`(?<![\w.])(?=[\d.]+\.[xyznXYZN](?![\w]))\d{1,3}(?:\.(?:\d{1,3}|[xyznXYZN])){3}(?!\w)`,
    String.raw`(?<![\w$.-])(?:my|some)[-_][a-z][\w-]*`,
    `(?<=["'])(?:[a-z-]+ ){1,3}here(?=["'])`,
  ].join('|'),
  'm',
);

/** A template that has to be filled in; those of other programs have fields (`{{.Name}}`). */
const TEMPLATE = /\{\{(?![^{}]*(?:[\s(]|^)?\.)(?!-?\s*(?:end|else|nil|true|false)\b)[^{}]*\}\}/;

/** The first gap of a command, also one that other texts mean otherwise; null for none. */
export function gapIn(parsed: ParsedScript): string | null {
  const { text } = parsed;
  const found = placeholders(parsed)[0]?.text ?? (GAP.exec(text) ?? TEMPLATE.exec(text))?.[0].trim();
  return found ?? capitalsIn(parsed) ?? genericIn(parsed) ?? null;
}

/** Words in capitals that aren't names to fill in. */
const CAPITALS: ReadonlySet<string> = new Set(
  (
    'HEAD ORIG FETCH GET POST PUT PATCH OPTIONS TRACE HUP TERM INT USR1 USR2 QUIT CONT README LICENSE CHANGELOG PING PONG ' +
    'DELETE INFO DEBUG WARN WARNING ERROR FATAL TRUE FALSE UTC GMT JSON YAML XML CSV HTML UTF ISO ASCII TCP UDP HTTP HTTPS SSL TLS DNS AAAA CNAME TXT SOA ' +
    'LISTEN ESTABLISHED BEGIN END AND NOT SELECT FROM WHERE COUNT SHOW STATUS OK READY MX PTR SRV CAA UP NO ON OFF OR IS IN EU US AM PM CPU IO CI TOP OS'
  ).split(' '),
);

/** In capitals and not in a text with blanks: `HOSTNAME`, `user@HOST`, `--name=SERVICE_NAME`. */
function capitalsIn({ nodes, commands }: ParsedScript): string | undefined {
  if (commands[0]?.name === 'printenv') return undefined;
  const asksDns = commands.some(({ name }) => /^(?:dig|host|nslookup|drill)$/.test(name ?? ''));
  return nodes
    .filter((node): node is Word => node.type === 'Word' && !/[\s${}()`]/.test(node.value))
    .flatMap(({ value }) => [
      ...value.matchAll(/(?<![\w.$%-]|[^\w-]-)(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z][A-Z0-9]+)(?![\w.(=])/g),
    ])
    .map(([word]) => word)
    .find(
      (word) => !CAPITALS.has(word) && !/^[A-Z]\d+$/.test(word) && !(asksDns && /^(?:NS|DS|ANY)$/.test(word)),
    );
}

/** A name for all things of a kind where the name of one belongs: `ping hostname`, `kubectl logs pod-name`, `curl http://host/`. */
function genericIn({ commands }: ParsedScript): string | undefined {
  return commands
    .filter(({ name, isInner }) => !isInner && name !== null)
    .flatMap(({ args, name }) =>
      args.filter(
        (arg) =>
          ((arg !== 'hostname' || !/^(?:ssh|docker|podman|kubectl|oc|sudo|timeout)$/.test(name!)) &&
            /^(?:(?:host|user|server|file|service|pod|container|node|db|database|domain|image|bucket|cluster|app|package|branch)[-_]?name|ip[-_]?addr(?:ess)?)$/.test(
              arg,
            )) ||
          (/^(?:ping6?|dig|host|nslookup|traceroute|curl|wget|nc|mtr|telnet|ssh)$/.test(name!) &&
            /^(?:https?:\/\/)?(?:host|hostname|server|domain|ip|target|url)(?:[:/].*)?$/.test(arg)),
      ),
    )[0];
}

/** Words of sentences that are not words of commands when they are alone. */
const SENTENCE_WORDS = new Set(
  'a an and are as be been before by final has have into is must of or our should that the their then these this to was were when which with you your'.split(
    ' ',
  ),
);

/**
 * Whether the text of an old proof line is a sentence about a proof instead of a command. If unsure, it is a
 * sentence: a person then checks it, while a sentence run as a command would fail in a run.
 */
export function readsAsProse(text: string): boolean {
  const filled = text.replace(/<[A-Za-z][^<>]*>/g, 'gap');
  if (/^\S*[^\s\x00-\x7f]/.test(filled) || parseScript(filled).errors.length > 0) return true;
  const words = filled
    .replace(/"[^"]*"|'[^']*'/g, 'quoted')
    .trim()
    .split(/\s+/);
  const [first = ''] = words;
  if (words.length > 4 && /\p{L}\.$/u.test(text)) return true;
  if (words.length < 3 || words.some((word) => /^--?[a-z]/i.test(word))) return false;
  if (/^[A-Z][a-z]+$/.test(first) || /[a-z][.!?]$/.test(text)) return true;
  return words.length >= 4 && words.slice(1).some((word) => SENTENCE_WORDS.has(word.replace(/[,;:]$/, '')));
}
