import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import type { LedgerEntry } from '../../src/ledger/entry.ts';
import { runs } from '../support/thorough.ts';
import { errorsOf, flips, OTHER, type Run, rehashed, runArbitrary, verify } from './support.ts';

/** What a forger without the key does to the lines, given two numbers to choose by. */
type Tampering = (lines: string[], run: Run, a: number, b: number) => string[];

const TAMPERINGS: Record<string, Tampering> = {
  edit: (lines, _, a, b) => {
    const at = a % lines.length;
    const all = flips(parsed(lines[at]));
    const flip = all[b % Math.max(1, all.length)];
    return flip === undefined ? lines : lines.with(at, JSON.stringify(flip.flipped));
  },
  rehash: (lines, _, a, b) => {
    const at = a % lines.length;
    const entry = parsed(lines[at]) as unknown as LedgerEntry | null;
    if (entry?.kind === undefined || typeof entry.data !== 'object' || entry.data === null) return lines;
    return lines.with(
      at,
      canonicalOr(lines[at], () => rehashed(entry, { data: { ...entry.data, extra: b } })),
    );
  },
  remove: (lines, _, a) => (lines.length < 2 ? lines : lines.toSpliced(a % lines.length, 1)),
  cut: (lines, _, a) => lines.slice(0, Math.max(1, a % lines.length)),
  swap: (lines, _, a, b) => {
    const [x, y] = [a % lines.length, b % lines.length];
    return lines.with(x, lines[y] ?? '').with(y, lines[x] ?? '');
  },
  double: (lines, _, a, b) => lines.toSpliced(b % (lines.length + 1), 0, lines[a % lines.length] ?? ''),
  insert: (lines, _, a, b) =>
    lines.toSpliced(b % (lines.length + 1), 0, OTHER.lines[a % OTHER.lines.length] ?? ''),
  junk: (lines, _, a, b) => lines.toSpliced(b % (lines.length + 1), 0, ['', '{}', 'x', '[1]'][a % 4] ?? ''),
  byte: (lines, _, a, b) => {
    const at = a % lines.length;
    const text = lines[at] ?? '';
    const place = b % Math.max(1, text.length);
    return lines.with(at, `${text.slice(0, place)} ${text.slice(place)}`);
  },
  seq: (lines, _, a, b) => {
    const at = a % lines.length;
    const entry = parsed(lines[at]);
    return entry?.seq === undefined
      ? lines
      : lines.with(
          at,
          canonicalOr(lines[at], () => ({ ...entry, seq: b })),
        );
  },
};

const tampering = fc.tuple(fc.constantFrom(...Object.values(TAMPERINGS)), fc.nat(10_000), fc.nat(10_000));

test('a run is whole as sealed, with any texts in it', () => {
  fc.assert(
    fc.property(runArbitrary, (run) => {
      expect(verify(run.lines)).toMatchObject({ status: 'whole', entries: run.entries.length, findings: [] });
    }),
    { numRuns: runs(100) },
  );
});

test('the lines of a sealed run are never whole again after any change', () => {
  fc.assert(
    fc.property(runArbitrary, fc.array(tampering, { minLength: 1, maxLength: 5 }), (run, tamperings) => {
      const lines = tamperings.reduce((text, [tamper, a, b]) => tamper(text, run, a, b), run.lines);
      fc.pre(lines.join('\n') !== run.lines.join('\n'));
      const { status, findings } = verify(lines);
      // Without the seal a forger can chain anew what is left; such a ledger is unsealed at best.
      if (lines.includes(run.lines.at(-1) ?? '')) expect(status).toBe('broken');
      else expect(status).not.toBe('whole');
      if (status === 'broken') expect(findings.length).toBeGreaterThan(0);
    }),
    { numRuns: runs(400) },
  );
});

test('parallel edits, rewritings, removals and copies are each reported once, with the right number', () => {
  const change = fc.constantFrom('keep', 'keep', 'keep', 'edit', 'rehash', 'remove', 'copy');
  fc.assert(
    fc.property(
      runArbitrary,
      fc.array(change, { minLength: 30, maxLength: 30 }),
      fc.nat(),
      (run, changes, pick) => {
        const expected: [string, number][] = [];
        const lines = run.entries.flatMap((entry, index) => {
          const text = run.lines[index] ?? '';
          // Neighbours are left alone: an entry is vouched for by the one after it.
          const alone = index % 2 === 1 && index < run.entries.length - 1;
          switch (alone ? changes[index % 30] : 'keep') {
            case 'edit': {
              const all = flips(entry);
              expected.push(['edit', index]);
              return [canonical(all[pick % all.length]?.flipped)];
            }
            case 'rehash':
              expected.push(['rewritten', index]);
              return [canonical(rehashed(entry, { data: { ...entry.data, extra: pick } }))];
            case 'remove':
              expected.push(['missing', index]);
              return [];
            case 'copy':
              expected.push(['duplicate', index]);
              return [text, text];
            default:
              return [text];
          }
        });
        const found = errorsOf(verify([...lines, run.lines.at(-1) ?? '']));
        expect(found.map(([code, entry]) => [/edited|malformed/.test(code) ? 'edit' : code, entry])).toEqual(
          expected,
        );
      },
    ),
    { numRuns: runs(200) },
  );
});

test('any order of the lines is put together again, and no entry is missed', () => {
  const shuffled = runArbitrary.chain((run) =>
    fc
      .shuffledSubarray(run.lines, { minLength: run.lines.length, maxLength: run.lines.length })
      .map((lines) => ({ run, lines })),
  );
  fc.assert(
    fc.property(shuffled, ({ run, lines }) => {
      const verification = verify(lines);
      expect(verification.entries).toBe(run.entries.length);
      expect(verification.head).toBe(run.seal.seal.head);
      for (const [code] of errorsOf(verification)) expect(code).toMatch(/^(moved|seal-moved)$/);
      expect(verification.status === 'whole').toBe(lines.join('\n') === run.lines.join('\n'));
    }),
    { numRuns: runs(150) },
  );
});

test('no text at all makes verifying throw', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('{"seal":{}}'));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (lines) => {
      expect(['broken', 'unsealed']).toContain(verify(lines).status);
    }),
    { numRuns: runs(300) },
  );
});

function parsed(text: string | undefined): Record<string, unknown> | null {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

function canonicalOr(fallback: string | undefined, make: () => unknown): string {
  try {
    return canonical(make());
  } catch {
    return fallback ?? '';
  }
}
