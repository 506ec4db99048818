import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyIdentity } from '../../src/gate/approval/ssh-key.ts';
import {
  type ApprovalStatement,
  readStatement,
  statementText,
  verifyStatement,
} from '../../src/gate/approval/statement.ts';
import { publicKeyOf, signApproval } from '../../src/host/ssh/sign.ts';
import { CHAIN_DIGEST, NOW, policyOf, RUN_ID } from './support/case.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-ssh-'));
  for (const name of ['ada', 'bob', 'eve']) {
    execFileSync('ssh-keygen', [
      '-q',
      '-t',
      'ed25519',
      '-N',
      '',
      '-C',
      `${name}@host`,
      '-f',
      join(folder, name),
    ]);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string) => join(folder, name);
const publicKey = (name: string) => readFileSync(file(`${name}.pub`), 'utf8').trim();
const policy = () =>
  policyOf({
    version: 1,
    approvers: ['ada', 'bob'].map((name) => ({ name, keys: [{ key: publicKey(name) }] })),
    rules: [{ match: {}, approval_class: 'dual' }],
  });

function statement(over: Partial<ApprovalStatement> = {}): ApprovalStatement {
  return {
    v: 1,
    decision: 'approve',
    approver: 'ada',
    proposal_hash: 'a'.repeat(64),
    run_id: RUN_ID,
    step: 3,
    chain_digest: CHAIN_DIGEST,
    policy_digest: policy().digest,
    expires_at_ms: NOW + 1000,
    ...over,
  };
}

describe('an approval by SSH key', () => {
  it('is signed and verified, and says whose key it was', async () => {
    const said = statement();
    const signature = await signApproval(said, file('ada'));
    expect(await verifyStatement(statementText(said), signature, policy().policy)).toEqual({
      ok: true,
      statement: said,
      key: keyIdentity(publicKey('ada')),
    });
  });

  it('can be checked with OpenSSH alone', async () => {
    const said = statement();
    writeFileSync(file('sig'), await signApproval(said, file('ada')));
    writeFileSync(file('signers'), `ada ${publicKey('ada')}\n`);
    const args = [
      '-Y',
      'verify',
      '-f',
      file('signers'),
      '-I',
      'ada',
      '-n',
      'kairos-approval',
      '-s',
      file('sig'),
    ];
    const output = execFileSync('ssh-keygen', args, { input: statementText(said), encoding: 'utf8' });
    expect(output).toMatch(/^Good "kairos-approval" signature for ada/);
  });

  it('holds for no other statement: every field counts', async () => {
    const said = statement();
    const signature = await signApproval(said, file('ada'));
    const others: Partial<ApprovalStatement>[] = [
      { decision: 'deny' },
      { approver: 'bob' },
      { proposal_hash: 'b'.repeat(64) },
      { run_id: 'another' },
      { step: 4 },
      { chain_digest: 'd'.repeat(64) },
      { policy_digest: 'd'.repeat(64) },
      { expires_at_ms: NOW + 1001 },
    ];
    for (const over of others) {
      const text = statementText({ ...said, ...over });
      expect(await verifyStatement(text, signature, policy().policy)).toEqual({
        ok: false,
        reason: 'signature',
      });
    }
  });

  it("is refused from a key that is not the approver's", async () => {
    const said = statement();
    for (const other of ['bob', 'eve']) {
      const signature = await signApproval(said, file(other));
      expect(await verifyStatement(statementText(said), signature, policy().policy)).toEqual({
        ok: false,
        reason: 'signature',
      });
    }
  });

  it('is refused in another namespace', async () => {
    const said = statement();
    const signature = execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-f', file('ada'), '-n', 'file'], {
      input: statementText(said),
      encoding: 'utf8',
    });
    expect(await verifyStatement(statementText(said), signature, policy().policy)).toEqual({
      ok: false,
      reason: 'signature',
    });
  });

  it('is refused from somebody whom the policy does not know, and in any other spelling', async () => {
    const said = statement({ approver: 'eve' });
    const signature = await signApproval(said, file('eve'));
    expect(await verifyStatement(statementText(said), signature, policy().policy)).toEqual({
      ok: false,
      reason: 'approver',
    });
    const text = statementText(statement());
    for (const other of [
      text.trim(),
      ` ${text}`,
      text.replace('"v":1', '"v":1,"x":1'),
      text.replace('{', '{"v":1,'),
      '',
    ]) {
      expect(readStatement(other)).toBeNull();
      expect(await verifyStatement(other, signature, policy().policy)).toEqual({
        ok: false,
        reason: 'statement',
      });
    }
  });

  it('tells the public key of a private file and of a public one', async () => {
    expect(await publicKeyOf(file('ada'))).toBe(keyIdentity(publicKey('ada')));
    expect(await publicKeyOf(file('ada.pub'))).toBe(keyIdentity(publicKey('ada')));
    await expect(publicKeyOf(file('nobody'))).rejects.toMatchObject({ code: 'KEY_UNUSABLE' });
    await expect(signApproval(statement(), file('nobody'))).rejects.toMatchObject({ code: 'KEY_UNUSABLE' });
  });
});
