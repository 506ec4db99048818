import { pointerTo, type Violation, violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-120');

/** No secret of this host stands in a proposal. */
export const secretFree: Rule = {
  code: 'K-PROP-120',
  title: 'No secret of this host stands in a proposal',
  check: ({ reading, holdsSecret }) => secrets(reading.value, '', holdsSecret),
};

function secrets(value: unknown, pointer: string, holds: (text: string) => boolean): Violation[] {
  if (typeof value === 'string')
    return holds(value) ? [found(pointer, 'It holds a secret, and proposals are written down.')] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => secrets(item, pointerTo(pointer, key), holds));
}
