import { isObject, own } from '../base/json.ts';
import { meets } from '../proof/demand.ts';
import { resultForms } from '../proof/mcp.ts';
import type { Assurance } from '../protocol/schema.ts';
import { readJsonStrictly } from './json/read.ts';
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
  if (!isObject(packet)) return null;
  const value = own(packet, 'affected_records') ?? memberOf(own(packet, 'stdout_json'));
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function memberOf(value: unknown): unknown {
  return isObject(value) ? own(value, 'affected_records') : undefined;
}

/**
 * Which fields of a proof can be looked up. mcp: the tool's result (structured, else its single text parsed,
 * else raw). shell: `exit_code`, `stdout`, `stderr`, `duration_ms`, and `stdout_json` when the whole output
 * is one JSON document. user_input: `confirmation`. comment: `text`. sampling: the result itself. `stored` is
 * the type's object of the ledger entry.
 */
export function packetOf(type: string, stored: unknown): unknown {
  if (!isObject(stored)) return null;
  if (type === 'mcp') {
    const result = own(stored, 'result_json');
    return typeof result === 'string' ? resultOf(JSON.parse(result)) : null;
  }
  if (type === 'sampling') {
    const result = own(stored, 'result_json');
    return typeof result === 'string' ? JSON.parse(result) : null;
  }
  if (type === 'shell') {
    const stdout = own(stored, 'stdout');
    const json = typeof stdout === 'string' && isWhole(stdout, stored) ? readJsonStrictly(stdout) : null;
    return json !== null && json.violations.length === 0 ? { ...stored, stdout_json: json.value } : stored;
  }
  return stored;
}

/** A text that is JSON is read as strictly as a command's output is: what would be read as something else stays a text. */
function resultOf(result: unknown): unknown {
  const [form, text] = resultForms(result);
  if (typeof text !== 'string') return form;
  const { value, violations } = readJsonStrictly(text, Number.POSITIVE_INFINITY);
  return violations.length === 0 ? value : text;
}

/** Not cut to its head and tail. */
function isWhole(stdout: string, stored: Record<string, unknown>): boolean {
  const bytes = own(stored, 'stdout_bytes');
  return bytes === undefined || bytes === Buffer.byteLength(stdout);
}
