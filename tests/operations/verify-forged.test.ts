import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStatement, statementText } from '../../src/gate/approval/statement.ts';
import { proposalHash } from '../../src/gate/proposal.ts';
import { signApproval } from '../../src/host/ssh/sign.ts';
import { type EntryData, type EntryKind, type LedgerEntry, makeEntry } from '../../src/ledger/entry.ts';
import { toLines } from '../../src/ledger/line.ts';
import { keyFingerprint, makeSeal } from '../../src/ledger/seal.ts';
import { approvable, giveApproval, statementFor } from '../../src/operations/approve.ts';
import { verifyLines } from '../../src/operations/verify.ts';
import { walkToGuard } from '../gate/support/walk.ts';
import { as } from '../support/context.ts';
import { makeSshKey } from '../support/ssh-key.ts';
import { comment, shellOk } from '../support/walk.ts';

/** Whoever owns the sealing key can hash a record again and seal it. What other people signed they cannot make. */
const PEOPLE = ['bob', 'cyd'];
const FOREIGN = generateKeyPairSync('ed25519');
let folder: string;
let record: LedgerEntry[];
/** A signature of a person about something else. */
let elsewhere: { statement: string; signature: string };
let own: KeyPairKeyObjectResult;
const line = (name: string) =>
  readFileSync(join(folder, `${name}.pub`), 'utf8')
    .split(' ')
    .slice(0, 2)
    .join(' ');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-forged-'));
  for (const name of [...PEOPLE, 'eve']) makeSshKey(join(folder, name));
  const policy = {
    version: 1,
    approvers: PEOPLE.map((name) => ({ name, actors: [name], keys: [{ key: line(name) }] })),
    rules: [{ match: {}, approval_class: 'dual' }],
  };
  const walk = await walkToGuard({ policy });
  own = (await walk.ctx.sealingKey()) as KeyPairKeyObjectResult;
  await walk.propose(walk.shown.challenge!.proposal_draft);
  for (const name of PEOPLE) {
    const subject = await approvable(walk.ctx, walk.runId);
    const statement = statementFor(subject, name, 'approve', walk.ctx.clock());
    const signature = await signApproval(statement, join(folder, name));
    await giveApproval(as(walk.ctx, { actor: name }), subject, statementText(statement), signature);
    const other = { ...statement, run_id: 'another' };
    elsewhere = { statement: statementText(other), signature: await signApproval(other, join(folder, name)) };
  }
  await walk.propose();
  const { challenge } = await walk.consume();
  const shown = await walk.solve(2, challenge, shellOk);
  await walk.solve(3, shown.challenge, comment('Looked at the record of the contact afterwards.'));
  await walk.attest();
  record = await walk.ctx.store.readEntries(walk.runId);
  expect(record.at(-1)?.kind).toBe('run.sealed');
  await walk.ctx.store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Raw = Pick<LedgerEntry, 'kind' | 'at' | 'hash'> & { data: EntryData };

/** The record with a change, every hash made again, also where proofs echo one, and sealed. */
function forged(change: (raw: Raw[]) => Raw[], key: KeyPairKeyObjectResult): string[] {
  const raw = change(
    record.map(({ kind, at, hash, data }) => ({ kind, at, hash, data: structuredClone(data) as EntryData })),
  );
  const hashes = new Map<string, string>();
  const entries: LedgerEntry[] = [];
  for (const { kind, at, hash, data } of raw) {
    const text = [...hashes].reduce((said, [old, now]) => said.replaceAll(old, now), JSON.stringify(data));
    const entry = makeEntry(record[0]!.run_id, entries.at(-1) ?? null, at, kind, JSON.parse(text));
    entries.push(entry);
    hashes.set(hash, entry.hash);
  }
  return toLines(entries, makeSeal(record[0]!.run_id, entries.at(-1)!.hash, entries.length, key));
}

/** Fields of an entry; those that are changed here are texts. */
type Fields = Record<string, string>;

const at = (raw: Raw[], kind: EntryKind, nth = 0) => raw.filter((one) => one.kind === kind)[nth]!;
/** Changes the entry of a kind. */
const inEntry =
  (kind: EntryKind, change: (data: Fields) => void, nth = 0) =>
  (raw: Raw[]) => {
    change(at(raw, kind, nth).data as unknown as Fields);
    return raw;
  };
/** Puts an entry after the first of a kind. */
const following = (kind: EntryKind, added: EntryKind, data: (raw: Raw[]) => EntryData) => (raw: Raw[]) => {
  const before = at(raw, kind);
  const entry = { kind: added, at: before.at, hash: `new-${added}`, data: data(raw) };
  return raw.toSpliced(raw.indexOf(before) + 1, 0, entry);
};
/** Another statement in an approval, with the signature that it has. */
const restated = (change: object) =>
  inEntry('approval.given', (data) => {
    const statement = { ...readStatement(data.statement!)!, ...change };
    Object.assign(data, {
      statement: statementText(statement),
      ...Object.fromEntries(
        ['step', 'proposal_hash', 'decision', 'approver', 'expires_at_ms'].map((name) => [
          name,
          statement[name as 'step'],
        ]),
      ),
    });
  });

function errorsOf(lines: string[], trusted?: readonly string[]) {
  const { status, findings } = verifyLines('record', lines, {
    trustedKeys: trusted,
    ownKeys: [keyFingerprint(own.publicKey)],
  });
  const errors = findings.filter(({ severity }) => severity === 'error');
  return { status, codes: [...new Set(errors.map(({ code }) => code))], errors };
}

describe('a record that was hashed again and sealed again', () => {
  it('is whole when nothing in it was changed', () => {
    expect(errorsOf(forged((raw) => raw, own))).toMatchObject({ status: 'whole', codes: [] });
  });

  it.each<[string, string, (raw: Raw[]) => Raw[]]>([
    ['an approval in the name of another person', 'approval-invalid', restated({ approver: 'eve' })],
    ['a denial made an approval of the other decision', 'approval-invalid', restated({ decision: 'deny' })],
    ['a longer time for an approval', 'approval-invalid', restated({ expires_at_ms: 9e12 })],
    ['an approval of another step', 'approval-invalid', restated({ step: 3 })],
    ['an approval of another proposal', 'approval-invalid', restated({ proposal_hash: 'a'.repeat(64) })],
    ['an approval of another command or place', 'approval-invalid', restated({ binding: 'a'.repeat(64) })],
    [
      'a field that differs from the statement',
      'approval-invalid',
      inEntry('approval.given', (data) => Object.assign(data, { approver: 'cyd' })),
    ],
    [
      'an expiry that differs from the statement',
      'approval-invalid',
      inEntry('approval.given', (data) => Object.assign(data, { expires_at_ms: 9e12 })),
    ],
    [
      'a signature about another run',
      'approval-invalid',
      inEntry('approval.given', (data) => Object.assign(data, elsewhere)),
    ],
    [
      'a signature of nobody',
      'approval-invalid',
      inEntry('approval.given', (data) => Object.assign(data, { signature: null })),
    ],
    [
      'a signature of an unknown key under its own name',
      'approval-invalid',
      inEntry('approval.given', (data) => Object.assign(data, { key: line('eve') })),
    ],
    ['no statement', 'approval-invalid', inEntry('approval.given', (data) => delete data.statement)],
    [
      'an approval of another kind',
      'approval-invalid',
      inEntry('approval.given', (data) => Object.assign(data, { source: 'word of mouth', signature: null })),
    ],
    [
      'an approval before the proposal',
      'approval-invalid',
      (raw) => {
        const given = at(raw, 'approval.given');
        const rest = raw.filter((one) => one !== given);
        return rest.toSpliced(rest.indexOf(at(rest, 'proposal.decided')), 0, given);
      },
    ],
    [
      'another revision of the protocol',
      'approval-invalid',
      inEntry('run.begun', (data) => Object.assign(data, { digest: 'a'.repeat(64) })),
    ],
    [
      'another policy at the beginning',
      'approval-invalid',
      inEntry('run.begun', (data) => Object.assign(data, { policy_digest: 'a'.repeat(64) })),
    ],
    [
      'approvals that were taken out',
      'approval-missing',
      (raw) => raw.filter(({ kind }) => kind !== 'approval.given'),
    ],
    [
      'one approval that was taken out',
      'approval-missing',
      (raw) => raw.filter((one) => one !== at(raw, 'approval.given', 1)),
    ],
    [
      'another target in the approved proposal',
      'proposal-differs',
      inEntry('proposal.decided', (data) => {
        data.proposal_json = data.proposal_json!.replace('contact-12345', 'contact-99999');
      }),
    ],
    [
      'another proposal with its own hash',
      'approval-invalid',
      (raw) => {
        for (const { kind, data } of raw) {
          if (kind !== 'proposal.decided') continue;
          const changed = data as unknown as Fields;
          changed.proposal_json = changed.proposal_json!.replace('contact-12345', 'contact-99999');
          changed.proposal_hash = proposalHash(JSON.parse(changed.proposal_json));
        }
        return raw;
      },
    ],
    [
      'a move from another place than the one on record',
      'context-differs',
      following('proposal.decided', 'run.moved', () => ({
        from: { host: 'elsewhere', workdir: '/x', roots: [] },
        host: 'here',
        workdir: '/y',
        roots: [],
        by: 'ada',
      })),
    ],
    [
      'an adoption that replaces another policy than the one on record',
      'context-differs',
      following('proposal.decided', 'policy.adopted', () => ({
        from: { policy_digest: 'b'.repeat(64), policy_origin: null },
        policy_digest: 'c'.repeat(64),
        policy_origin: null,
        by: 'ada',
      })),
    ],
    [
      'an adopted policy between the approvals and what they were given under',
      'approval-invalid',
      following('proposal.decided', 'policy.adopted', (raw) => {
        const { policy_digest, policy_origin } = at(raw, 'run.begun').data;
        return {
          from: { policy_digest: policy_digest ?? null, policy_origin: policy_origin ?? null },
          policy_digest: 'c'.repeat(64),
          policy_origin: null,
          by: 'ada',
        };
      }),
    ],
  ])('is refused for %s: %s', (_, code, change) => {
    const { status, codes, errors } = errorsOf(forged(change, own));
    expect(status).toBe('broken');
    expect(codes).toContain(code);
    for (const { entry } of errors) expect(entry).not.toBeNull();

    // A foreign key is named besides.
    const foreign = errorsOf(forged(change, FOREIGN), [keyFingerprint(own.publicKey)]);
    expect(foreign.codes).toEqual(expect.arrayContaining([code, 'seal-key-unknown']));
  });
});
