import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const refusalAmongChoices: LintRule = {
  id: 'refusal-among-choices',
  family: 'proof',
  severity: 'warning',
  summary: 'A refusal is not a choice, because the run continues after every choice.',
  why: 'Any of the choices proves the step. A person who picks "no" has given a valid answer, and the next step is shown, the dangerous one included. To refuse, a person declines the question instead, which stops the run until they give another answer.',
  fixable: 'unsafe',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.type !== 'user_input') continue;
      const { choices = [] } = proof.user_input;
      for (const [at, choice] of choices.entries()) {
        if (!isRefusal(choice)) continue;
        const place = nearestPlace(context, block, ['proof_of_work', 'user_input', 'choices', at]);
        const fix = removal(context.source, place.start.offset, place.end.offset, choices.length);
        context.report({
          place,
          reason: `The choice ${JSON.stringify(choice)} proves the step like any other, and the run continues. Remove it: a person refuses by declining the question, which stops the run.`,
          ...(fix === undefined ? {} : { fix: { range: fix, replacement: '', safe: false } }),
        });
      }
    }
  },
};

const REFUSALS = new Set([
  ...[
    'no',
    'nope',
    'reject',
    'rejected',
    'deny',
    'denied',
    'decline',
    'declined',
    'refuse',
    'refused',
    'disapprove',
  ],
  ...[
    'cancel',
    'abort',
    'stop',
    'do not proceed',
    'don’t proceed',
    "don't proceed",
    'not approved',
    'not now',
  ],
  ...['nein', 'ablehnen', 'abgelehnt', 'abbrechen', 'non', 'refuser', 'annuler', 'rechazar', 'cancelar'],
  ...['нет', 'отмена', 'ні', 'скасувати', 'いいえ', '拒否', '否', '取消'],
]);

function isRefusal(choice: string): boolean {
  return REFUSALS.has(choice.trim().toLowerCase().replace(/[.!]$/, ''));
}

/** The item with the comma that parts it from a neighbour. A list needs an item, and a YAML list has lines instead of commas. */
function removal(source: string, start: number, end: number, count: number): [number, number] | undefined {
  if (count < 2) return undefined;
  const before = /,\s*$/.exec(source.slice(Math.max(0, start - 200), start));
  if (before !== null) return [start - before[0].length, end];
  const after = /^\s*,\s*/.exec(source.slice(end, end + 200));
  return after === null ? undefined : [start, end + after[0].length];
}
