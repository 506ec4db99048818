import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  handoverFile,
  loadHandoverKey,
  noteToText,
  readNoteText,
} from '../../src/host/handover/handover-file.ts';
import type { HandoverNote } from '../../src/run/ports.ts';

let folder: string;
let path: string;
let warnings: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairos-handover-'));
  path = join(folder, 'kairos-session-handover.txt');
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const KEY = Buffer.alloc(32, 7);
const NOTE: HandoverNote = {
  session: 's1',
  runId: 'r1',
  chainUri: 'kairos://mem/x',
  stepIndex: 2,
  currentChallenge: { type: 'comment', comment: { min_length: 10 } },
  state: {
    space: 'default',
    actor: 'ada',
    digest: 'd',
    stepCount: 3,
    passed: 1,
    echo: 'e',
    proofs: { claimed: 1, client: 0, observed: 0, attested: 0 },
  },
  updatedAt: '2026-01-02T03:04:05.678Z',
};
const file = (key: Uint8Array = KEY) =>
  handoverFile({ path, key: async () => key, warn: (reason) => warnings.push(reason) });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message.replace(path, 'FILE')}`,
  );

describe('handoverFile', () => {
  it('keeps the note in a separate private file, and no other file next to it', async () => {
    expect(await file().read()).toBeNull();
    await file().write(NOTE);
    await file().write({ ...NOTE, stepIndex: 3 });
    expect(await file().read()).toEqual({ ...NOTE, stepIndex: 3 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['kairos-session-handover.txt']);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      SESSION_ID: 's1',
      run_id: 'r1',
      chain_uri: 'kairos://mem/x',
      step_index: 3,
      current_challenge: { type: 'comment' },
      updated_at: '2026-01-02T03:04:05.678Z',
    });
  });

  it('is removed for its own run only', async () => {
    await file().write(NOTE);
    await file().remove('r2');
    expect(existsSync(path)).toBe(true);
    await file().remove('r1');
    await file().remove('r1');
    expect(existsSync(path)).toBe(false);
  });

  it('refuses an edited note, and one under another key', async () => {
    await file().write(NOTE);
    expect(await failure(file(randomBytes(32)).read())).toBe(
      'HANDOVER_REFUSED: the handover file FILE is not used: it was changed since, or written with the key of another user or machine',
    );
    writeFileSync(path, readFileSync(path, 'utf8').replace('"step_index": 2', '"step_index": 3'));
    expect(await failure(file().read())).toMatch(/it was changed since/);
    // What is current may take the place of what was spoilt.
    await file().write(NOTE);
    expect(await file().read()).toEqual(NOTE);
  });

  it("never overwrites another person's file, and reports it", async () => {
    for (const text of ['my notes', '{"mine": true}', 'null', '']) {
      writeFileSync(path, text, { mode: 0o600 });
      const refusal =
        'HANDOVER_REFUSED: the handover file FILE is not used: it is not a handover file of kairos';
      expect(await failure(file().write(NOTE))).toBe(refusal);
      expect(await failure(file().read())).toBe(refusal);
      await file().remove('r1');
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    expect(warnings).toHaveLength(4);
  });

  it('never follows a link, nor accepts a file that others can read', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, noteToText(NOTE, KEY), { mode: 0o600 });
    symlinkSync(target, path);
    expect(await failure(file().read())).toMatch(/it is a symbolic link$/);
    expect(await failure(file().write(NOTE))).toMatch(/it is a symbolic link$/);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    rmSync(path);
    writeFileSync(path, noteToText(NOTE, KEY));
    chmodSync(path, 0o644);
    expect(await failure(file().read())).toMatch(/others have access to it \(mode 0644\)$/);
  });

  it('reports that there is no place for it', async () => {
    rmSync(folder, { recursive: true });
    expect(await failure(file().write(NOTE))).toMatch(/ENOENT/);
    expect(warnings).toEqual([expect.stringContaining('could not be written')]);
  });
});

describe('readNoteText', () => {
  const text = noteToText(NOTE, KEY);

  it('rejects a text in which any meaningful part is changed', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom('0', '9', 'a', 'Z', '"', '-'), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        const read = readNoteText(changed, KEY);
        expect(read).toEqual(
          changed === text
            ? { kind: 'note', note: NOTE }
            : { kind: expect.stringMatching(/^(?:edited|foreign)$/) },
        );
      }),
      { numRuns: 300 },
    );
  });

  it('rejects a text that only reads the same, because other readers read a duplicate key differently', () => {
    for (const changed of [text.replace('{', '{ "run_id": "x",'), text.replaceAll('\n', ' '), `${text}\n`])
      expect(readNoteText(changed, KEY)).toEqual({ kind: 'edited' });
  });
});

describe('loadHandoverKey', () => {
  it('is made once, kept closed, and refused when others can read it', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => loadHandoverKey({ data: folder })));
    expect(keys[0]).toHaveLength(32);
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    const keyFile = join(folder, 'keys/handover.key');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    chmodSync(keyFile, 0o644);
    expect(await failure(loadHandoverKey({ data: folder }))).toMatch(/^KEY_UNUSABLE: /);
    chmodSync(keyFile, 0o600);
    writeFileSync(keyFile, 'short');
    expect(await failure(loadHandoverKey({ data: folder }))).toMatch(/it contains no key$/);
  });
});
