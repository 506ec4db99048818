import { verifyEntries } from '../../ledger/verify.ts';
import { chainId, digest, isReservedChain, isSlug } from '../../protocol/identity.ts';
import type { ChainRecord, RunRecord } from '../../store/port.ts';
import { runFacts } from '../../store/run-row.ts';
import type { MovedRecord } from './record.ts';

/** What is wrong with a well-formed record, to follow its name; null when it is intact. Quotes no content. */
export function recordFault(record: MovedRecord): string | null {
  return record.kind === 'chain' ? chainFault(record.chain) : runFault(record.run);
}

/** Ids follow from space and slug, digests from contents, the order from numbers. */
function chainFault({ chainId: id, space, head, revisions, quality }: ChainRecord): string | null {
  const reserved = isReservedChain(id);
  if (reserved && head !== null) return 'is part of kairos and cannot be listed';
  for (const { number, content, digest: named } of revisions) {
    if (digest(content) !== named)
      return `contains other content under digest ${named} than the one that was hashed`;
    if (!isSlug(content.slug) || (!reserved && chainId(space, content.slug) !== id))
      return `does not have the id that the space and slug of revision ${number} give`;
  }
  if (
    !ascending(revisions, (a, b) => b.number - a.number || (b.number === 0 ? order(a.digest, b.digest) : 0))
  )
    return 'has duplicate revisions or revisions out of order';
  if (head !== null && revisions.at(-1)?.number !== head) return 'has a head that is not its newest revision';
  if (!ascending(quality, (a, b) => order(a.digest, b.digest)))
    return 'has duplicate counts or counts out of order';
  if (quality.some(({ runs, successes, bonus }) => successes > runs || Math.abs(bonus) > runs))
    return 'has impossible counts';
  return null;
}

/** The ledger is recomputed from its first entry to its seal. */
function runFault({ runId, entries, seal }: RunRecord): string | null {
  const { status, findings, run_id } = verifyEntries(entries, seal, { expectSealed: seal !== null });
  if (status === 'broken') {
    const [first] = findings.filter(({ severity }) => severity === 'error');
    return `has a ledger that is not intact: ${first?.message ?? ''}`;
  }
  if (run_id !== runId) return 'has the ledger of another run';
  try {
    const facts = Object.values(runFacts(entries));
    return facts.some((fact) => fact !== null && /[\0\p{Cs}]/u.test(fact))
      ? 'begins with a text that contains NUL'
      : null;
  } catch (error) {
    return `cannot be listed: ${(error as Error).message}`;
  }
}

/** Items in strict order: `gap` is positive for each next one. */
function ascending<T>(items: readonly T[], gap: (a: T, b: T) => number): boolean {
  return items.every((item, at) => at === 0 || gap(items[at - 1] as T, item) > 0);
}

function order(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0;
}
