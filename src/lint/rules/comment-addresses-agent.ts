import type { LintRule } from '../rule.ts';

export const commentAddressesAgent: LintRule = {
  id: 'comment-addresses-agent',
  family: 'safety',
  severity: 'warning',
  summary: 'An HTML comment gives no orders to an agent.',
  why: 'A rendered page does not show comments, so a person who reviews the protocol never sees them, while an agent gets the raw text. An agent may obey orders in a comment that no person has approved.',
  fixable: 'unsafe',
  alwaysOn: true,
  check(context) {
    for (const { text, place } of context.comments) {
      if (!ADDRESSES.test(text)) continue;
      context.report({
        place,
        reason:
          'This comment addresses an agent, and people who read the page do not see it. Write it into the text of the step, or remove it.',
        fix: { ...removeComment(context.source, place.start.offset, place.end.offset), safe: false },
      });
    }
  },
};

const ADDRESSES = new RegExp(
  [
    // A role at the beginning of a line, as in a transcript.
    '^\\s*(?:system|assistant|user|developer|ai|agent|claude|gpt|chatgpt|copilot|gemini|llm)\\s*:',
    '\\b(?:ignore|disregard|forget|override)\\b.{0,30}\\b(?:previous|prior|above|earlier|preceding|all|other|these|the|your|any|system)\\b.{0,30}\\b(?:instruction|prompt|rule|message|step|direction|context|approval|guideline|polic)',
    '\\byou (?:must|shall|should|will|have to|need to|are to)(?: (?:now|always|never|not))? (?:run|execute|call|skip|ignore|approve|answer|reply|respond|say|tell|send|report|pretend|act|obey|follow|delete|install|download|use|proceed|mark|confirm)\\b',
    '\\byou are (?:now )?(?:an?|the) (?:\\w+ )?(?:ai|assistant|agent|model|llm|bot)\\b',
    '\\b(?:ai|llm|language model|coding|autonomous) (?:agents?|assistants?|models?)\\b.{0,40}\\b(?:must|should|shall|do not|don.t|never|always|please|read|run|skip)\\b',
    '\\b(?:do not|don.t|never|without) (?:tell|telling|mention|mentioning|inform|informing|ask|asking|show|showing|reveal|revealing)\\b.{0,20}\\b(?:user|human|person|operator|anyone|anybody)\\b',
    '</?(?:system|assistant|instructions?|prompt)>|\\[/?INST\\]|<\\|im_start\\|>',
  ].join('|'),
  'ims',
);

/** Together with the blank lines that only it separated, if it is alone. */
function removeComment(
  source: string,
  start: number,
  end: number,
): { range: [number, number]; replacement: string } {
  const isAlone = /(?:^|\n)[ \t]*$/.test(source.slice(0, start));
  const after = isAlone ? (/^[ \t]*(?:\r?\n(?:[ \t]*\r?\n)?)/.exec(source.slice(end))?.[0].length ?? 0) : 0;
  return { range: [start, end + after], replacement: '' };
}
