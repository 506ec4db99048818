import type { Json, LedgerEntry } from './entry.ts';
import type { FindingCode } from './finding.ts';

/** What has been read of permits so far. */
export interface PermitReading {
  /** Step by permit that a decision has given. */
  given: Map<string, Json>;
  /** Step by used permit, and whether it was for a rollback. */
  used: Map<string, { step: Json; rollback: boolean }>;
  /** Permits of rollbacks that have ended. */
  ended: Set<string>;
}

export function noPermits(): PermitReading {
  return { given: new Map(), used: new Map(), ended: new Set() };
}

/** Whether a permit is used that was given, for its step and once, and only what was begun under one has ended. */
export function checkPermits(
  reading: PermitReading,
  { kind, data }: LedgerEntry,
  tell: (code: FindingCode, what: string) => void,
): void {
  const { step = null, permit_id: id } = data;
  switch (kind) {
    case 'proposal.decided':
      if (data.decision === 'ALLOW' && isObject(data.permit) && typeof data.permit.permit_id === 'string')
        reading.given.set(data.permit.permit_id, step);
      return;
    case 'run.moved':
    case 'policy.adopted':
      // What was given before is void.
      reading.given.clear();
      return;
    case 'permit.consumed':
      if (typeof id !== 'string') return;
      if (reading.used.has(id)) tell('permit-reused', 'uses a permit a second time');
      if (!reading.given.has(id) || reading.given.get(id) !== step)
        tell('permit-unknown', 'uses a permit that no decision has given for its step');
      reading.used.set(id, { step, rollback: data.rollback === true });
      return;
    case 'step.shown':
      if (typeof id === 'string' && reading.used.get(id)?.step !== step)
        tell('permit-unknown', 'shows what needs a permit, and none was used for its step');
      return;
    case 'rollback.done': {
      if (typeof id !== 'string') return;
      const used = reading.used.get(id);
      if (reading.ended.has(id)) tell('permit-reused', 'ends a rollback a second time');
      if (used?.rollback !== true || used.step !== step)
        tell('permit-unknown', 'ends a rollback that was not begun for its step');
      reading.ended.add(id);
    }
  }
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
