import { createHmac, timingSafeEqual } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { canonical } from '../../base/canonical.ts';
import { hereCommand } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import { isObject, jsonOf } from '../../base/json.ts';
import type { Handover, HandoverNote } from '../../run/ports.ts';
import type { UserFolders } from '../files/paths.ts';
import { loadRandomKey, readPrivateFile, replaceFile } from '../files/private-files.ts';

interface HandoverFileOptions {
  /** Absolute; KAIROS_HANDOVER_FILE. */
  path: string;
  /** The key that its MAC is made with; see `loadHandoverKey`. */
  key: () => Promise<Uint8Array>;
  /** Called with the reason when a note could not be written or removed; the run continues. */
  warn: (reason: string) => void;
}

/** A handover note in a file of the user's own (0600), never reached through a symbolic link. */
export function handoverFile({ path, key, warn }: HandoverFileOptions): Handover {
  return {
    async read() {
      const text = await privateText(path);
      if (text === null) return null;
      const read = readNoteText(text, await key());
      if (read.kind === 'note') return read.note;
      throw refused(path, read.kind === 'foreign' ? FOREIGN : EDITED);
    },
    async write(note) {
      try {
        await requireOurs(path);
        await replaceFile(path, noteToText(note, await key()));
      } catch (error) {
        warn(`the handover file ${path} could not be written: ${(error as Error).message}`);
        throw error;
      }
    },
    async remove(runId) {
      try {
        const text = await privateText(path);
        if (text === null) return;
        const read = readNoteText(text, await key());
        if (read.kind === 'note' && read.note.runId === runId) await rm(path, { force: true });
      } catch (error) {
        warn(`the handover file ${path} could not be removed: ${(error as Error).message}`);
        throw error;
      }
    },
  };
}

const FOREIGN = 'it is not a handover file of kairos';
const EDITED = 'it was changed since, or written with the key of another user or machine';

/** A file with other content is never overwritten. */
async function requireOurs(path: string): Promise<void> {
  const text = await privateText(path);
  if (text !== null && readNoteText(text, new Uint8Array(32)).kind === 'foreign')
    throw refused(path, FOREIGN);
}

async function privateText(path: string): Promise<string | null> {
  return readPrivateFile(path, 'closed').catch((error: unknown) => {
    throw refused(path, (error as Error).message);
  });
}

function refused(path: string, reason: string): KairosError {
  return new KairosError('HANDOVER_REFUSED', `the handover file ${path} is not used: ${reason}`, {
    hint: `Remove it, or set KAIROS_HANDOVER_FILE to another name; a run can always be named: ${hereCommand(['resume', 'RUN'])}.`,
  });
}

const count = () => z.int().check(z.gte(0));
const noteSchema = z.strictObject({
  format: z.literal('kairos.handover'),
  v: z.literal(1),
  SESSION_ID: z.nullable(z.string()),
  run_id: z.string(),
  chain_uri: z.string(),
  step_index: count(),
  current_challenge: z.nullable(z.record(z.string(), z.json())),
  state: z.strictObject({
    space: z.string(),
    actor: z.string(),
    digest: z.string(),
    step_count: count(),
    passed: count(),
    echo: z.string(),
    proofs: z.strictObject({ claimed: count(), client: count(), observed: count(), attested: count() }),
  }),
  updated_at: z.string(),
  mac: z.string(),
});

type ReadNote =
  | { kind: 'note'; note: HandoverNote }
  /** It claims to be a handover note, but its MAC or its form is wrong. */
  | { kind: 'edited' }
  | { kind: 'foreign' };

/** A note as JSON for people and programs to read, under a MAC: HMAC-SHA-256 (RFC 2104) over the RFC 8785 text of the rest. */
export function noteToText(note: HandoverNote, key: Uint8Array): string {
  const body = bodyOf(note);
  return textOf({ ...body, mac: macOf(body, key) });
}

/** Reads what `noteToText` wrote. Never throws. */
export function readNoteText(text: string, key: Uint8Array): ReadNote {
  const value = jsonOf(text);
  if (!isObject(value) || value.format !== 'kairos.handover') return { kind: 'foreign' };
  // A duplicate key, for example, is lost in reading, so another reader may understand the note differently.
  if (text !== textOf(value)) return { kind: 'edited' };
  const parsed = noteSchema.safeParse(value);
  if (!parsed.success) return { kind: 'edited' };
  const { mac, ...body } = parsed.data;
  if (!isEqual(mac, macOf(body, key))) return { kind: 'edited' };
  const { step_count: stepCount, ...state } = body.state;
  return {
    kind: 'note',
    note: {
      session: body.SESSION_ID,
      runId: body.run_id,
      chainUri: body.chain_uri,
      stepIndex: body.step_index,
      currentChallenge: body.current_challenge,
      state: { ...state, stepCount },
      updatedAt: body.updated_at,
    },
  };
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function bodyOf({ session, runId, chainUri, stepIndex, currentChallenge, state, updatedAt }: HandoverNote) {
  const { stepCount, ...rest } = state;
  return {
    format: 'kairos.handover',
    v: 1,
    SESSION_ID: session,
    run_id: runId,
    chain_uri: chainUri,
    step_index: stepIndex,
    current_challenge: currentChallenge,
    state: { ...rest, step_count: stepCount },
    updated_at: updatedAt,
  };
}

function macOf(body: unknown, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`kairos.handover.v1\n${canonical(body)}`)
    .digest('hex');
}

function isEqual(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** The key of the MAC on handover notes (32 bytes, in hex), created when missing. Throws KEY_UNUSABLE. */
export function loadHandoverKey({ data }: Pick<UserFolders, 'data'>): Promise<Uint8Array> {
  return loadRandomKey(join(data, 'keys', 'handover.key'), 'the key of handover files');
}
