import { meets } from '../proof/assurance.ts';
import { isJsonObject, own } from '../proof/json-equal.ts';
import type { Assurance } from '../protocol/schema.ts';
import type { RiskEnvelope } from './proposal.ts';

/** What became of the effects that were allowed. */
export type Receipt = {
  permit_id: string;
  proposal_hash: string;
  max_affected_records: number | null;
  /** As kairos itself saw them; null where it saw nothing. */
  affected_records: number | null;
  effects: 'within' | 'exceeded' | 'unverified';
};

/**
 * Compares what was observed with what was allowed. Only a number that kairos itself read counts: a top-level
 * `affected_records` of the evidence (also inside `stdout_json`), of a proof that is observed or more.
 */
export function receiptOf(
  permit: { permitId: string; proposalHash: string },
  envelope: RiskEnvelope | undefined,
  packet: unknown,
  assurance: Assurance,
): Receipt {
  const affected = meets(assurance, 'observed') ? affectedRecords(packet) : null;
  const max = envelope?.max_affected_records ?? null;
  return {
    permit_id: permit.permitId,
    proposal_hash: permit.proposalHash,
    max_affected_records: max,
    affected_records: affected,
    effects: affected === null || max === null ? 'unverified' : affected <= max ? 'within' : 'exceeded',
  };
}

function affectedRecords(packet: unknown): number | null {
  if (!isJsonObject(packet)) return null;
  const value = own(packet, 'affected_records') ?? memberOf(own(packet, 'stdout_json'));
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function memberOf(value: unknown): unknown {
  return isJsonObject(value) ? own(value, 'affected_records') : undefined;
}
