import { problemRule } from '../rule.ts';
import { isLoneDemand, isUsableJson } from './support/blocks.ts';

export const blockUnfenced = problemRule('block-unfenced', {
  family: 'block',
  severity: 'error',
  summary: 'A step block is in a code fence.',
  why: 'Without a fence it is text: agents and users see it, but nothing is demanded.',
  fixable: 'unsafe',
  fix({ place }, context) {
    const { source } = context;
    const { offset: start, column } = place.start;
    const end = column === 1 ? endOfObject(source, start) : null;
    if (end === null || !isLoneDemand(context, place, end)) return undefined;
    if (!/^[ \t]*(?:(?:\r\n|\r|\n)[ \t]*(?:[\r\n]|$)|$)/.test(source.slice(end))) return undefined;
    const gap = '\n';
    const replacement = [`\`\`\`json`, source.slice(start, end), '```'].join(gap);
    return { range: [start, end], replacement, safe: false };
  },
});

const MAX_LINES = 200;

/** The end of a line at which a JSON object is complete; null without one. */
function endOfObject(source: string, start: number): number | null {
  let end = start;
  for (let line = 0; line < MAX_LINES && end < source.length; line += 1) {
    const next = /\r\n|\r|\n|$/.exec(source.slice(end))!;
    const lineEnd = end + next.index;
    if (source[lineEnd - 1] === '}' && isUsableJson(source.slice(start, lineEnd))) return lineEnd;
    end = lineEnd + Math.max(next[0].length, 1);
  }
  return null;
}
