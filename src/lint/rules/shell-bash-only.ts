import type { SyntaxNode } from 'unbash';
import { type ParsedScript, perScript } from '../../shell/commands.ts';
import type { LintRule } from '../rule.ts';

export const shellBashOnly: LintRule = {
  id: 'shell-bash-only',
  family: 'shell',
  severity: 'warning',
  summary: 'A command is written for `sh`, or passed to bash by name.',
  why: 'Commands are run by /bin/sh. On Debian, Ubuntu and Alpine that is not bash: the same protocol passes on the laptop of its author and fails, or means something else, on the machine that it was written for.',
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      const interpreter =
        proof?.type === 'shell' && script.role === 'proof' ? proof.shell.interpreter : undefined;
      if (interpreter !== undefined) continue;
      for (const { what, instead, pos, end } of bashOnly(script.parsed)) {
        context.report({
          place: script.place(pos, end),
          reason: `${what} is bash, and commands are run by sh: ${instead}, or hand the whole command to bash -c.`,
        });
      }
    }
  },
};

/** Syntax that bash knows and POSIX `sh` does not. Offsets in the script, UTF-16 units. */
interface BashOnly {
  what: string;
  /** What POSIX has instead, a clause. */
  instead: string;
  pos: number;
  end: number;
}

/**
 * Finds what a plain `sh` (dash, ash) would reject or read differently. Scripts passed to `bash -c` belong to
 * bash.
 */
export const bashOnly = perScript(findBashOnly);

function findBashOnly(parsed: ParsedScript): readonly BashOnly[] {
  const found: BashOnly[] = [];
  for (const node of parsed.nodes) {
    const known = inNode(node, parsed.text);
    if (known === null) continue;
    found.push({ what: known[0], instead: known[1], pos: node.pos, end: node.end });
  }
  return found;
}

type Known = [what: string, instead: string];

function inNode(node: SyntaxNode, script: string): Known | null {
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
      if (node.operator.startsWith('&>')) return [node.operator, 'write > FILE 2>&1'];
      if (node.descriptor?.type === 'FileDescriptorVariable')
        return ['{name}> as a file descriptor', 'use a number from 3 to 9'];
      return node.operator === '>&' && node.target !== undefined && !/^[$\d-]/.test(node.target.text)
        ? ['>& FILE', 'write > FILE 2>&1']
        : null;
    case 'Function':
      return /^function\s/.test(script.slice(node.pos, node.end))
        ? ['function', 'write NAME() { …; }']
        : null;
    case 'Assignment':
      return node.append === true ? ['+=', 'write NAME="${NAME}…"'] : null;
    case 'CaseItem':
      return node.terminator === ';&' || node.terminator === ';;&'
        ? [node.terminator, 'end each branch with ;;']
        : null;
    case 'ArithmeticExpansion':
      return node.text.startsWith('$[') ? ['$[ … ]', 'write $(( … ))'] : null;
    case 'ArithmeticUnary':
      return node.operator === '++' || node.operator === '--'
        ? [`${node.operator} in $(( … ))`, 'write x=$((x + 1))']
        : null;
    case 'ArithmeticBinary':
      return node.operator === '**' ? ['** in $(( … ))', 'multiply in a loop, or use bc'] : null;
    case 'ArithmeticWord': {
      const name = node.value.replace('$', '');
      return BASH_VARIABLES.has(name) ? bashVariable(`$${name}`) : null;
    }
    case 'SimpleExpansion':
      return BASH_VARIABLES.has(node.text.slice(1)) ? bashVariable(node.text) : null;
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
  if (BASH_VARIABLES.has(node.parameter)) return bashVariable(`$${node.parameter}`);
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

/** Variables that bash sets and a POSIX `sh` leaves empty. */
const BASH_VARIABLES = new Set([
  ...['RANDOM', 'SRANDOM', 'SECONDS', 'EPOCHSECONDS', 'EPOCHREALTIME', 'UID', 'EUID', 'HOSTNAME', 'HOSTTYPE'],
  ...[
    'OSTYPE',
    'MACHTYPE',
    'PIPESTATUS',
    'FUNCNAME',
    'SHLVL',
    'BASH',
    'BASHPID',
    'BASH_VERSION',
    'BASH_SOURCE',
  ],
  ...['BASH_REMATCH', 'BASH_LINENO', 'DIRSTACK', 'GROUPS', 'REPLY'],
]);

const INSTEAD: Readonly<Record<string, string>> = {
  $HOSTNAME: 'use $(hostname)',
  $UID: 'use $(id -u)',
  $EUID: 'use $(id -u)',
  $RANDOM: 'use $(od -An -N2 -tu2 /dev/urandom)',
  $SECONDS: 'use $(date +%s)',
  $EPOCHSECONDS: 'use $(date +%s)',
  $OSTYPE: 'use $(uname)',
};

function bashVariable(text: string): Known {
  return [text, INSTEAD[text] ?? 'set your own variable'];
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
    case 'printf':
      return args[0] === '-v'
        ? ['printf -v', 'write NAME=$(printf …)']
        : args.some((arg) => /^(?:[^%]|%[^q])*%q/.test(arg))
          ? ['printf %q', 'quote by hand']
          : null;
    case 'read':
      return readOptions(args);
    case 'wait':
      return args.includes('-n') ? ['wait -n', 'wait for each process by its id'] : null;
    case 'exec':
      return args[0] === '-a' ? ['exec -a', 'start the program under its own name'] : null;
    case 'export':
      return args[0] === '-f' ? ['export -f', 'put the function into a script'] : null;
    case 'trap':
      return args.some((arg) => /^(?:ERR|DEBUG|RETURN)$/.test(arg))
        ? ['trap on ERR, DEBUG or RETURN', 'trap EXIT and look at $?']
        : null;
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

/** POSIX has `read -r` only; bash's other options stop or silently change what dash reads. */
function readOptions(args: string[]): Known | null {
  const option = args.find((arg) => /^-[a-zA-Z]*[adeinNpstu]/.test(arg));
  return option === undefined ? null : [`read ${option}`, 'ask with printf and a plain read -r'];
}
