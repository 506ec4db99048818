import type { SimpleCommand } from '../../shell/commands.ts';
import type { LintRule } from '../rule.ts';

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

export const timeoutTooShort: LintRule = {
  id: 'timeout-too-short',
  family: 'proof',
  severity: 'warning',
  summary: 'A command may run as long as it waits.',
  why: 'A command that sleeps or waits for something up to its own limit is ended by timeout_seconds before it gets there. The step then fails as timed out, although nothing was wrong.',
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      if (script.role !== 'proof' || proof?.type !== 'shell') continue;
      const { timeout_seconds: limit } = proof.shell;
      const waiting = script.parsed.commands.find(
        (command) => !command.background && waitOf(command) > limit,
      );
      if (waiting === undefined) continue;
      context.report({
        place: script.place(waiting.pos, waiting.end),
        reason: `This waits up to ${waitOf(waiting)} seconds, but the step is ended after ${limit} s. Raise the timeout, or wait in a separate step.`,
      });
    }
  },
};

/** Seconds that a command waits; 0 when it does not state any. */
function waitOf({ name, args }: SimpleCommand): number {
  if (name === 'sleep') return args.map(seconds).reduce((sum, value) => sum + value, 0);
  if (name === 'timeout') return seconds(args.find((arg) => /^\d/.test(arg)) ?? '');
  if (name !== 'kubectl' && name !== 'helm' && name !== 'oc') return 0;
  const at = args.findIndex((arg) => arg.startsWith('--timeout'));
  const value = args[at]?.startsWith('--timeout=')
    ? args[at]!.slice('--timeout='.length)
    : (args[at + 1] ?? '');
  return at === -1 ? 0 : seconds(value);
}

/** `90`, `1.5m`, `1h30m`; 0 for an invalid duration. */
function seconds(text: string): number {
  if (!/^(?:\d+(?:\.\d+)?[smhd]?)+$/.test(text)) return 0;
  return [...text.matchAll(/(\d+(?:\.\d+)?)([smhd]?)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (UNITS[unit || 's'] ?? 1),
    0,
  );
}
