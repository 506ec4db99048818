import { describe, expect, test } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { casesOf, THOROUGH } from '../support/thorough.ts';
import { errorsOf, flips, OTHER, SAMPLE, verify } from './support.ts';

const { lines, entries } = SAMPLE;
const last = entries.length - 1;
const sealLine = lines.length;

test('the untouched ledger passes', () => {
  expect(verify(lines)).toMatchObject({ status: 'whole', entries: entries.length, findings: [] });
});

describe('one change each', () => {
  test('every leaf of every entry flipped is one finding, at that entry', () => {
    entries.forEach((entry, index) => {
      for (const { path, flipped } of casesOf(flips(entry))) {
        const verification = verify(lines.with(index, JSON.stringify(sorted(flipped))));
        expect(verification.status).toBe('broken');
        const [[code, number, line] = [], ...others] = errorsOf(verification);
        expect({ path, code, number, line, others }).toEqual({
          path,
          code: expect.stringMatching(/^(edited|malformed)$/),
          number: index,
          line: index + 1,
          others: [],
        });
      }
    });
  });

  test('every leaf of the seal flipped is found, at the seal', () => {
    for (const { path, flipped } of flips(SAMPLE.seal)) {
      const errors = errorsOf(verify(lines.with(last + 1, JSON.stringify(sorted(flipped)))));
      expect({ path, errors }).toEqual({ path, errors: [['seal-invalid', null, sealLine]] });
    }
  });

  test('every byte of every line changed, doubled or dropped is found', () => {
    lines.forEach((text, index) => {
      const bytes = Array.from(text);
      for (let at = 0; at < bytes.length; at += THOROUGH ? 23 : 115) {
        for (const byte of [' ', `${bytes[at]}${bytes[at]}`, '', '"']) {
          if (byte === bytes[at]) continue;
          const verification = verify(lines.with(index, bytes.with(at, byte).join('')));
          expect(verification.status).toBe('broken');
          const touched = verification.findings.some(
            ({ entry, line }) => line === index + 1 || entry === index,
          );
          expect({ index, at, byte, touched }).toEqual({ index, at, byte, touched: true });
        }
      }
    });
  });

  test('every line removed is one missing entry', () => {
    entries.forEach((_, index) => {
      const errors = errorsOf(verify(lines.toSpliced(index, 1)));
      expect(errors).toEqual([[index === last ? 'truncated' : 'missing', index, null]]);
    });
    expect(errorsOf(verify(lines.toSpliced(last + 1, 1)))).toEqual([['seal-missing', null, null]]);
  });

  test('every two lines swapped are found out of order, and no others', () => {
    for (let a = 0; a < lines.length; a += 1) {
      for (let b = a + 1; b < lines.length; b += 1) {
        const swapped = lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '');
        const errors = errorsOf(verify(swapped));
        const places = (at: number) => [
          at === last + 1 ? 'seal-moved' : 'moved',
          at === last + 1 ? null : at,
        ];
        const expected = [
          [...places(a), b + 1],
          [...places(b), a + 1],
        ].filter((place) => place.length > 0);
        // Of two neighbours one has moved; which one nobody can say.
        if (b === a + 1) expect([[expected[0]], [expected[1]]]).toContainEqual(errors);
        else expect(errors.toSorted(byLine)).toEqual(expected.toSorted(byLine));
      }
    }
  });

  test('every line moved to every other place is one finding', () => {
    entries.forEach((_, from) => {
      for (let to = 0; to <= last; to += 1) {
        if (Math.abs(to - from) < 2) continue;
        const errors = errorsOf(verify(lines.toSpliced(from, 1).toSpliced(to, 0, lines[from] ?? '')));
        expect(errors).toEqual([['moved', from, to + 1]]);
      }
    });
  });

  test('every line doubled anywhere is one finding, at the copy', () => {
    entries.forEach((_, from) => {
      for (let to = 0; to <= lines.length; to += 1) {
        const errors = errorsOf(verify(lines.toSpliced(to, 0, lines[from] ?? '')));
        // Which of two equal neighbours is the copy nobody can say.
        const copy = to === from || to === from + 1 ? errors[0]?.[2] : to + 1;
        expect({ from, to, errors }).toEqual({ from, to, errors: [['duplicate', from, copy]] });
      }
    });
    expect(errorsOf(verify([...lines, lines[last + 1] ?? '']))).toEqual([['seal-extra', null, sealLine + 1]]);
  });

  test('every tail cut off is found, with the numbers that are missing', () => {
    for (let count = 1; count <= last; count += 1) {
      const withSeal = [...lines.slice(0, count), lines[last + 1] ?? ''];
      expect(verify(withSeal)).toMatchObject({
        status: 'broken',
        findings: [{ code: 'truncated', entry: count, ...(count === last ? {} : { last }) }],
      });
      // Without the seal nothing in the file says how long it was: that is what `unsealed` means.
      expect(verify(lines.slice(0, count))).toMatchObject({ status: 'unsealed', findings: [] });
    }
  });

  test('a line of another run put in anywhere is found there', () => {
    OTHER.entries.forEach((_, from) => {
      for (let to = 0; to <= lines.length; to += 1) {
        const errors = errorsOf(verify(lines.toSpliced(to, 0, OTHER.lines[from] ?? '')));
        expect({ to, errors }).toEqual({ to, errors: [['other-run', null, to + 1]] });
      }
    });
  });

  test('junk put in anywhere is found there', () => {
    for (const junk of ['{}', 'x', '[]', '{"kind":"proof.accepted"}']) {
      for (let to = 0; to <= last; to += 1) {
        const errors = errorsOf(verify(lines.toSpliced(to, 0, junk)));
        expect(errors).toEqual([[junk.startsWith('{') ? 'inserted' : 'unreadable', null, to + 1]]);
      }
    }
    for (let to = 0; to <= lines.length; to += 1) {
      expect(errorsOf(verify(lines.toSpliced(to, 0, '')))).toEqual([['blank-line', null, to + 1]]);
    }
  });
});

function byLine(a: unknown[], b: unknown[]): number {
  return Number(a[2]) - Number(b[2]);
}

function sorted(value: unknown): unknown {
  return JSON.parse(canonical(value));
}
