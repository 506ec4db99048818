import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSealingKey, SEALING_KEY_FILE } from '../../src/host/keys/sealing-key.ts';
import type { SealingKey } from '../../src/ledger/seal.ts';
import { bundleScript } from './commands/bundle-script.ts';

let base: string;
let data: string;
let keyFile: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-key-')));
  data = join(base, 'data');
  keyFile = join(data, SEALING_KEY_FILE);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const load = (dataIsChosen = false, cwd = base) =>
  loadSealingKey(
    { home: base, data, config: join(base, 'config'), dataIsChosen, configIsMoved: false },
    cwd,
  ) as Promise<SealingKey>;
const pem = (key: SealingKey) => key.privateKey.export({ type: 'pkcs8', format: 'pem' });

describe('loadSealingKey', () => {
  it('makes a key on first use and keeps it, closed to others', async () => {
    const key = await load();
    expect(verify(null, Buffer.from('x'), key.publicKey, sign(null, Buffer.from('x'), key.privateKey))).toBe(
      true,
    );
    expect(key.privateKey.asymmetricKeyType).toBe('ed25519');
    expect(pem(await load())).toBe(pem(key));
    expect(readFileSync(keyFile, 'utf8')).toBe(pem(key));
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'keys')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(data, 'keys'))).toEqual(['sealing-key.pem']);
  });

  it('is one key for all parallel starts in one process', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => load()));
    expect(new Set(keys.map(pem)).size).toBe(1);
  });

  it('is one key for all processes that start in parallel', async () => {
    const script = await bundleScript(
      join(base, 'load.mjs'),
      `import { loadSealingKey } from './host/keys/sealing-key.ts';
      const [, , data, cwd] = process.argv;
      const { publicKey } = await loadSealingKey({ home: cwd, data, config: data, dataIsChosen: true, configIsMoved: true }, cwd);
      console.log(publicKey.export({ type: 'spki', format: 'der' }).toString('base64'));`,
    );
    const outputs = await Promise.all(
      Array.from({ length: 5 }, () => text(spawn(process.execPath, [script, data, base]).stdout)),
    );
    expect(outputs[0]).toMatch(/^[A-Za-z0-9+/=]{60}\n$/);
    expect(new Set(outputs).size).toBe(1);
    expect(readdirSync(join(data, 'keys'))).toEqual(['sealing-key.pem']);
  });

  const spoilt: [name: string, spoil: () => void, message: string][] = [
    ['readable by the group', () => chmodSync(keyFile, 0o640), 'others have access to it (mode 0640)'],
    ['readable by all', () => chmodSync(keyFile, 0o604), 'others have access to it (mode 0604)'],
    ['behind a link', () => moveAndLink(keyFile), 'it is a symbolic link'],
    [
      'in a folder that others can write to',
      () => chmodSync(join(data, 'keys'), 0o777),
      'others can write to it (mode 0777)',
    ],
    ['not a key', () => writeFileSync(keyFile, 'hello'), 'it contains no private key'],
    ['empty', () => writeFileSync(keyFile, ''), 'it contains no private key'],
    ['of another kind', () => writeFileSync(keyFile, otherKey()), 'it is not an ed25519 key'],
  ];

  it.each(spoilt)('refuses a key that is %s', async (_name, spoil, message) => {
    await load();
    spoil();
    await expect(load()).rejects.toMatchObject({
      code: 'KEY_UNUSABLE',
      message: `the sealing key ${keyFile} cannot be used: ${message}`,
      hint: expect.stringContaining('chmod'),
    });
  });

  it('reports that the folder cannot be created', async () => {
    writeFileSync(data, '');
    await expect(load()).rejects.toMatchObject({ code: 'KEY_UNUSABLE' });
  });

  describe('inside a project', () => {
    const refusal = {
      code: 'KEY_UNUSABLE',
      message: expect.stringContaining('would lie inside the project'),
    };
    beforeEach(() => {
      execFileSync('git', ['init', '-q', base]);
      mkdirSync(join(base, 'sub'));
    });

    it('is refused', async () => {
      await expect(load()).rejects.toMatchObject(refusal);
      await expect(load(false, join(base, 'sub'))).rejects.toMatchObject(refusal);
      expect(readdirSync(base)).not.toContain('data');
    });

    it('is refused through a link too', async () => {
      const outside = mkdtempSync(join(tmpdir(), 'kairos-outside-'));
      symlinkSync(base, join(outside, 'link'));
      const folders = {
        home: base,
        data: join(outside, 'link', 'data'),
        config: outside,
        dataIsChosen: false,
        configIsMoved: false,
      };
      await expect(loadSealingKey(folders, base)).rejects.toMatchObject(refusal);
      rmSync(outside, { recursive: true });
    });

    it('is the chosen one, or the default when the work is elsewhere', async () => {
      const chosen = await load(true);
      const elsewhere = mkdtempSync(join(tmpdir(), 'kairos-elsewhere-'));
      expect(pem(await load(false, elsewhere))).toBe(pem(chosen));
      rmSync(elsewhere, { recursive: true });
    });
  });
});

function moveAndLink(path: string): void {
  execFileSync('mv', [path, `${path}.moved`]);
  symlinkSync(`${path}.moved`, path);
}

function otherKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
