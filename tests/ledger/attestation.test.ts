import { generateKeyPairSync, verify } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import { expect, test } from 'vitest';
import {
  preAuthEncoding,
  runStatement,
  signAttestation,
  sigstoreBundle,
} from '../../src/ledger/attestation.ts';
import { makeEntry } from '../../src/ledger/entry.ts';
import { makeSeal } from '../../src/ledger/seal.ts';

const key = generateKeyPairSync('ed25519');
const begun = makeEntry('r1', null, '2026-01-15T12:00:00.000Z', 'run.begun', {
  slug: 'water-plants',
  title: 'Water the plants',
  digest: 'a'.repeat(64),
  actor: 'ada',
});
const sealed = makeEntry('r1', begun, '2026-01-15T12:01:00.000Z', 'run.sealed', { outcome: 'success' });
const statement = runStatement([begun, sealed], makeSeal('r1', sealed.hash, 2, key));

test('names the revision and the record as its subjects', () => {
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'kairos://protocol/water-plants', digest: { sha256: 'a'.repeat(64) } },
      { name: 'kairos://run/r1', digest: { sha256: sealed.hash } },
    ],
    predicate: { outcome: 'success', actor: 'ada', ledger: { count: 2 } },
  });
});

test('is signed as DSSE requires, over every byte of the payload', async () => {
  const { payload, signatures } = await signAttestation(statement, key);
  const bytes = Buffer.from(payload, 'base64');
  const signature = Buffer.from(signatures[0]!.sig, 'base64');
  expect(verify(null, preAuthEncoding(bytes), key.publicKey, signature)).toBe(true);
  bytes[10]! ^= 1;
  expect(verify(null, preAuthEncoding(bytes), key.publicKey, signature)).toBe(false);
});

test('is a bundle that the verifier of Sigstore accepts with the key, and rejects with another', async () => {
  const bundle = bundleFromJSON(sigstoreBundle(await signAttestation(statement, key)));
  const verifierFor = (publicKey: typeof key.publicKey) =>
    new Verifier(
      {
        certificateAuthorities: [],
        timestampAuthorities: [],
        tlogs: [],
        ctlogs: [],
        publicKey: () => ({ publicKey, validFor: () => true }),
      },
      { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 },
    );
  expect(() => verifierFor(key.publicKey).verify(toSignedEntity(bundle))).not.toThrow();
  const other = generateKeyPairSync('ed25519');
  expect(() => verifierFor(other.publicKey).verify(toSignedEntity(bundle))).toThrow();
});
