import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
  it('is signed and verified, and names the owner of the key', async () => {
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

  it('is valid for no other statement: every field counts', async () => {
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

  it('is refused from a person whom the policy does not know, and in any other spelling', async () => {
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

  it('returns the public key of a private file and of a public one', async () => {
    expect(await publicKeyOf(file('ada'))).toBe(keyIdentity(publicKey('ada')));
    expect(await publicKeyOf(file('ada.pub'))).toBe(keyIdentity(publicKey('ada')));
    await expect(publicKeyOf(file('nobody'))).rejects.toMatchObject({ code: 'KEY_UNUSABLE' });
    await expect(signApproval(statement(), file('nobody'))).rejects.toMatchObject({ code: 'KEY_UNUSABLE' });
  });
});

describe('a key in ssh-agent', () => {
  const socket = () => file('agent.sock');
  let agent: ReturnType<typeof spawn>;
  beforeAll(async () => {
    agent = spawn('ssh-agent', ['-D', '-a', socket()], { stdio: 'ignore' });
    while (!existsSync(socket())) await delay(10);
    process.env.SSH_AUTH_SOCK = socket();
    execFileSync('ssh-add', ['-q', file('bob')]);
  });
  afterAll(async () => {
    delete process.env.SSH_AUTH_SOCK;
    const ended = once(agent, 'exit');
    agent.kill();
    await ended;
  });

  it('signs by its public file, where the private one is not on this machine', async () => {
    copyFileSync(file('bob.pub'), file('remote.pub'));
    const said = statement({ approver: 'bob' });
    const signature = await signApproval(said, file('remote.pub'));
    const key = keyIdentity(publicKey('bob'));
    expect(await publicKeyOf(file('remote.pub'))).toBe(key);
    expect(verifyStatement(statementText(said), signature, policy().policy)).toEqual({
      ok: true,
      statement: said,
      key,
    });
  });
});

describe('a security key', () => {
  const TYPE = 'sk-ssh-ed25519@openssh.com';
  const APPLICATION = 'ssh:';
  const pair = generateKeyPairSync('ed25519');
  const string = (bytes: Buffer | string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(bytes));
    return Buffer.concat([length, Buffer.from(bytes)]);
  };
  const hashOf = (algorithm: string, bytes: Buffer | string) => createHash(algorithm).update(bytes).digest();
  const point = Buffer.from(String(pair.publicKey.export({ format: 'jwk' }).x), 'base64url');
  const blob = Buffer.concat([string(TYPE), string(point), string(APPLICATION)]);
  const line = `${TYPE} ${blob.toString('base64')}`;

  /** Signs as the device and OpenSSH do together (PROTOCOL.u2f and PROTOCOL.sshsig). */
  function signAsDevice(text: string, flags: number): string {
    const fields = ['kairos-approval', '', 'sha512'].map(string);
    const signed = Buffer.concat([Buffer.from('SSHSIG'), ...fields, string(hashOf('sha512', text))]);
    const trailer = Buffer.from([flags, 0, 0, 0, 7]);
    const device = Buffer.concat([hashOf('sha256', APPLICATION), trailer, hashOf('sha256', signed)]);
    const inner = Buffer.concat([string(TYPE), string(sign(null, device, pair.privateKey)), trailer]);
    const version = Buffer.from([0, 0, 0, 1]);
    const whole = Buffer.concat([Buffer.from('SSHSIG'), version, string(blob), ...fields, string(inner)]);
    const lines = whole.toString('base64').match(/.{1,70}/g)!;
    return `-----BEGIN SSH SIGNATURE-----\n${lines.join('\n')}\n-----END SSH SIGNATURE-----\n`;
  }

  /** What `ssh-keygen -Y verify` finds. */
  function opensshAccepts(text: string, signature: string): boolean {
    writeFileSync(file('sk.sig'), signature);
    writeFileSync(file('sk.signers'), `ada ${line}\n`);
    const args = ['-Y', 'verify', '-f', file('sk.signers'), '-I', 'ada', '-n', 'kairos-approval'];
    return spawnSync('ssh-keygen', [...args, '-s', file('sk.sig')], { input: text }).status === 0;
  }

  const hardware = policyOf({
    version: 1,
    approvers: [{ name: 'ada', keys: [{ key: line }] }],
    approvals: { hardware_keys: true },
    rules: [{ match: {}, approval_class: 'single' }],
  }).policy;

  it('counts when it was touched, for kairos and OpenSSH alike', () => {
    const said = statement();
    const signature = signAsDevice(statementText(said), 1);
    expect(opensshAccepts(statementText(said), signature)).toBe(true);
    const verified = { ok: true, statement: said, key: line };
    expect(verifyStatement(statementText(said), signature, hardware)).toEqual(verified);
  });

  it('is refused for another statement, by kairos and OpenSSH alike', () => {
    const text = statementText(statement());
    const signature = signAsDevice(`${text} `, 1);
    expect(opensshAccepts(text, signature)).toBe(false);
    expect(verifyStatement(text, signature, hardware)).toEqual({ ok: false, reason: 'signature' });
  });

  it('is refused when it was not touched, where OpenSSH does not look', () => {
    const text = statementText(statement());
    const signature = signAsDevice(text, 0);
    expect(opensshAccepts(text, signature)).toBe(true);
    expect(verifyStatement(text, signature, hardware)).toEqual({ ok: false, reason: 'signature' });
  });
});
