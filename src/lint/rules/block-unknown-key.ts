import { problemRule } from '../rule.ts';
import { fenceAround } from './support/blocks.ts';

export const blockUnknownKey = problemRule('block-unknown-key', {
  family: 'block',
  severity: 'error',
  summary: 'A step block contains only known keys.',
  why: 'An unknown key is usually a typo, and its value would be ignored silently: `timeout` instead of `timeout_seconds` is a command without its limit.',
  fixable: 'unsafe',
  fix({ place, args: { key, suggestion } }, { source }) {
    const range: [number, number] = [place.start.offset, place.end.offset];
    const written = source.slice(...range);
    const quote = /^["']/.exec(written)?.[0] ?? '';
    const [start, end] = fenceAround(source, range[0]);
    // Two keys of one name would be worse.
    if (new RegExp(`\\b${suggestion}["']?\\s*:`).test(source.slice(start, end))) return undefined;
    if (suggestion === undefined || written !== `${quote}${key}${quote}`) return undefined;
    return { range, replacement: `${quote}${suggestion}${quote}`, safe: false };
  },
});
