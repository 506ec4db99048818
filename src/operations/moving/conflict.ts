import { KairosError } from '../../base/errors.ts';

/** What prevents a move, found before anything was written. `places`: the first of `total`, one a line. */
export function conflict(places: readonly string[], total: number): KairosError {
  const more = total > places.length ? [`and ${total - places.length} more`] : [];
  const lines = [...places, ...more].map((line) => `  ${line}`);
  return new KairosError(
    'IMPORT_CONFLICT',
    `${total} of the records cannot be imported:\n${lines.join('\n')}`,
    {
      hint: 'Nothing was written. --on-conflict skip leaves out what differs here, --on-conflict replace adds newer content as a new revision. A ledger that differs is never imported.',
      data: { conflicts: [...places], total },
    },
  );
}

/** Another process wrote to the store between the check and the write. */
export function changedMeanwhile(what: string): KairosError {
  return new KairosError('IMPORT_CONFLICT', `${what}: the store changed during the import`, {
    hint: 'The records before this one were imported completely. Run the same command again.',
  });
}
