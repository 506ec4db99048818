import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const vaguePrompt: LintRule = {
  id: 'vague-prompt',
  family: 'proof',
  severity: 'warning',
  summary: 'A question to a person names the decision.',
  why: 'The prompt is often all that a person sees: an agent or a dialog shows it without the step around it. A person in a hurry answers "Confirm?" with yes, and the ledger then contains a yes to nothing.',
  check(context) {
    for (const { step: node } of context.steps) {
      const proof = node.block?.value.proof_of_work;
      if (node.block == null || proof?.type !== 'user_input' || !isVague(proof.user_input.prompt)) continue;
      context.report({
        place: nearestPlace(context, node.block, ['proof_of_work', 'user_input', 'prompt']),
        reason: `The prompt ${JSON.stringify(proof.user_input.prompt)} does not name the decision. Name the thing, what happens after the answer, and what to look at before.`,
      });
    }
  },
};

/** Words that a prompt may be made of without being about anything. */
const EMPTY = new Set(
  `a all am an and answer any anyway approve approved approval are be can complete completed confirm confirmation continue correct
  do does done enter everything finished fine for go going good gtg happy here i if input is it just lgtm looks like may me n next
  no now of ok okay on or please press proceed ready reply response right say shall should so step sure that the then this to type
  value want we with y yes you your
  alles bestätigen bitte das dies es fertig ja jetzt ist nein weiter wirklich fortfahren sicher soll sollen ich wir
  bien bon confirmer continuer êtes est oui non prêt sûr vous valider
  confirmar continuar listo sí está seguro`.split(/\s+/),
);

function isVague(prompt: string): boolean {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length < 12 && words.every((word) => EMPTY.has(word));
}
