import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { restoreLine } from '../../src/ledger/line.ts';
import { runs } from '../support/thorough.ts';
import { SAMPLE, verify } from './support.ts';

/** As stores keep them: the entries, and the seal last. */
const kept = [...SAMPLE.entries, SAMPLE.seal].map((value) => JSON.stringify(value));
const at = fc.nat(kept.length - 1);

it('returns the line of any stored entry, in any order of its keys', () => {
  expect(kept.map(restoreLine)).toEqual(SAMPLE.lines);
  expect(SAMPLE.lines.map(restoreLine)).toEqual(SAMPLE.lines);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(restoreLine(JSON.stringify({ value }))).toBe(canonical({ value }));
    }),
  );
});

it.each([
  ['a repeated key', (text: string) => text.replace('{', '{"v":2,"v":1,')],
  ['a repeated key within', (text: string) => text.replace(/:\{/, ':{"text":"x","text":"y",')],
  ['white space before', (text: string) => ` ${text}`],
  ['a line feed after', (text: string) => `${text}\n`],
  ['an escape', (text: string) => text.replace('run_id', '\\u0072un_id')],
  ['a line feed in a text', (text: string) => text.replace('"run_id":"', '"run_id":"\n')],
])('shows %s in any entry and in the seal', (_, edit) => {
  for (const source of [kept, SAMPLE.lines]) {
    for (const [index, text] of source.entries()) {
      const lines = source.with(index, edit(text)).map(restoreLine);
      expect(lines[index]).not.toContain('\n');
      expect(verify(lines)).toMatchObject({ status: 'broken' });
    }
  }
});

it('never restores what was added to a text, removed from it, or both', () => {
  fc.assert(
    fc.property(
      at,
      fc.nat(10_000),
      fc.nat(3),
      fc.constantFrom('', ' ', '\n', '\t', '\\n', '"', '0', ',"v":1', '\\u0020'),
      (index, place, cut, put) => {
        const text = kept[index] ?? '';
        const from = place % text.length;
        const edited = `${text.slice(0, from)}${put}${text.slice(from + cut)}`;
        fc.pre(edited !== text);
        const { status } = verify(kept.with(index, edited).map(restoreLine));
        expect(status).toBe('broken');
      },
    ),
    { numRuns: runs(500) },
  );
});
