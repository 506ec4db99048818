import { problemRule } from '../rule.ts';
import { blockAround } from './support/blocks.ts';

export const legacyMissingType = problemRule('legacy-missing-type', {
  family: 'block',
  severity: 'warning',
  summary: 'A proof names its type.',
  why: 'With one object next to it, kairos guesses the type. A reader must guess too, and with a second object a guess is impossible.',
  fixable: 'safe',
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
