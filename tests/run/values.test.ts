import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRedactor, runSecrets } from '../../src/host/secrets/redact.ts';
import { begin } from '../../src/operations/begin.ts';
import { reportCall } from '../../src/operations/hook.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { secretsAmong, valueFault, without } from '../../src/run/inputs.ts';
import { type RedactAlso, redactExactly } from '../../src/run/ports.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';

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

describe('a claimed or reported result with a captured secret', () => {
  const secret = `tr"icky${'x'.repeat(8)}`;
  const block = {
    proof_of_work: { type: 'shell', shell: { cmd: 'mint-token', timeout_seconds: 20 } },
    captures: [{ name: 'VALUE', from: 'stdout', json_pointer: '/t', secret: true }],
  };
  const shell = { exit_code: 0, stdout: JSON.stringify({ t: secret }) };

  async function begun() {
    const redacts = makeRedactor({});
    const ctx = await makeContext({
      over: { redact: redacts.redact, runSecrets: runSecrets(() => redacts) },
    });
    const document = `# Mint\n\n${stepOf('Mint', 'Mint it.', block)}\n${stepOf('End', 'End.', null)}`;
    const { items } = await mint(ctx, { markdown_doc: document });
    const { uri } = items[0]!;
    const { run_id: runId, challenge } = (await begin(ctx, { uri })) as RunFields;
    const { nonce, proof_hash } = challenge!;
    const record = async () => JSON.stringify(await ctx.store.readEntries(runId!));
    return { ctx, uri, run_id: runId!, solution: { type: 'shell', nonce, proof_hash, shell }, record };
  }

  it('is read from the claim, recorded nowhere, and the same call again counts once', async () => {
    const { ctx, uri, run_id, solution, record } = await begun();
    const done = await next(ctx, { uri, run_id, solution });
    expect(done.error_code).toBeUndefined();
    expect(ctx.runSecrets!.of(run_id)).toEqual({ VALUE: secret });
    expect(await record()).not.toContain('icky');
    const again = await next(ctx, { uri, run_id, solution });
    expect(again.error_code).toBeUndefined();
    expect(again.current_step?.uri).toBe(done.current_step?.uri);
  });

  it('is hidden in a report, which then needs the claim', async () => {
    const { ctx, uri, run_id, solution, record } = await begun();
    const report = { via: 'hook', assurance: 'client', source: 'a-client', type: 'shell' } as const;
    await reportCall(ctx, run_id, { ...report, solution: { type: 'shell', shell } });
    expect(await record()).toContain('call.reported');
    expect(await record()).not.toContain('icky');
    expect(await next(ctx, { uri, run_id, solution })).toMatchObject({ proof_hash: expect.any(String) });
    expect(ctx.runSecrets!.of(run_id)).toEqual({ VALUE: secret });
    expect(await record()).toContain('"assurance":"claimed"');
    expect(await record()).not.toContain('icky');
  });

  it('without the claim, the report fails the step and names the reason', async () => {
    const { ctx, uri, run_id } = await begun();
    const report = { via: 'hook', assurance: 'client', source: 'a-client', type: 'shell' } as const;
    await reportCall(ctx, run_id, { ...report, solution: { type: 'shell', shell } });
    expect(await next(ctx, { uri, run_id })).toMatchObject({
      error_code: 'CAPTURE_FAILED',
      message: expect.stringContaining('has a redaction in place of the value of VALUE'),
    });
  });
});
