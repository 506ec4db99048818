import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import type { TrustRecord, TrustStore } from '../../run/ports.ts';
import { ensurePrivateFolder, isCode, readPrivateFile, replaceFile } from '../files/private-files.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Trust as files, one JSON object per digest (64 lower-case hex digits) in a separate folder. Files that
 * others could have written or changed are rejected with FILE_UNREADABLE and never count as missing. Nothing
 * is created before `grant`.
 */
export function fileTrustStore(folder: string): TrustStore {
  const pathOf = (digest: string) => {
    if (DIGEST.test(digest)) return join(folder, `${digest}.json`);
    throw new KairosError('INVALID_INPUT', `not a digest: ${JSON.stringify(digest)}`, {
      hint: 'A digest is 64 lower-case hex digits.',
    });
  };

  async function get(digest: string): Promise<TrustRecord | null> {
    const path = pathOf(digest);
    if (!(await checkedFolder(folder))) return null;
    const text = await refusing(path, readPrivateFile(path, 'readable'));
    return text === null ? null : parseRecord(path, digest, text);
  }

  async function list(): Promise<TrustRecord[]> {
    if (!(await checkedFolder(folder))) return [];
    const names = (await refusing(folder, readdir(folder))).filter((name) =>
      /^[0-9a-f]{64}\.json$/.test(name),
    );
    const records = await Promise.all(names.map((name) => get(name.slice(0, 64))));
    return records
      .filter((record) => record !== null)
      .sort((a, b) => b.trustedAt.localeCompare(a.trustedAt) || a.digest.localeCompare(b.digest));
  }

  return {
    get,
    list,
    async grant({ digest, chainId, slug, title, trustedAt, by, holds }) {
      const path = pathOf(digest);
      await refusing(folder, ensurePrivateFolder(folder));
      const record = {
        digest,
        chainId,
        slug,
        title,
        trustedAt,
        by,
        ...(holds === undefined ? {} : { holds }),
      };
      await refusing(path, replaceFile(path, `${JSON.stringify(record, null, 2)}\n`));
      await keepHolds(folder, await list());
    },
    async revoke(digest) {
      const path = pathOf(digest);
      try {
        await rm(path);
      } catch (error) {
        if (isCode(error, 'ENOENT')) return false;
        throw unreadable(path, error);
      }
      await keepHolds(folder, await list());
      return true;
    },
  };
}

/** One file with the holds of trusted contents, so that a hook needn't read every record. */
export const TRUSTED_HOLDS = 'holds.json';

/** Writes the holds of the content that was trusted last of each protocol; removes the file without any. */
async function keepHolds(folder: string, newestFirst: readonly TrustRecord[]): Promise<void> {
  const path = join(folder, TRUSTED_HOLDS);
  const newest = new Map<string, TrustRecord>();
  for (const record of newestFirst) if (!newest.has(record.chainId)) newest.set(record.chainId, record);
  const lists = [...newest.values()].flatMap(({ digest, slug, holds = [] }) =>
    holds.length === 0 ? [] : [{ digest, holds: holds.map((hold) => ({ ...hold, protocol: slug })) }],
  );
  if (lists.length === 0) await rm(path, { force: true });
  else await refusing(path, replaceFile(path, `${JSON.stringify(lists, null, 2)}\n`));
}

/** False when there is no folder yet. */
async function checkedFolder(folder: string): Promise<boolean> {
  try {
    await lstat(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw unreadable(folder, error);
  }
  await refusing(folder, ensurePrivateFolder(folder));
  return true;
}

function parseRecord(path: string, digest: string, text: string): TrustRecord {
  let value: Partial<Record<keyof TrustRecord, unknown>> | null;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(path, cause);
  }
  const fields = ['digest', 'chainId', 'slug', 'title', 'trustedAt', 'by'] as const;
  if (fields.some((field) => typeof value?.[field] !== 'string'))
    throw unreadable(path, new Error('a field is missing'));
  const { holds } = value as Partial<TrustRecord>;
  const record = {
    ...Object.fromEntries(fields.map((field) => [field, value?.[field]])),
    ...(holds === undefined ? {} : { holds }),
  } as TrustRecord;
  if (record.digest !== digest) throw unreadable(path, new Error('it is about another digest'));
  return record;
}

async function refusing<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((cause) => {
    throw unreadable(path, cause);
  });
}

function unreadable(path: string, cause: unknown): KairosError {
  return new KairosError(
    'FILE_UNREADABLE',
    `${path} cannot be relied on for trust: ${(cause as Error).message}`,
    {
      hint: 'Look at it, remove it, or restrict it to yourself (chmod 700 the folder, 600 the file); then give trust again.',
      cause,
    },
  );
}
