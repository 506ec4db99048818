import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { canonical, sha256Hex } from '../../src/base/canonical.ts';
import { foreignJson, makeEntry } from '../../src/ledger/entry.ts';
import { toJsonl } from '../../src/ledger/line.ts';
import { keyFingerprint } from '../../src/ledger/seal.ts';
import { runs } from '../support/thorough.ts';
import { KEY, RUN_ID, SAMPLE } from './support.ts';

/** The scripts of the documentation, run as they stand there. */
const page = readFileSync(new URL('../../docs/ledger.md', import.meta.url), 'utf8');
const scripts = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, script = '']) => script);
const folder = mkdtempSync(join(tmpdir(), 'kairos-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const has = (...programs: string[]) =>
  programs.every((program) => spawnSync(program, ['--version']).error === undefined);
const hasJq = has('bash', 'jq', 'sha256sum', 'cmp');
const hasOpenssl =
  hasJq &&
  has('openssl', 'base64') &&
  /OpenSSL [3-9]/.test(spawnSync('openssl', ['version']).stdout?.toString() ?? '');

function run(name: string, lines: readonly string[]): { code: number | null; output: string } {
  const script = scripts.find((text) => text.includes(`# ${name} `));
  writeFileSync(join(folder, name), script ?? '');
  const file = join(folder, 'ledger.jsonl');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const { status, stdout } = spawnSync('bash', [join(folder, name), file], { encoding: 'utf8' });
  return { code: status, output: stdout };
}

describe.skipIf(!hasJq)('jq and sha256sum', () => {
  test('write the same bytes as RFC 8785 for any content of an entry', () => {
    const key = fc.stringMatching(/^[ -~]{1,12}$/);
    const code = fc.oneof(fc.integer({ min: 0, max: 0x24f }), fc.integer({ min: 0, max: 0x10ffff }));
    const text = fc.string({ unit: code.map((point) => String.fromCodePoint(point)), maxLength: 30 });
    const leaf = fc.oneof(
      text,
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.jsonValue().map(foreignJson),
    );
    const data = fc.dictionary(
      key,
      fc.oneof(leaf, fc.array(leaf, { maxLength: 4 }), fc.dictionary(key, leaf, { maxKeys: 4 })),
    );
    const samples = fc.sample(data, { numRuns: runs(2000), seed: 42 });
    const entries = samples.map((sample) =>
      makeEntry(RUN_ID, null, '2026-01-02T03:04:05.000Z', 'run.begun', sample),
    );
    const jsonl = toJsonl(entries, null);
    const input = { input: jsonl, encoding: 'utf8', maxBuffer: 1 << 28 } as const;
    expect(execFileSync('jq', ['-cS', '.'], input)).toBe(jsonl);
  });

  test('pass the untouched ledger by the script of the documentation', () => {
    expect(run('check-chain.sh', SAMPLE.lines)).toEqual({
      code: 0,
      output: `${SAMPLE.entries.length} entries, chained and complete as sealed\n`,
    });
  });

  test('show the text that the digest names, and no other', () => {
    const steps = [{ label: 'Sweep', body: 'Sweep the yard.', block: null }];
    const text = canonical({ title: 'The yard', description: 'Once a day.', steps });
    const begunWith = (digest: string) =>
      toJsonl(
        [makeEntry(RUN_ID, null, '2026-01-02T03:04:05.000Z', 'run.begun', { digest, content_json: text })],
        null,
      ).trimEnd();
    expect(run('show-text.sh', [begunWith(sha256Hex(text))])).toEqual({
      code: 0,
      output: '# The yard\nOnce a day.\n## Sweep\nSweep the yard.\n',
    });
    const refused = { code: 1, output: 'the record has no text, or another than its digest names\n' };
    expect(run('show-text.sh', [begunWith('d'.repeat(64))])).toEqual(refused);
    expect(run('show-text.sh', SAMPLE.lines)).toEqual(refused);
  });

  const { lines } = SAMPLE;
  const second = lines[1] ?? '';
  test.each<[string, string[], string]>([
    [
      'an edit',
      lines.with(4, (lines[4] ?? '').replace('"claimed"', '"observed"').replace('TRIVIAL', 'TRIVIAx')),
      'entry 4: its content is not what was hashed',
    ],
    [
      'an edit of a nested leaf',
      lines.with(2, (lines[2] ?? '').replace('Ran 214', 'Ran 215')),
      'entry 2: its content is not what was hashed',
    ],
    ['a removed line', lines.toSpliced(3, 1), 'entry 3: it is not chained to the entry before it'],
    [
      'swapped lines',
      lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''),
      'entry 3: it bears the number 4',
    ],
    ['a doubled line', lines.toSpliced(2, 0, second), 'entry 2: it bears the number 1'],
    ['a line put in', lines.toSpliced(2, 0, '{}'), 'there are lines that are neither entry nor seal'],
    ['a cut tail', lines.toSpliced(-3, 2), 'the seal is missing'],
    ['a removed seal', lines.slice(0, -1), 'the seal is missing'],
    ['white space', lines.with(1, ` ${second}`), 'the file is not canonical JSON'],
    [
      'a repeated key',
      lines.with(1, second.replace('"v":1', '"v":1,"v":1')),
      'the file is not canonical JSON',
    ],
    ['what is no JSON', lines.with(1, 'x'), 'the file is not canonical JSON'],
  ])('find %s', (_, tampered, words) => {
    const { code, output } = run('check-chain.sh', tampered);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(words) });
  });
});

describe.skipIf(!hasOpenssl)('openssl', () => {
  test('passes the seal by the script of the documentation, and names its key', () => {
    const { code, output } = run('check-seal.sh', SAMPLE.lines);
    expect(code).toBe(0);
    expect(output).toContain('Signature Verified Successfully');
    expect(output).toContain(`key ${keyFingerprint(KEY.publicKey)}`);
  });

  test('refuses a seal over another head or count', () => {
    const seal = SAMPLE.lines.at(-1) ?? '';
    for (const forged of [seal.replace('"count":', '"count":1'), seal.replace('"head":"', '"head":"0')]) {
      expect(run('check-seal.sh', [...SAMPLE.lines.slice(0, -1), forged]).code).not.toBe(0);
    }
  });
});
