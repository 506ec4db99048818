import { packetOf } from '../../gate/evidence/packet.ts';
import { type Receipt, receiptOf } from '../../gate/receipt.ts';
import type { EntryData } from '../../ledger/entry.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { RunState } from '../state.ts';
import type { Station } from '../stations.ts';
import { openProposal, templateOf } from './guard.ts';

/** What an accepted proof of a gated step shows about the allowed effects; nothing for other steps. */
export function receiptFor(
  state: RunState,
  station: Exclude<Station, { kind: 'none' }>,
  proof: EntryData,
  assurance: Assurance,
): { receipt?: Receipt } {
  const { open } = state.gate;
  if (open === null || templateOf(station) === undefined) return {};
  const packet = packetOf(station.demand.type, proof);
  return { receipt: receiptOf(open, openProposal(state)?.risk_envelope, packet, assurance) };
}
