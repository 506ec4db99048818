import type { SyntaxNode } from 'unbash';
import { type ParsedScript, perScript, type SimpleCommand } from '../../shell/commands.ts';
import { canFail, setOptions } from '../../shell/exit-status.ts';
import type { LintRule } from '../rule.ts';
import { isJudgedOtherwise, orJudge } from './shell-cannot-fail.ts';

export const shellHttpError: LintRule = {
  id: 'shell-http-error',
  family: 'shell',
  severity: 'warning',
  summary: '`curl` fails when the server reports an error.',
  why: 'curl ends with 0 as soon as any answer arrives, so a page that reports 404 or 500 proves the step. With --fail it ends with 22 for such an answer.',
  fixable: 'unsafe',
  check(context) {
    for (const script of context.scripts) {
      const { parsed } = script;
      if (parsed.errors.length > 0 || isJudgedOtherwise(script)) continue;
      for (const { pos, end } of lenientRequests(parsed)) {
        // Programs such as timeout may precede it.
        const at = pos + Math.max(0, parsed.text.slice(pos, end).search(/(?<![\w.-])curl(?=\s)/));
        const place = script.place(at, at + 'curl'.length);
        context.report({
          place,
          reason: `This curl ends with 0 for an error of the server too, such as 404 or 500. Add --fail${orJudge(script)}.`,
          fix: { range: [place.end.offset, place.end.offset], replacement: ' --fail', safe: false },
        });
      }
    }
  },
};

/** The requests that decide a script: no later command can fail for what they got. */
const lenientRequests = perScript((parsed: ParsedScript): SimpleCommand[] => {
  const requests = parsed.commands.filter(({ name }) => name === 'curl');
  if (requests.length === 0) return [];
  const deciding = decidingEnds(parsed);
  return requests.filter(
    (request) => deciding.has(request.end) && !request.background && mayAnswerError(request.args),
  );
});

/** Where the commands end whose exit code may be that of the script, from the last one back to one that may fail for another reason. */
function decidingEnds(parsed: ParsedScript): ReadonlySet<number> {
  const options = setOptions(parsed);
  const ends = new Set<number>();
  for (const node of plainCommands(parsed.tree).reverse()) {
    const isRequest = parsed.commands.some(({ name, end }) => name === 'curl' && end === node.end);
    if (isRequest) ends.add(node.end);
    else if (canFail(node, options)) break;
  }
  return ends;
}

/** The commands of the outermost lists in order, of a pipeline the last. */
function plainCommands(node: SyntaxNode): SyntaxNode[] {
  switch (node.type) {
    case 'Script':
    case 'CompoundList':
    case 'AndOr':
      return node.commands.flatMap(plainCommands);
    case 'Statement':
    case 'Redirected':
      return plainCommands(node.command);
    case 'Pipeline':
      return node.prefixes.length > 0 ? [node] : node.commands.slice(-1).flatMap(plainCommands);
    case 'Subshell':
    case 'BraceGroup':
      return plainCommands(node.body);
    default:
      return [node];
  }
}

/** Short options of curl that are followed by a value, in the same word or the next. */
const VALUED = 'ACDEFHKPQTUXYbcdehmortuwxyz';

function mayAnswerError(args: readonly string[]): boolean {
  const flags = args.flatMap((arg) => (/^-[^-]/.test(arg) ? lettersOf(arg) : [arg]));
  if (flags.some((flag) => DECIDED.has(flag))) return false;
  const schemes = args.flatMap((arg) => /^([a-z]+):\/\//i.exec(arg)?.[1]?.toLowerCase() ?? []);
  return schemes.length === 0 || schemes.some((scheme) => scheme.startsWith('http'));
}

/** With these curl reports errors, reads its options from elsewhere, or requests nothing. */
const DECIDED: ReadonlySet<string> = new Set([
  ...['-f', '--fail', '--fail-with-body', '-K', '--config', '-V', '--version', '-h', '--help', '--manual'],
]);

function lettersOf(arg: string): string[] {
  const letters: string[] = [];
  for (const letter of arg.slice(1)) {
    letters.push(`-${letter}`);
    if (VALUED.includes(letter)) break;
  }
  return letters;
}
