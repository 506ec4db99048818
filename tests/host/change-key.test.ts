import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { changeKey, keyOfAgent, newKey, readKeyFile } from '../../src/host/keys/change-key.ts';
import {
  derivedKey,
  loadSealingKey,
  ownKeyFingerprints,
  retiredKeys,
  SEALING_KEY_FILE,
} from '../../src/host/keys/sealing-key.ts';
import { checkSeal, keyFingerprint, sealWith } from '../../src/ledger/seal.ts';

let base: string;
let socket: string;
const folders = () => ({ home: base, data: base, config: base, dataIsChosen: true, configIsMoved: true });
const NOW = Date.UTC(2026, 0, 2);
const use = (kept: Parameters<typeof changeKey>[2]) =>
  changeKey(folders(), base, kept, { now: NOW, agent: socket });
const load = () => loadSealingKey(folders(), base, socket);
const HEAD = 'a'.repeat(64);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-keys-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function sshKey(name: string, ...options: string[]): string {
  const file = join(base, name);
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', `${name}@test`, '-f', file, ...options]);
  return file;
}

describe('a new key', () => {
  it('is named by the key before, which stays as a file', async () => {
    const before = await load();
    const { fingerprint, replaced } = await use(newKey());
    expect(fingerprint).toBe(keyFingerprint((await load()).publicKey));
    expect(replaced).toEqual({
      fingerprint: keyFingerprint(before.publicKey),
      file: join(base, 'keys', `retired-${keyFingerprint(before.publicKey).slice(0, 16)}.pem`),
      signed: true,
    });
    expect(existsSync(replaced!.file!)).toBe(true);
    expect(await ownKeyFingerprints({ folders: folders() }, base)).toEqual([
      fingerprint,
      replaced!.fingerprint,
    ]);
    const [retired] = await retiredKeys(folders());
    const { signature, ...body } = JSON.parse(retired!.statement) as Record<string, string>;
    expect(body).toMatchObject({ kind: 'rotation', at: '2026-01-02T00:00:00.000Z' });
    const to = (await load()).publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    expect(body.to).toBe(to);
    const signed = Buffer.from(`kairos.rotation.v1\n${canonical(body)}`);
    expect(verify(null, signed, before.publicKey, Buffer.from(signature!, 'base64'))).toBe(true);
  });

  it('keeps the order of several, newest first, and changes nothing when it is the same', async () => {
    await load();
    const second = newKey();
    await use(second);
    expect(await use(second)).toMatchObject({ replaced: null });
    await use(newKey());
    expect(await ownKeyFingerprints({ folders: folders() }, base)).toHaveLength(3);
    expect((await retiredKeys(folders()))[0]?.fingerprint).toBe(keyFingerprint(second.key.publicKey));
  });
});

describe('a key file', () => {
  it('may be of OpenSSH, or PKCS #8', async () => {
    const ssh = sshKey('id', '-t', 'ed25519');
    const { fingerprint } = await use(await readKeyFile(ssh, undefined));
    const line = readFileSync(`${ssh}.pub`, 'utf8');
    const held = await readKeyFile(`${ssh}.pub`, undefined);
    expect(keyFingerprint(held.key.publicKey), line).toBe(fingerprint);
    expect(checkSeal(await sealWith('r1', HEAD, 3, await load()))).toMatchObject({ ok: true, fingerprint });
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = join(base, 'key.pem');
    writeFileSync(pem, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    expect(await use(await readKeyFile(pem, undefined))).toMatchObject({ replaced: { fingerprint } });
  });

  it.each([
    ['of another type', () => sshKey('ec', '-t', 'ecdsa'), 'it is an SSH key of type ecdsa-sha2-nistp256'],
    ['with a passphrase', () => sshKey('locked', '-t', 'ed25519', '-N', 'secret'), 'it has a passphrase'],
    ['that is missing', () => join(base, 'none'), 'ENOENT'],
    ['that is none', () => written('hello'), 'it contains no private key'],
    [
      'that is cut',
      () => written('-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END'),
      'it is damaged',
    ],
    ['that others can read', () => written('hello', 0o644), 'others have access to it'],
    ['of another type, held', () => `${sshKey('ec2', '-t', 'ecdsa')}.pub`, 'only ssh-ed25519'],
  ])('is refused %s', async (_, make, why) => {
    await expect(readKeyFile(make(), socket)).rejects.toMatchObject({
      code: 'KEY_UNUSABLE',
      message: expect.stringContaining(why),
    });
  });

  function written(text: string, mode = 0o600): string {
    writeFileSync(join(base, 'file'), text, { mode });
    return join(base, 'file');
  }
});

describe('a key in ssh-agent', () => {
  let agent: ReturnType<typeof spawn>;
  let folder: string;
  const add = (file: string) =>
    execFileSync('ssh-add', ['-q', file], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kairos-agent-'));
    socket = join(folder, 'agent');
    agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    while (!existsSync(socket)) await new Promise((done) => setTimeout(done, 20));
  });
  afterAll(async () => {
    const gone = new Promise((done) => agent.once('exit', done));
    agent.kill();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    execFileSync('ssh-add', ['-q', '-D'], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
  });

  it('makes the seals that a file makes, and its private half is in no file', async () => {
    const before = await load();
    const file = sshKey('work', '-t', 'ed25519');
    add(file);
    const { fingerprint, replaced } = await use(await keyOfAgent(undefined, socket));
    expect(replaced?.fingerprint).toBe(keyFingerprint(before.publicKey));
    expect(readdirSync(join(base, 'keys')).sort()).toEqual(
      ['retired.jsonl', `retired-${replaced!.fingerprint.slice(0, 16)}.pem`, 'sealing-key.pub'].sort(),
    );
    const seal = await sealWith('r1', HEAD, 3, await load());
    expect(checkSeal(seal)).toMatchObject({ ok: true, fingerprint });
    expect(seal).toEqual(await sealWith('r1', HEAD, 3, (await readKeyFile(file, undefined)).key));
    expect(await derivedKey(await load(), 'x')).toEqual(await derivedKey(await load(), 'x'));
    expect(await derivedKey(await load(), 'x')).not.toEqual(await derivedKey(await load(), 'y'));
    // And back to a file.
    await use(newKey());
    expect(existsSync(join(base, SEALING_KEY_FILE))).toBe(true);
    expect(readdirSync(join(base, 'keys'))).not.toContain('sealing-key.pub');
  });

  it('is replaced without a statement when its agent no longer exists, with --lost', async () => {
    add(sshKey('gone', '-t', 'ed25519'));
    const { fingerprint } = await use(await keyOfAgent(undefined, socket));
    const next = newKey();
    const without = { now: NOW, agent: undefined };
    await expect(changeKey(folders(), base, next, without)).rejects.toMatchObject({
      hint: expect.stringContaining('--lost'),
    });
    expect(await changeKey(folders(), base, next, { ...without, lost: true })).toMatchObject({
      fingerprint: keyFingerprint(next.key.publicKey),
      replaced: { fingerprint, signed: false },
    });
    expect((await loadSealingKey(folders(), base, undefined)).publicKey.equals(next.key.publicKey)).toBe(
      true,
    );
    expect(readdirSync(join(base, 'keys'))).toContain(`retired-${fingerprint.slice(0, 16)}.pub`);
  });

  it('is found by a part of its comment', async () => {
    for (const name of ['one', 'two']) add(sshKey(name, '-t', 'ed25519'));
    await expect(keyOfAgent(undefined, socket)).rejects.toMatchObject({
      message: 'ssh-agent has 2 ed25519 keys',
    });
    const { kept } = await keyOfAgent('two@', socket);
    expect(kept).toMatchObject({ line: expect.stringContaining('two@test') });
    await expect(keyOfAgent('three@', socket)).rejects.toMatchObject({
      message: 'ssh-agent has no such ed25519 key',
    });
  });

  it('is not used while the agent does not sign with it', async () => {
    const before = await load();
    const file = sshKey('away', '-t', 'ed25519');
    await expect(use(await readKeyFile(`${file}.pub`, socket))).rejects.toMatchObject({
      code: 'KEY_UNUSABLE',
      message: expect.stringContaining('it does not have the key'),
    });
    expect((await load()).publicKey.equals(before.publicKey)).toBe(true);
  });

  it.each([
    ['is not set', undefined, 'SSH_AUTH_SOCK names no agent'],
    ['leads nowhere', '/nonexistent/agent', 'ENOENT'],
  ])('is missed when SSH_AUTH_SOCK %s', async (_, where, why) => {
    await expect(keyOfAgent(undefined, where)).rejects.toMatchObject({
      code: 'KEY_UNUSABLE',
      message: expect.stringContaining(why),
    });
  });
});
