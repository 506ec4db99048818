import type { SyntaxNode } from 'unbash';
import type { ParsedScript } from './commands.ts';
import { perScript } from './per-script.ts';

/** Syntax that bash knows and POSIX `sh` does not. Offsets in the script, UTF-16 units. */
export interface BashOnly {
  what: string;
  /** What POSIX has instead, a clause. */
  instead: string;
  pos: number;
  end: number;
}

/** Finds what a plain `sh` (dash, ash) would refuse or take for something else. Scripts handed to `bash -c` are bash's. */
export const bashOnly = perScript(findBashOnly);

function findBashOnly(parsed: ParsedScript): readonly BashOnly[] {
  const found: BashOnly[] = [];
  for (const node of parsed.nodes) {
    const known = inNode(node);
    if (known === null) continue;
    found.push({ what: known[0], instead: known[1], pos: node.pos, end: node.end });
  }
  return found;
}

type Known = [what: string, instead: string];

function inNode(node: SyntaxNode): Known | null {
  switch (node.type) {
    case 'TestCommand':
      return ['[[ … ]]', 'write [ … ], or case for patterns'];
    case 'ArithmeticCommand':
      return ['(( … ))', 'compare with [ a -gt b ], compute with $(( … ))'];
    case 'ArithmeticFor':
      return ['for (( … ))', 'loop over $(seq …), or count in a while loop'];
    case 'HereString':
      return ['<<<', 'feed it with printf and a pipe'];
    case 'ProcessSubstitution':
      return [`${node.operator}( … )`, 'write to a file and read that'];
    case 'ArrayValue':
      return ['an array', 'use several variables, or set -- and "$@"'];
    case 'Select':
      return ['select', 'let a user_input step ask'];
    case 'Coproc':
      return ['coproc', 'use a named pipe'];
    case 'AnsiCQuoted':
      return ["$'…'", 'let printf make the character'];
    case 'LocaleString':
      return ['$"…"', 'write "…"'];
    case 'BraceExpansion':
      return ['a brace expansion', 'write the words out'];
    case 'Redirect':
      return node.operator.startsWith('&>') ? [node.operator, 'write > FILE 2>&1'] : null;
    case 'Pipeline':
      return node.operators.includes('|&') ? ['|&', 'write 2>&1 |'] : null;
    case 'ParameterExpansion':
      return inExpansion(node);
    case 'Command':
      return inCommand(
        node.name?.value,
        node.args.map(({ text }) => text),
      );
    default:
      return null;
  }
}

function inExpansion(node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): Known | null {
  if (node.prefix === '!' || node.index !== undefined)
    return ['an indirect or array variable', 'use a plain variable'];
  switch (node.operation?.type) {
    case 'Replace':
      return ['a replacement in a variable', 'use sed'];
    case 'Slice':
      return ['a slice of a variable', 'use cut'];
    case 'CaseModification':
      return ['a change of case in a variable', 'use tr'];
    case 'Transform':
      return ['a transformed variable', 'use printf'];
    default:
      return null;
  }
}

function inCommand(name: string | undefined, args: string[]): Known | null {
  switch (name) {
    case 'source':
      return ['source', 'write . (a single dot)'];
    case 'shopt':
    case 'declare':
    case 'typeset':
    case 'mapfile':
    case 'readarray':
    case 'pushd':
    case 'popd':
      return [name, 'hand the script to bash -c'];
    case 'let':
      return ['let', 'compute with $(( … ))'];
    case '[':
    case 'test':
      return args.includes('==') ? ['== in a test', 'write ='] : null;
    case 'set':
      return args.includes('pipefail')
        ? ['set -o pipefail', "hand the script to bash -o pipefail -c '…'"]
        : null;
    default:
      return null;
  }
}
