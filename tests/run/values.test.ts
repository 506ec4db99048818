import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRedactor } from '../../src/host/secrets/redact.ts';
import { type RedactAlso, redactExactly, secretsAmong, valueFault, without } from '../../src/run/inputs.ts';

const SECRETS = { DEPLOY_TOKEN: 'lb1.example', DB_URL: 'https://u:hunter2pw@h/' };
const redactor: RedactAlso = (secrets) => {
  const all = makeRedactor(SECRETS);
  all.learn(secrets);
  return (text) => all.redact(text);
};

describe('secretsAmong', () => {
  const piece = fc.constantFrom(
    ...['lb1.example', 'hunter2pw', `ghp_${'aB3'.repeat(12)}`, 'correct-horse', '[redacted:X]'],
    ...['host', 'production', '"', '\\', '\n', ' ', '0'],
  );
  const value = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  // One of the values, as it is, written as JSON, or in base64: redacted only when that one is a secret.
  const values = fc
    .tuple(value, value, value, fc.constantFrom('', 'json', 'base64'))
    .map(([a, b, c, form]) => ({
      A: a,
      B: b,
      C: c,
      D: form === 'json' ? JSON.stringify(a) : form === 'base64' ? Buffer.from(a).toString('base64') : a,
    }));

  it.each([
    ['with a redactor', redactor],
    ['of exact values', redactExactly()],
  ])('leaves on record what no redaction changes, and loses or changes no value: %s', (_name, redactAlso) => {
    fc.assert(
      fc.property(values, fc.subarray(['A', 'B']), (given, declared) => {
        const secrets = secretsAmong(given, (name) => declared.includes(name), redactAlso);
        const recorded = without(given, secrets);
        const redact = redactAlso(secrets);
        expect({ ...recorded, ...secrets }).toEqual(given);
        expect(Object.keys(recorded).filter((name) => declared.includes(name))).toEqual([]);
        for (const each of Object.values(recorded)) {
          expect(redact(each)).toBe(each);
          expect(each).not.toContain('[redacted:');
        }
      }),
    );
  });

  it('leaves ordinary values on record', () => {
    const given = { HOST: 'lb2', COUNT: '3', TEXT: 'production\nhost' };
    expect(secretsAmong(given, () => false, redactor)).toEqual({});
  });
});

it('valueFault rejects what no command can get, and secrets that cannot be redacted', () => {
  const wanted = (value: string, isSecret = false) => valueFault(value, isSecret);
  for (const value of ['a\0', 'a\x7f', 'a\ud800']) expect(wanted(value)).toMatch(/^a text without NUL/);
  expect(wanted('é'.repeat(65_501))).toBe('at most 131000 bytes');
  expect(wanted('12345', true)).toBe('at least 6 characters');
  for (const value of ['', '12345', 'é'.repeat(65_500), '😀\n']) expect(wanted(value)).toBeNull();
});
