import { problemRule } from '../problem-rule.ts';
import { blockAround } from './support/blocks.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** Proofs without a type. */
export const legacyMissingType = problemRule('legacy-missing-type', {
  family: 'block',
  severity: 'warning',
  summary: 'A proof names its type.',
  why: 'With one object next to it, kairos guesses the type. A reader must guess too, and with a second object a guess is impossible.',
  fixable: 'safe',
  examples: () => [
    {
      title: 'Only an object',
      source: chain('Release', step('Test', 'Test it.', { proof_of_work: { comment: { min_length: 40 } } })),
      findings: [{ line: 8, column: 19 }],
      fixed: chain('Release', step('Test', 'Test it.', commentBlock(40))),
    },
    {
      title: 'Over several lines',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{\n  "proof_of_work": {\n    "comment": {}\n  }\n}\n```'),
      ),
      findings: [{ line: 9, column: 20 }],
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```json\n{\n  "proof_of_work": {\n    "type": "comment",\n    "comment": {}\n  }\n}\n```',
        ),
      ),
    },
    {
      title: 'In YAML',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```yaml\nproof_of_work:\n  comment:\n    min_length: 40\n```'),
      ),
      findings: [{ line: 9, column: 3 }],
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n  comment:\n    min_length: 40\n```',
        ),
      ),
    },
    {
      title: 'With its type',
      source: chain('Release', step('Test', 'Test it.', commentBlock(40))),
      findings: [],
    },
  ],
  fix({ place, args: { type } }, context) {
    const { source } = context;
    if (blockAround(context, place) === null) return undefined;
    const { offset: start, column } = place.start;
    if (source[start] === '{') {
      // What parts the bracket from the first key parts the new key from it, too.
      const gap = /^\s*/.exec(source.slice(start + 1))![0];
      const isJson = source[start + 1 + gap.length] === '"';
      const member = isJson ? `"type": "${type}"` : `type: ${type}`;
      const after = gap === '' ? ' ' : gap;
      return {
        range: [start + 1, start + 1 + gap.length],
        replacement: `${gap}${member},${after}`,
        safe: true,
      };
    }
    const indent = source.slice(start - column + 1, start);
    if (indent.trim() !== '') return undefined;
    return { range: [start, start], replacement: `type: ${type}\n${indent}`, safe: true };
  },
});
