import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/base/canonical.ts';
import { checkSeal, keyFingerprint, makeSeal } from '../../src/ledger/seal.ts';
import { flips } from './support.ts';

/** The first test key of RFC 8032, and what `openssl pkeyutl -sign` makes with it. */
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${SEED}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});
const key = { privateKey, publicKey: createPublicKey(privateKey) };
const RUN_ID = '3f2c8f0e-6f0d-4c58-9b57-0d8d6a1f7c11';
const HEAD = '0f0a0a909a6948cb41227713b2cf435876b9b8951cb6b68ba8be14c33f92d601';
const SEAL = {
  seal: {
    v: 1,
    run_id: RUN_ID,
    head: HEAD,
    count: 2,
    alg: 'ed25519',
    public_key: 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    signature: 'CiA8pJif1DsIWcqJcSWU4dicDYxdRn1dbdD66Vjzb6mrwGST2b1F17+MTqUI6TGApgmnVkMgBTT2UK8Q02C5Dw==',
  },
};

describe('seals', () => {
  test('are the ones that openssl makes', () => {
    expect(makeSeal(RUN_ID, HEAD, 2, key)).toEqual(SEAL);
    const fingerprint = sha256Hex(Buffer.from(SEAL.seal.public_key, 'base64'));
    expect(checkSeal(SEAL)).toEqual({ ok: true, seal: SEAL.seal, fingerprint });
    expect(keyFingerprint(key.publicKey)).toBe(fingerprint);
  });

  test('break with every leaf', () => {
    for (const { path, flipped } of flips(SEAL)) {
      expect([path, checkSeal(flipped).ok]).toEqual([path, false]);
    }
  });

  test('have one spelling: unused bits, white space and other alphabets of base64 break them', () => {
    const { signature, public_key } = SEAL.seal;
    const other = (change: object) => checkSeal({ seal: { ...SEAL.seal, ...change } });
    for (const change of [
      { signature: signature.replace('Dw==', 'Dx==') },
      { signature: signature.replace('==', '') },
      { signature: ` ${signature}` },
      { signature: signature.replace('+', '-') },
      { public_key: public_key.replace('Ro=', 'Rp=') },
      { public_key: `${public_key}\n` },
    ]) {
      expect(other(change).ok).toBe(false);
    }
  });

  test.each([
    ['another kind of key', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
    ['a key of another curve', generateKeyPairSync('ed448').publicKey],
  ])('%s is not a key for a seal', (_, publicKey) => {
    const public_key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    expect(checkSeal({ seal: { ...SEAL.seal, public_key } })).toEqual({
      ok: false,
      reason: 'names no ed25519 key',
    });
  });

  test('are seals only', () => {
    for (const value of [
      null,
      7,
      'seal',
      [],
      {},
      { seal: null },
      { seal: SEAL.seal, more: 1 },
      { seal: { ...SEAL.seal, more: 1 } },
    ]) {
      expect(checkSeal(value)).toEqual({ ok: false, reason: 'does not have the form of a seal' });
    }
  });
});
