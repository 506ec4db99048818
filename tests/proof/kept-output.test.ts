import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/base/canonical.ts';
import { isCut, KEPT_BYTES, keptOutput, redactedShell } from '../../src/proof/shell.ts';

describe('keptOutput', () => {
  test('nothing is kept of a missing output', () => {
    expect(keptOutput('stdout', {})).toEqual({});
    expect(keptOutput('stdout', { stdout: null })).toEqual({});
  });

  test('up to 128 KiB all of it, cleaned', () => {
    const stdout = `${'x'.repeat(2 * KEPT_BYTES - 3)}\x7f`;
    expect(keptOutput('stdout', { stdout })).toEqual({ stdout: stdout.replace('\x7f', '\ufffd') });
  });

  test('of a longer output keeps head and tail, with the full length and digest', () => {
    const stderr = 'a'.repeat(KEPT_BYTES) + 'b'.repeat(10) + 'c'.repeat(KEPT_BYTES);
    expect(keptOutput('stderr', { stderr })).toEqual({
      stderr: `${'a'.repeat(KEPT_BYTES)}\n[... 10 bytes left out ...]\n${'c'.repeat(KEPT_BYTES)}`,
      stderr_bytes: 2 * KEPT_BYTES + 10,
      stderr_sha256: sha256Hex(stderr),
    });
  });

  test('valid length and digest of an output are kept', () => {
    const known = { stdout_bytes: 5_000_000, stdout_sha256: 'f'.repeat(64) };
    expect(keptOutput('stdout', { stdout: 'cut', ...known })).toEqual({ stdout: 'cut', ...known });
    expect(keptOutput('stdout', { stdout: 'cut', stdout_bytes: -1, stdout_sha256: 'f'.repeat(64) })).toEqual({
      stdout: 'cut',
    });
    expect(keptOutput('stdout', { stdout: 'cut', stdout_bytes: 3, stdout_sha256: 'F' })).toEqual({
      stdout: 'cut',
    });
  });

  test('an output that was cut while it ran is not cut again', () => {
    const stdout = `${'a'.repeat(KEPT_BYTES)}\n[... 7 bytes left out ...]\n${'b'.repeat(KEPT_BYTES)}`;
    const known = { stdout_bytes: 2 * KEPT_BYTES + 7, stdout_sha256: 'f'.repeat(64) };
    expect(keptOutput('stdout', { stdout, ...known })).toEqual({ stdout, ...known });
  });

  test('never splits a character and never exceeds its bounds', () => {
    const unit = fc.constantFrom('a', 'é', '漢', '😀', '\n');
    const long = fc
      .tuple(fc.array(unit, { minLength: 1, maxLength: 7 }), fc.integer({ min: 1, max: 9 }))
      .map(([units, extra]) => {
        const pattern = units.join('');
        return pattern.repeat(Math.ceil((2 * KEPT_BYTES + extra) / Buffer.byteLength(pattern)) + 1);
      });
    fc.assert(
      fc.property(long, (stdout) => {
        const kept = keptOutput('stdout', { stdout });
        const text = String(kept.stdout);
        const [head = '', tail = ''] = text.split(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/);
        expect(stdout.startsWith(head)).toBe(true);
        expect(stdout.endsWith(tail)).toBe(true);
        expect(text.includes('\ufffd')).toBe(false);
        expect(Buffer.byteLength(text)).toBeLessThan(2 * KEPT_BYTES + 60);
        expect(kept.stdout_bytes).toBe(Buffer.byteLength(stdout));
      }),
      { numRuns: 30 },
    );
  });
});

describe('isCut', () => {
  const known = (bytes: number) => ({ stdout_bytes: bytes, stdout_sha256: 'f'.repeat(64) });

  test('an output that is shorter than it was', () => {
    const kept = keptOutput('stdout', { stdout: 'x'.repeat(3 * KEPT_BYTES) });
    expect(isCut('stdout', kept)).toBe(true);
    expect(isCut('stdout', { stdout: 'head', ...known(5_000_000) })).toBe(true);
    expect(isCut('stdout', { stdout: 'a\n[... 9 bytes left out ...]\nb', ...known(40) })).toBe(true);
  });

  test('not a whole one', () => {
    expect(isCut('stdout', { stdout: 'x', ...known(1) })).toBe(false);
    expect(isCut('stdout', { stdout: 'a\n[... 9 bytes left out ...]\nb' })).toBe(false);
    const long = 'x'.repeat(3 * KEPT_BYTES);
    expect(isCut('stdout', { stdout: long, ...known(long.length) })).toBe(false);
    expect(isCut('stdout', {})).toBe(false);
  });
});

test('redactedShell: the digest is of the redacted output, and one of a cut output stays', () => {
  const payload = {
    exit_code: 0,
    stdout: 'a pin',
    stdout_bytes: 5,
    stdout_sha256: sha256Hex('a pin'),
    stderr: 'pin and more',
    stderr_bytes: 5_000_000,
    stderr_sha256: 'f'.repeat(64),
  };
  expect(redactedShell(payload, (text) => text.replaceAll('pin', '***'))).toEqual({
    ...{ exit_code: 0, stdout: 'a ***', stderr: '*** and more' },
    ...{ stderr_bytes: 5_000_000, stderr_sha256: 'f'.repeat(64) },
  });
  expect(redactedShell(null, String)).toBeNull();
});
