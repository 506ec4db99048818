import { problemRule } from '../rule.ts';
import { fenceAround, isLoneDemand, isUsableJson } from './support/blocks.ts';

export const blockWrongLanguage = problemRule('block-wrong-language', {
  family: 'block',
  severity: 'error',
  summary: 'The fence of a step block is tagged `json` or `yaml`.',
  why: 'The tag distinguishes a demand from an example. Under another tag the block would be shown as text, and the step would demand nothing.',
  fixable: 'unsafe',
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
