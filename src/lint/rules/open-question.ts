import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const openQuestion: LintRule = {
  id: 'open-question',
  family: 'proof',
  severity: 'warning',
  summary: 'A question that wants more than yes or no has choices or a pattern.',
  why: 'Clients of agents ask the user with a form. Without choices and a pattern, the form offers only "approved" and "rejected", so the user can answer neither "Which region?" nor "Enter the ticket".',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.type !== 'user_input') continue;
      const { prompt, choices, pattern } = proof.user_input;
      if (choices !== undefined || pattern !== undefined || !isOpen(prompt)) continue;
      context.report({
        place: nearestPlace(context, block, ['proof_of_work', 'user_input', 'prompt']),
        reason: `In a form this question has only the answers "approved" and "rejected". List its choices, or write a pattern for the text, for example "[A-Za-z0-9 .-]+".`,
      });
    }
  },
};

const ASKS_FOR_TEXT = [
  'what|which|who|whom|whose|when|where|why|how',
  'was|welche[mnrs]?|wer|wem|wann|wo|wohin|woher|warum|wie|wieviele?',
  'quel(?:le)?s?|qui|quand|où|combien|comment|pourquoi',
  'qué|cuál(?:es)?|quién(?:es)?|cuándo|dónde|cómo|cuánt[ao]s?',
  'что|как(?:ой|ая|ое|ие)?|кто|когда|где|куда|сколько|почему',
].join('|');
const QUESTION = new RegExp(
  `^[^\\p{L}]*(?:and |then |und |et |y )?(?:${ASKS_FOR_TEXT})(?!\\p{L})[^?]*\\?`,
  'iu',
);
const DEMAND =
  /^\P{L}*(?:please )?(?:enter|type|paste|provide|specify|describe|name|list|choose|pick|select)\b/iu;
/** The expected text is a permission. */
const PERMISSION = /approv|confirm|consent|permission|go-ahead|reject/i;

/** Whether a sentence of the prompt asks for a text. "When it is done, approve." doesn't. */
function isOpen(prompt: string): boolean {
  const sentences = prompt.split(/(?<=[.!?:])\s+/u);
  return sentences.some((text) => (QUESTION.test(text) || DEMAND.test(text)) && !PERMISSION.test(text));
}
