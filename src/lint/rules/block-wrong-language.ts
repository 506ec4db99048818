import { problemRule } from '../problem-rule.ts';
import { fenceAround, isLoneDemand, isUsableJson } from './support/blocks.ts';
import { chain, step } from './support/example.ts';

/** Step blocks under another tag. */
export const blockWrongLanguage = problemRule('block-wrong-language', {
  family: 'block',
  severity: 'error',
  summary: 'The fence of a step block is tagged `json` or `yaml`.',
  why: 'The tag distinguishes a demand from an example. Under another tag the block would be shown as text, and the step would demand nothing.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'No tag',
      source: chain('Release', step('Test', 'Test it.\n\n```\n{"proof_of_work": {"type": "comment"}}\n```')),
      findings: [{ line: 7, column: 1 }],
      fixed: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```'),
      ),
    },
    {
      title: 'Another tag',
      source: chain('Release', step('Test', 'Test it.\n\n~~~~ yml\nproof_of_work:\n  type: comment\n~~~~')),
      findings: [{ line: 7, column: 1 }],
      fixed: chain('Release', step('Test', 'Test it.\n\n~~~~ yaml\nproof_of_work:\n  type: comment\n~~~~')),
    },
    {
      title: 'An example that demands nothing',
      source: chain(
        'Write',
        step(
          'Write',
          'Like this:\n\n````markdown\n```json\n{"proof_of_work": {"type": "comment"}}\n```\n````',
        ),
      ),
      findings: [],
    },
  ],
  fix({ place, args: { language, expected } }, context) {
    const { source } = context;
    const marker = /^(?:`{3,}|~{3,})[ \t]*/.exec(source.slice(place.start.offset));
    if (marker === null) return undefined;
    const [from, to] = fenceAround(source, place.start.offset + marker[0].length);
    if (expected === 'json' && !isUsableJson(source.slice(from, to))) return undefined;
    if (!isLoneDemand(context, place, place.end.offset)) return undefined;
    const start = place.start.offset + marker[0].length;
    return { range: [start, start + String(language).length], replacement: String(expected), safe: false };
  },
});
