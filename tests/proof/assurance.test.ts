import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ASSURANCE_ORDER, countAssurances, meets } from '../../src/proof/demand.ts';

const assurance = fc.constantFrom(...ASSURANCE_ORDER);

test('the order is that of SPEC 4', () => {
  expect(ASSURANCE_ORDER).toEqual(['claimed', 'client', 'observed', 'attested']);
});

test('meets is a total order', () => {
  fc.assert(
    fc.property(assurance, assurance, assurance, (a, b, c) => {
      expect(meets(a, a)).toBe(true);
      expect(meets(a, b) || meets(b, a)).toBe(true);
      if (meets(a, b) && meets(b, a)) expect(a).toBe(b);
      if (meets(a, b) && meets(b, c)) expect(meets(a, c)).toBe(true);
    }),
  );
  expect(meets('client', 'observed')).toBe(false);
  expect(meets('attested', 'claimed')).toBe(true);
});

test('counts add up', () => {
  expect(
    countAssurances([{ assurance: 'client' }, { assurance: 'claimed' }, { assurance: 'client' }]),
  ).toEqual({ observed: 0, attested: 0, client: 2, claimed: 1 });
});
