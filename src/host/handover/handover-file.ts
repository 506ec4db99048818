import { rm } from 'node:fs/promises';
import { KairosError } from '../../base/errors.ts';
import type { Handover } from '../../run/handover.ts';
import { readPrivateFile, replaceFile } from '../files/private-files.ts';
import { noteToText, readNoteText } from './handover-note.ts';

export interface HandoverFileOptions {
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
    hint: 'Remove it, or set KAIROS_HANDOVER_FILE to another name; a run can always be named: kairos resume RUN.',
  });
}
