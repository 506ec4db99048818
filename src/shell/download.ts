import type { SyntaxNode } from 'unbash';
import { baseName, type ParsedScript, perScript } from './commands.ts';

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
