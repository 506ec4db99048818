import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isExact, keptNumber } from '../../src/base/json.ts';
import { decideProposal } from '../../src/gate/decide.ts';
import { readJsonStrictly } from '../../src/gate/json/read.ts';
import { packetOf } from '../../src/gate/receipt.ts';
import { caseOf, example, proof } from './support/case.ts';

/** What reading makes another number of. */
const LOST = [
  '1e-400',
  '-1e-400',
  '1e400',
  '9007199254740993',
  '9007199254740993.0',
  '9007199254740991.4',
  '1.00000000000000000001',
  '1.0000000000000001',
  '0.30000000000000001665',
  '4e-324',
  `1.${'0'.repeat(200)}1`,
];

const KEPT: [string, number][] = [
  ['0', 0],
  ['-0.0e7', -0],
  ['0e-400', 0],
  ['1.10', 1.1],
  ['100e-2', 1],
  ['0.1', 0.1],
  ['0.10000000000000001', 0.1],
  ['0.1000000000000000055511151231257827', 0.1],
  ['9007199254740991', 9007199254740991],
  ['5e-324', 5e-324],
  [`1.${'0'.repeat(200)}`, 1],
];

describe('a number in a text', () => {
  it.each(LOST)('is refused where a double cannot represent it: %.30s', (literal) => {
    expect(keptNumber(literal)).toBeNull();
    expect(readJsonStrictly(`{"n": ${literal}}`).violations).toMatchObject([
      { code: 'K-PROP-104', pointer: '/n' },
    ]);
  });

  it.each(KEPT)('is read where it is what its double is written as: %.30s', (literal, value) => {
    expect(keptNumber(literal)).toBe(value);
  });

  it('is read however many digits a program writes a double with', () => {
    // JavaScript writes -0 as 0.
    const double = fc.double({ noDefaultInfinity: true, noNaN: true }).filter(isExact);
    const digits = fc.oneof(fc.constant(null), fc.integer({ min: 17, max: 100 }));
    fc.assert(
      fc.property(double, digits, (value, count) => {
        const literal = count === null ? JSON.stringify(value) : value.toPrecision(count);
        expect(keptNumber(literal)).toBe(value + 0);
      }),
    );
  });

  it('is never read as equal to another one that is written with no more digits', () => {
    const literal = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 25n }), fc.integer({ min: -30, max: 0 }))
      .map(([digits, power]) => ({ digits, power, text: `${digits}e${power}` }));
    fc.assert(
      fc.property(literal, fc.integer({ min: 1, max: 3 }), ({ digits, power, text }, step) => {
        const other = `${digits + BigInt(step)}e${power}`;
        const [one, two] = [keptNumber(text), keptNumber(other)];
        expect(one !== null && two !== null && one === two).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a precondition', () => {
  const decide = (packet: unknown, field: string, value: number) =>
    decideProposal(
      caseOf({
        submitted: {
          ...example(),
          preconditions: [{ field, operator: 'eq', value, evidence_ref: 'step:1' }],
        },
        template: { rollback_semantics: { strategy: 'manual' } },
        evidence: [proof({ packet })],
      }),
    ).decision;
  const shell = (stdout: string) => packetOf('shell', { exit_code: 0, stdout });
  const tool = (text: string) =>
    packetOf('mcp', { result_json: JSON.stringify({ content: [{ type: 'text', text }] }) });

  it.each(LOST)('is not met by a number that was not written: %.30s', (literal) => {
    const read = Number(literal);
    const value = isExact(read) ? read : 0;
    expect(decide(shell(`{"n":${literal}}`), '/stdout_json/n', value)).toBe('DENY');
    expect(decide(tool(`{"n":${literal}}`), '/n', value)).toBe('DENY');
  });

  it('is met by one that was', () => {
    expect(decide(shell('{"n":0.10}'), '/stdout_json/n', 0.1)).toBe('ALLOW');
    expect(decide(tool('{"n":0.10}'), '/n', 0.1)).toBe('ALLOW');
  });

  it('finds nothing in the text of a tool with a duplicate key', () => {
    expect(decide(tool('{"n":1,"n":2}'), '/n', 2)).toBe('DENY');
  });
});
