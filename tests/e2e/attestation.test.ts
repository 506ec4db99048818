import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';

/** A Python with in-toto, in-toto-attestation and securesystemslib[crypto] from PyPI. */
const PYTHON = process.env.KAIROS_TEST_IN_TOTO ?? 'node_modules/.cache/in-toto/bin/python';
const SCRIPT = fileURLToPath(new URL('../support/verify_in_toto.py', import.meta.url));
const hasInToto =
  spawnSync(PYTHON, ['-c', 'import in_toto_attestation, securesystemslib.dsse, cryptography']).status === 0;

let home: CliHome;
let runId: string;
let text: string;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'walk.md'), '# Walk about\n\n## Look\n\nLook around.\n');
  await kairos(home, ['mint', 'walk.md'], { prepares: true });
  const [begun] = (await kairosJson(home, ['begin', 'walk-about'])).objects;
  runId = String(begun!.run_id);
  const { uri } = begun!.current_step as { uri: string };
  expect((await kairos(home, ['attestation', runId])).stderr).toContain('only a sealed run');
  await kairos(home, ['attest', uri, 'success', 'Walked about and saw it all.', '--run', runId], {
    prepares: true,
  });
  await kairos(home, ['attestation', runId, '--out', 'run.dsse.json']);
  await kairos(home, ['attestation', runId, '--format', 'bundle', '--out', 'run.sigstore.json']);
  text = readFileSync(join(home.work, 'run.dsse.json'), 'utf8');
  writeFileSync(join(home.work, 'key.pem'), (await kairos(home, ['key', 'show', '--pem'])).stdout);
});
afterAll(() => home.remove());

type Statement = { subject: { digest: { sha256: string } }[]; predicate: Record<string, never> };

/** The envelope with another statement, and the signature of the one before. */
function changed(change: (statement: Statement) => void): string {
  const envelope = JSON.parse(text) as { payload: string };
  const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as Statement;
  change(statement);
  envelope.payload = Buffer.from(JSON.stringify(statement)).toString('base64');
  writeFileSync(join(home.work, 'changed.json'), JSON.stringify(envelope));
  return 'changed.json';
}

describe('an attestation', () => {
  it('follows the published schema', async () => {
    const schema = JSON.parse((await kairos(home, ['schema', 'run-attestation'])).stdout) as object;
    const published = fileURLToPath(new URL('../../schemas/run-attestation.json', import.meta.url));
    expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(schema);
    const statement = JSON.parse(
      (await kairos(home, ['attestation', runId, '--format', 'statement'])).stdout,
    ) as Statement;
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect([validate(statement.predicate), validate.errors]).toEqual([true, null]);
    expect(validate({ ...statement.predicate, outcome: 'fine' })).toBe(false);
  });

  it.each(['run.dsse.json', 'run.sigstore.json'])('is verified by kairos: %s', async (file) => {
    const { code, objects } = await kairosJson(home, ['verify', file]);
    expect({ code, object: objects[0] }).toMatchObject({
      code: 0,
      object: { record: file, status: 'whole', run_id: runId, own_key: true, findings: [] },
    });
    const stranger = makeHome();
    const path = join(home.work, file);
    const [seen] = (await kairosJson(stranger, ['verify', path])).objects;
    expect(seen).toMatchObject({ status: 'whole', findings: [{ code: 'seal-key-unchecked' }] });
    const key = String(seen?.sealed_by);
    expect(await kairosJson(stranger, ['verify', path, '--key', key])).toMatchObject({ code: 0 });
    expect(await kairosJson(stranger, ['verify', path, '--key', '0'.repeat(64)])).toMatchObject({
      code: 1,
      objects: [{ findings: [{ code: 'seal-key-unknown' }] }],
    });
    stranger.remove();
  });

  it.each<[string, (statement: Statement) => void]>([
    ['outcome', ({ predicate }) => void Object.assign(predicate, { outcome: 'failure' })],
    ['subject', ({ subject }) => void Object.assign(subject[1]!.digest, { sha256: '0'.repeat(64) })],
    ['key', ({ predicate }) => void Object.assign(predicate, { signer: null })],
    ['form', ({ predicate }) => void Object.assign(predicate, { more: true })],
  ])('is not verified with a changed %s', async (_, change) => {
    expect(await kairosJson(home, ['verify', changed(change)])).toMatchObject({
      code: 1,
      objects: [{ status: 'broken', findings: [{ code: 'envelope-invalid' }] }],
    });
  });

  it('is made of an exported file that your key has sealed, and of no other', async () => {
    await kairos(home, ['runs', 'export', runId, '--out', 'run.jsonl']);
    const file = join(home.work, 'run.jsonl');
    const statement = (await kairos(home, ['attestation', runId, '--format', 'statement'])).stdout;
    expect((await kairos(home, ['attestation', 'latest'])).stderr).toMatch(
      new RegExp(`^latest is run ${runId.slice(0, 8)}: .+\\n$`),
    );
    expect(await kairos(home, ['attestation', 'run.jsonl', '--out', 'of-file.json'])).toMatchObject({
      code: 0,
    });
    expect(await kairosJson(home, ['verify', 'of-file.json'])).toMatchObject({ code: 0 });
    const stranger = makeHome();
    expect(await kairos(stranger, ['attestation', file, '--format', 'statement'])).toMatchObject({
      code: 0,
      stdout: statement,
    });
    expect(await kairos(stranger, ['attestation', file])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('which is not yours'),
    });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const changed = async (name: string, ...kept: string[]) => {
      writeFileSync(join(home.work, name), `${kept.join('\n')}\n`);
      return (await kairos(home, ['attestation', name])).stderr;
    };
    expect(await changed('cut.jsonl', ...lines.slice(1))).toContain('is damaged');
    expect(await changed('open.jsonl', ...lines.slice(0, -2))).toContain('only a sealed run');
    expect(await changed('none.jsonl', 'nothing')).toContain('is damaged');
    stranger.remove();
  });

  it('stays valid when the key is replaced', async () => {
    await kairos(home, ['key', 'rotate']);
    expect(await kairosJson(home, ['verify', 'run.dsse.json'])).toMatchObject({
      code: 0,
      objects: [{ own_key: true }],
    });
    await kairos(home, ['attestation', runId, '--out', 'again.json']);
    expect(await kairosJson(home, ['verify', 'again.json'])).toMatchObject({ code: 0 });
  });

  it('is verified by openssl', () => {
    const { payload, signatures } = JSON.parse(text) as { payload: string; signatures: { sig: string }[] };
    const bytes = Buffer.from(payload, 'base64');
    const file = (name: string, content: Buffer) => {
      writeFileSync(join(home.work, name), content);
      return join(home.work, name);
    };
    const head = `DSSEv1 28 application/vnd.in-toto+json ${bytes.length} `;
    const check = (signed: Buffer) =>
      spawnSync('openssl', [
        'pkeyutl',
        '-verify',
        '-pubin',
        '-inkey',
        join(home.work, 'key.pem'),
        '-rawin',
        '-in',
        file('pae', Buffer.concat([Buffer.from(head), signed])),
        '-sigfile',
        file('sig', Buffer.from(signatures[0]!.sig, 'base64')),
      ]).status;
    expect(check(bytes)).toBe(0);
    bytes[20]! ^= 1;
    expect(check(bytes)).not.toBe(0);
  });

  it.skipIf(!hasInToto)("is verified by in-toto's own libraries", () => {
    const call = (input: string) =>
      execFileSync(PYTHON, [SCRIPT, join(home.work, 'key.pem')], { input, encoding: 'utf8', stdio: 'pipe' });
    expect(call(text)).toBe('https://kairos-protocols.dev/attestation/run/v1\n');
    const file = changed(({ predicate }) => void Object.assign(predicate, { outcome: 'failure' }));
    expect(() => call(readFileSync(join(home.work, file), 'utf8'))).toThrow('VerificationError');
  });
});
