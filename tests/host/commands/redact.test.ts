import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRedactor, type Redactor } from '../../../src/host/secrets/redact.ts';
import { runs } from '../../support/thorough.ts';
import { BASIC_SAMPLES, TOKEN_SAMPLES } from './token-samples.ts';

const none = makeRedactor({});

describe('values of secret-named variables', () => {
  const redactor = makeRedactor({
    API_TOKEN: 'hunter2!/x y',
    DB_PASSWORD: 'short',
    HOME: '/home/someone',
    DATABASE_URL: 'postgres://app:s3cr%21t-pw@db.example/app',
    GIT_AUTHOR_NAME: 'Somebody Long',
    SIGNING_KEY: 'line one of the key\n  line two of the key\n',
  });

  it.each([
    ['as it is', 'got hunter2!/x y.', 'got [redacted:API_TOKEN].'],
    ['twice', 'hunter2!/x yhunter2!/x y', '[redacted:API_TOKEN][redacted:API_TOKEN]'],
    ['URL-encoded', 'q=hunter2!%2Fx%20y&', 'q=[redacted:API_TOKEN]&'],
    ['URL-encoded strictly', 'q=hunter2%21%2Fx%20y&', 'q=[redacted:API_TOKEN]&'],
    ['URL-encoded in lower case', 'q=hunter2!%2fx%20y&', 'q=[redacted:API_TOKEN]&'],
    ['as a form value', 'q=hunter2!%2Fx+y&', 'q=[redacted:API_TOKEN]&'],
    ['in base64', 'aHVudGVyMiEveCB5', '[redacted:API_TOKEN]'],
    ['password of a URL', 'pw is s3cr!t-pw', 'pw is [redacted:DATABASE_URL]'],
    ['password of a URL, encoded', 'pw is s3cr%21t-pw', 'pw is [redacted:DATABASE_URL]'],
    ['a line of it', '> line two of the key <', '> [redacted:SIGNING_KEY] <'],
    ['as a JSON string', '"line one of the key\\n  line two of the key\\n"', '"[redacted:SIGNING_KEY]"'],
    ['too short to be told from a word', 'a short text', 'a short text'],
    ['not a secret', '/home/someone by Somebody Long', '/home/someone by Somebody Long'],
  ])('%s', (_name, text, expected) => {
    expect(redactor.redact(text)).toBe(expected);
  });

  it('finds a value inside longer base64, at any alignment', () => {
    for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
      const encoded = Buffer.from(`${before}hunter2!/x y and more`).toString('base64');
      expect(redactor.redact(encoded)).toContain('[redacted:API_TOKEN]');
    }
  });

  it('joins overlapping secrets', () => {
    const overlapping = makeRedactor({ A_KEY: 'abcdefgh', B_KEY: 'fghijklm', C_KEY: 'abcdef' });
    expect(overlapping.redact('-abcdefghijklm-')).toBe('-[redacted:A_KEY]-');
    expect(makeRedactor({ A_KEY: 'xxxxxx' }).redact(`-${'x'.repeat(13)}-`)).toBe('-[redacted:A_KEY]-');
  });

  it('leaves nothing of a token that contains a value', () => {
    const token = `ghp_${'a'.repeat(10)}B1B1B1${'a'.repeat(30)}`;
    expect(makeRedactor({ SOME_KEY: 'B1B1B1' }).redact(`<${token}>`)).toBe('<[redacted:github-token]>');
  });
});

describe('tokens of well-known shapes', () => {
  it.each(TOKEN_SAMPLES)('%s: %.24s', (name, token) => {
    expect(none.redact(token)).toBe(`[redacted:${name}]`);
    expect(none.redact(`x${token} y`)).toBe(`x[redacted:${name}] y`);
  });

  it.each(BASIC_SAMPLES)('%j', (text, expected) => {
    expect(none.redact(text)).toBe(expected);
    expect(none.redact(expected)).toBe(expected);
  });

  it.each([
    'npm_config_cache=/tmp',
    'the bearer of bad news',
    'authorization: none',
    'https://example.org:8080/path@2',
    'sk-learn and eyJ and AKIA',
    'ssh://git@github.com/x/y',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
  ])('leaves %j alone', (text) => {
    expect(none.redact(text)).toBe(text);
  });
});

describe('any text, cut in any way', () => {
  const values = { MY_SECRET: 'tr0ub4dor&3', OTHER_TOKEN: 'abcabcabd', LONG_KEY: 'abcabcabcabd-abcabcabd' };
  const redactor = makeRedactor(values);
  const tokens = [
    ...TOKEN_SAMPLES.map(([, token]) => token),
    ...BASIC_SAMPLES.map(([text]) => text),
    ...Object.values(values),
  ];
  const token = fc.constantFrom(...tokens);
  const noise = fc.oneof(
    fc.string(),
    fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'd', '-', '\n', ' ', 'eyJ', '://', ':', '@', '.', '='),
    }),
    token.chain((text) => fc.nat(text.length).map((length) => text.slice(0, length))),
    token.chain((text) => fc.nat(text.length).map((start) => text.slice(start))),
    token,
  );
  const document = fc.array(noise, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const cuts = fc.array(fc.nat(400), { maxLength: 12 });

  it('comes out of the stream as it comes out whole', () => {
    fc.assert(
      fc.property(document, cuts, (text, places) => {
        expect(inPieces(redactor, text, places)).toBe(redactor.redact(text));
      }),
      { numRuns: runs(500) },
    );
  });

  it('comes out of the stream as it comes out whole, one character at a time', () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(
          inPieces(
            redactor,
            text,
            [...text].map((_, i) => i),
          ),
        ).toBe(redactor.redact(text));
      }),
      { numRuns: runs(100) },
    );
  });

  it('never lets a secret value through', () => {
    const value = fc.string({ minLength: 6, maxLength: 30 }).filter((text) => text.trim().length >= 6);
    fc.assert(
      fc.property(value, noise, noise, cuts, (secret, before, after, places) => {
        const text = before + secret + after;
        expect(inPieces(makeRedactor({ THE_SECRET: secret }), text, places)).not.toContain(secret);
      }),
      { numRuns: runs(300) },
    );
  });

  it('never lets a token through', () => {
    const sample = fc.constantFrom(...TOKEN_SAMPLES.map(([, text]) => text));
    fc.assert(
      fc.property(sample, noise, noise, cuts, (secret, before, after, places) => {
        expect(inPieces(redactor, before + secret + after, places)).not.toContain(secret);
      }),
      { numRuns: runs(300) },
    );
  });

  it('replaces each stretch of a secret that repeats, and nothing else', () => {
    const letters = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });
    fc.assert(
      fc.property(letters(6, 9), letters(0, 60), cuts, (secret, text, places) => {
        let [expected, end] = ['', 0];
        for (let at = 0; at <= text.length; at += 1) {
          if (text.startsWith(secret, at)) {
            if (at >= end) expected += '[redacted:S]';
            end = at + secret.length;
          } else if (at >= end) expected += text.charAt(at);
        }
        const { learn, redact, stream } = makeRedactor({});
        learn({ S: secret });
        expect([redact(text), inPieces({ learn, redact, stream }, text, places)]).toEqual([
          expected,
          expected,
        ]);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['ends at every character', 'a'.repeat(100_000), '[redacted:S]'],
    ['never ends', `${'a'.repeat(100_000)}b`, null],
    ['begins otherwise', `b${'a'.repeat(100_000)}`, null],
  ])('reads a long output once for a long secret: it %s', (_, secret, expected) => {
    const text = 'a'.repeat(1_000_000);
    const each = makeRedactor({ A_KEY: secret });
    each.learn({ S: secret });
    const places = Array.from({ length: 15 }, (_unused, at) => (at + 1) * 65_536);
    for (const shown of [each.redact(text), inPieces(each, text, places)])
      expect(shown.replace('A_KEY', 'S') === (expected ?? text)).toBe(true);
  });

  it('delays no more than it must', () => {
    const stream = redactor.stream();
    expect(stream.push('Continue? ')).toBe('Continue? ');
    expect(stream.push('....')).toBe('....');
    expect(stream.push('tr0ub')).toBe('');
    expect(stream.push('adour ghp_')).toBe('tr0ubadour ');
    expect(stream.push('a'.repeat(36))).toBe('[redacted:github-token]');
    expect(stream.push('a'.repeat(100_000))).toBe('');
    expect(stream.push('! abc')).toBe('! ');
    expect(stream.end()).toBe('abc');
  });
});

function inPieces(redactor: Redactor, text: string, places: number[]): string {
  const stream = redactor.stream();
  const at = [0, ...places.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
  let out = '';
  for (let i = 1; i < at.length; i += 1) out += stream.push(text.slice(at[i - 1], at[i]));
  return out + stream.end();
}
