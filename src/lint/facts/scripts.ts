import type { BlockNode } from '../../protocol/model.ts';
import { parseScript } from '../../shell/commands.ts';
import type { Located, RuleContext, StepScript } from '../rule.ts';

/** What is needed to find the place of a command. */
type Places = Pick<RuleContext, 'source' | 'locate' | 'place'>;

/** The commands that a document's steps would run, parsed. */
export function findScripts(context: Places & Pick<RuleContext, 'steps'>): StepScript[] {
  return context.steps.flatMap(({ chain, step }) => {
    const { block } = step;
    if (block === null) return [];
    return commandsOf(block).map(({ role, text }): StepScript => {
      let inside: Located['inside'] | undefined;
      return {
        chain,
        step,
        block,
        role,
        text,
        parsed: parseScript(text),
        place: (start, end) => {
          inside ??= insideCommand(block, role, text, context);
          return inside(start, end);
        },
      };
    });
  });
}

/** Other interpreters' scripts aren't shell, so no rule about commands looks at them. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh']);

function commandsOf({ value }: BlockNode): Pick<StepScript, 'role' | 'text'>[] {
  const commands: Pick<StepScript, 'role' | 'text'>[] = [];
  const proof = value.proof_of_work;
  const { interpreter = 'sh' } = proof?.type === 'shell' ? proof.shell : {};
  if (proof?.type === 'shell' && SHELLS.has(interpreter))
    commands.push({ role: 'proof', text: proof.shell.cmd });
  const rollback = value.proposal?.rollback_semantics?.command;
  if (rollback !== undefined) commands.push({ role: 'rollback', text: rollback });
  return commands;
}

/** Older spellings keep the command under other keys. */
const PATHS = {
  proof: ['proof_of_work', 'challenge'].flatMap((key) => [
    [key, 'shell', 'cmd'],
    [key, 'cmd'],
  ]),
  rollback: [['proposal', 'rollback_semantics', 'command']],
};

/** Falls back on the whole block where the command is not written letter by letter. */
function insideCommand(
  block: BlockNode,
  role: StepScript['role'],
  text: string,
  { source, locate, place }: Places,
): Located['inside'] {
  const path = PATHS[role].find((keys) => valueAt(block.raw, keys) === text);
  const located = path === undefined ? null : locate(block, path);
  if (located !== null) return located.inside;
  const at = block.format === 'line' ? source.indexOf(text, block.place.start.offset) : -1;
  if (at === -1 || at + text.length > block.place.end.offset) return () => block.place;
  return (start, end) => place(at + start, at + end);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
    value,
  );
}
