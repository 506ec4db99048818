import { KairosError } from '../../base/errors.ts';

/** What stands in the way of a move, before anything was written. `places`: the first of `total`, each a line. */
export function conflict(places: readonly string[], total: number): KairosError {
  const more = total > places.length ? [`and ${total - places.length} more`] : [];
  const lines = [...places, ...more].map((line) => `  ${line}`);
  return new KairosError(
    'IMPORT_CONFLICT',
    `${total} of the records cannot be taken in:\n${lines.join('\n')}`,
    {
      hint: 'Nothing was written. --on-conflict skip leaves out what is different here, --on-conflict replace puts newer content on top; a ledger that differs is never taken in.',
      data: { conflicts: [...places], total },
    },
  );
}

/** The store was written to by somebody else between checking and writing. */
export function changedMeanwhile(what: string): KairosError {
  return new KairosError('IMPORT_CONFLICT', `${what}: the store was changed in between`, {
    hint: 'What was taken in before this record stays, whole. Run the same command again.',
  });
}
