import { generateKeyPairSync } from 'node:crypto';
import { signTombstone } from '../../src/ledger/beside.ts';
import {
  type EntryData,
  type EntryKind,
  type LedgerEntry,
  makeEntry,
  type Seal,
} from '../../src/ledger/entry.ts';
import { makeSeal } from '../../src/ledger/seal.ts';
import { chainId, digest } from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';
import type { NewRevision } from '../../src/store/port.ts';

export const SPACE = 'personal';
export const AT = '2026-01-02T03:04:05.678Z';

/** A chain's content with `steps` steps, the rest as given. */
export function contentOf(
  parts: Partial<Omit<ChainContent, 'steps'>> & { steps?: number } = {},
): ChainContent {
  const { steps = 2, ...rest } = parts;
  return {
    slug: 'water-the-plants',
    title: 'Water the plants',
    version: '1.0.0',
    tags: ['home'],
    description: 'Keeps them green.',
    triggers: '- "the ferns look dry"',
    completion_rule: null,
    steps: Array.from({ length: steps }, (_, index) => ({
      label: `Step ${index + 1}`,
      body: `Fill can ${index + 1}.`,
      block: null,
    })),
    ...rest,
  };
}

/** A listed revision of the content, its ids computed as the product does. */
export function revisionOf(content: ChainContent, parts: Partial<NewRevision> = {}): NewRevision {
  const space = parts.space ?? SPACE;
  return {
    digest: digest(content),
    chainId: chainId(space, content.slug),
    space,
    content,
    author: 'ada',
    llmModelId: null,
    createdAt: AT,
    weakened: null,
    listed: true,
    ...parts,
  };
}

/** The first entry of a run of the content. */
export function begun(runId: string, parts: Partial<EntryData> = {}, at = AT): LedgerEntry {
  const content = contentOf();
  return makeEntry(runId, null, at, 'run.begun', {
    chain_id: chainId(SPACE, content.slug),
    slug: content.slug,
    title: content.title,
    digest: digest(content),
    space: SPACE,
    actor: 'ada',
    session: null,
    store_seq: 1,
    previous_head: null,
    ...(parts as EntryData),
  });
}

/** The entry after `previous`. */
export function next(previous: LedgerEntry, kind: EntryKind, data: EntryData = {}, at = AT): LedgerEntry {
  return makeEntry(previous.run_id, previous, at, kind, data);
}

/** A seal that fits a run whose last entry is given. The signature is not looked at by stores. */
export function sealOf(last: LedgerEntry): Seal {
  return {
    seal: {
      v: 1,
      run_id: last.run_id,
      head: last.hash,
      count: last.seq + 1,
      alg: 'ed25519',
      public_key: 'AAAA',
      signature: 'BBBB',
    },
  };
}

const KEY = generateKeyPairSync('ed25519');

/** The tombstone of a run of the content of `begun`, whose last entry is given. */
export function tombstone(runId: string, last: LedgerEntry): Promise<string> {
  const { data } = begun(runId);
  const [head, count] = [last.hash, last.seq + 1];
  return signTombstone(
    {
      v: 1,
      kind: 'tombstone',
      run_id: runId,
      space: SPACE,
      chain_id: String(data.chain_id),
      digest: String(data.digest),
      slug: String(data.slug),
      title: String(data.title),
      actor: 'ada',
      session: null,
      begun_at: AT,
      sealed_at: AT,
      outcome: 'success',
      head,
      count,
      seal: makeSeal(runId, head, count, KEY).seal,
      pruned_at: AT,
      by: 'ada',
      archive: null,
    },
    KEY,
  );
}
