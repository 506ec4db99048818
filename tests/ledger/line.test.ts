import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { isCanonical, isIntact, readLine, splitLines, toJsonl } from '../../src/ledger/line.ts';
import { runs } from '../support/thorough.ts';
import { runArbitrary, SAMPLE } from './support.ts';

const entry = SAMPLE.entries[2];
const text = SAMPLE.lines[2] ?? '';

function faultOf(line: string): string | undefined {
  return readLine(line, 1).fault?.detail;
}

function withField(name: string, value: unknown): string {
  return canonical({ ...entry, [name]: value });
}

describe('readLine', () => {
  test('reads an entry', () => {
    expect(readLine(text, 3)).toEqual({
      line: 3,
      text,
      kind: 'entry',
      value: entry,
      runId: entry?.run_id,
      seq: 2,
      prev: entry?.prev,
      hash: entry?.hash,
      computed: entry?.hash,
      fault: null,
    });
    expect(isIntact(readLine(text, 3))).toBe(true);
    expect(readLine(SAMPLE.lines.at(-1) ?? '', 9)).toMatchObject({
      kind: 'seal',
      value: SAMPLE.seal,
      fault: null,
    });
    expect(readLine('  ', 1)).toMatchObject({ kind: 'blank', fault: null });
  });

  test.each([
    ['v', 2, 'has another v than 1'],
    ['run_id', 7, 'has no usable run_id'],
    ['run_id', '', 'has no usable run_id'],
    ['seq', -1, 'has a seq that is not a whole number'],
    ['seq', 1.5, 'has a seq that is not a whole number'],
    ['seq', 2 ** 53, 'has a seq that is not a whole number'],
    ['prev', 'F'.repeat(64), 'has a prev that is not a hash'],
    ['hash', 'abc', 'has a hash that is not a hash'],
    ['at', '2026-01-02T03:04:05Z', 'has an at that is not an RFC 3339 UTC time with milliseconds'],
    ['at', '2026-02-30T03:04:05.000Z', 'has an at that is not an RFC 3339 UTC time with milliseconds'],
    ['at', '2026-01-02T03:04:05.000+00:00', 'has an at that is not an RFC 3339 UTC time with milliseconds'],
    ['kind', null, 'has no usable kind'],
    ['data', [], 'has data that is not an object'],
    ['data', null, 'has data that is not an object'],
    ['data', { a: { b: [0.5] } }, 'contains a number that is not an integer within 2^53'],
    ['data', { a: 2 ** 53 }, 'contains a number that is not an integer within 2^53'],
    ['data', { a: ['x\x7f'] }, 'contains DEL or a lone surrogate'],
    ['data', { é: 1 }, 'contains a key that is not printable ASCII'],
    ['extra', 1, 'has a key that entries do not have'],
  ])('%s = %j %s', (name, value, detail) => {
    expect(faultOf(withField(name, value))).toBe(detail);
  });

  test('names a missing field', () => {
    for (const name of Object.keys(entry ?? {})) {
      const { [name as 'data']: _, ...rest } = entry ?? {};
      expect(faultOf(canonical(rest))).toBe(`has no ${name}`);
    }
  });

  test.each([
    ['not JSON', '{"v":1', 'is not JSON'],
    ['a byte order mark', `\ufeff${text}`, 'is not JSON'],
    ['a list', '[]', 'is not a JSON object'],
    ['nesting without end', `{"data":${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 'is nested too deeply'],
    [
      'a lone surrogate',
      text.replace('"claimed"', '"\\ud800"').replace('"observed"', '"\\ud800"'),
      'contains DEL or a lone surrogate',
    ],
  ])('%s', (_, line, detail) => {
    expect(faultOf(line)).toBe(detail);
  });

  test('reports bytes that mean the same', () => {
    const spellings = [
      ` ${text}`,
      `${text}\r`,
      text.replace('"v":1', '"v":1.0'),
      text.replace('"v":1', '"v":1,"v":1'),
      text.replace('"kind"', '"\\u006bind"'),
      JSON.stringify(entry),
      text.replace('"station":0', '"station":-0'),
    ];
    for (const spelling of spellings) {
      const { fault, value } = readLine(spelling, 1);
      expect([spelling, canonical(value), fault?.code]).toEqual([spelling, text, 'not-canonical']);
    }
  });

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.json(),
          fc.json().map((json) => `{"seal":${json}}`),
        ),
        (line) => {
          expect(readLine(line, 1).line).toBe(1);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('isCanonical', () => {
  test('accepts exactly one text of a value', () => {
    const spaced = fc.constantFrom(0, 0, 1, 2);
    fc.assert(
      fc.property(fc.jsonValue(), spaced, (value, space) => {
        for (const json of [JSON.stringify(value, null, space), canonical(value)]) {
          expect(isCanonical(json, JSON.parse(json))).toBe(json === canonical(value));
        }
      }),
      { numRuns: runs(400) },
    );
  });

  test('keys like numbers are sorted as texts, and lone surrogates have no canonical text', () => {
    expect(isCanonical('{"10":1,"9":2}', JSON.parse('{"10":1,"9":2}'))).toBe(true);
    expect(isCanonical('{"9":2,"10":1}', JSON.parse('{"9":2,"10":1}'))).toBe(false);
    expect(isCanonical('"\\ud800"', '\ud800')).toBe(false);
    expect(isCanonical(JSON.stringify('\\ud800'), '\\ud800')).toBe(true);
    expect(isCanonical(JSON.stringify('\\\\ud800'), '\\\\ud800')).toBe(true);
  });
});

describe('export', () => {
  test('reading the export returns every entry and the seal, without a fault', () => {
    fc.assert(
      fc.property(runArbitrary, ({ entries, seal, lines }) => {
        const jsonl = toJsonl(entries, seal);
        expect(splitLines(jsonl)).toEqual(lines);
        const read = lines.map((line, at) => readLine(line, at + 1));
        expect(read.map(({ value }) => value)).toEqual([...entries, seal]);
        expect(read.every(({ fault }) => fault === null)).toBe(true);
      }),
      { numRuns: runs(50) },
    );
  });

  test('an open run has no last line, and no entries give no lines', () => {
    expect(splitLines(toJsonl(SAMPLE.entries, null))).toEqual(SAMPLE.lines.slice(0, -1));
    expect(toJsonl([], null)).toBe('');
    expect(splitLines('')).toEqual([]);
    expect(splitLines('a\n\nb')).toEqual(['a', '', 'b']);
  });

  test('an entry that was changed to a non-canonical text is exported all the same, and found', () => {
    const broken = { ...SAMPLE.entries[0], kind: '\ud800' } as unknown as (typeof SAMPLE.entries)[0];
    const [line] = splitLines(toJsonl([broken], null));
    expect(readLine(line!, 1).fault).toEqual({ code: 'malformed', detail: 'has no usable kind' });
  });
});
