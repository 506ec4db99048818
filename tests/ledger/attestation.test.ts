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

test('states every policy and every answer to a proposal, as recorded', () => {
  const under = (digest: string | null) => ({
    policy_digest: digest,
    policy_origin: digest && '/etc/policy.yaml',
  });
  const at = '2026-01-15T12:00:00.000Z';
  const first = makeEntry('r1', null, at, 'run.begun', { slug: 'move', ...under('a'.repeat(64)) });
  const adopted = makeEntry('r1', first, at, 'policy.adopted', { by: 'ada', from: {}, ...under(null) });
  const answer = {
    step: 2,
    decision: 'deny',
    approver: 'mira',
    source: 'ssh',
    key: 'ssh-ed25519 AAAA',
    statement: '{}\n',
    signature: 'abc',
    proposal_hash: 'b'.repeat(64),
    expires_at_ms: 7,
  };
  const given = makeEntry('r1', adopted, at, 'approval.given', { ...answer, by: 'mira', approvals_given: 0 });
  const used = makeEntry('r1', given, at, 'permit.consumed', { step: 2, policy_digest: 'a'.repeat(64) });
  const end = makeEntry('r1', used, at, 'run.sealed', { outcome: 'failure' });
  const all = [first, adopted, given, used, end];
  expect(runStatement(all, makeSeal('r1', end.hash, all.length, key)).predicate).toMatchObject({
    policies: [
      { digest: 'a'.repeat(64), origin: '/etc/policy.yaml', entry: first.hash },
      { digest: null, origin: null, entry: adopted.hash },
    ],
    approvals: [{ ...answer, at, entry: given.hash }],
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
