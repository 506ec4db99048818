import { atPointer, isObject, jsonEqual, type LookUp, memberOf } from '../../base/json.ts';
import { meets } from '../../proof/demand.ts';
import type { PatternTools } from '../../proof/verdict.ts';
import type { Assurance } from '../../protocol/schema.ts';
import { bindingsOf, coveringRules, quorumOf } from '../effective.ts';
import type { Case, EvidenceProof, GateRule } from '../input.ts';
import { smallest } from '../policy/rule-for.ts';
import type { PolicyRule } from '../policy/schema.ts';
import type { EvidenceBinding, Precondition } from '../proposal.ts';
import { describeValue, violations } from '../violation.ts';

const unfounded = violations('V-PROP-013');

export const evidence: GateRule = {
  code: 'V-PROP-013',
  title: 'All preconditions must reference valid evidence',
  check: (item) => {
    const facts = evidenceFacts(item);
    return item.parts.preconditions.flatMap(({ at, precondition }) => {
      const resolution = resolveEvidence(precondition.evidence_ref, facts);
      return resolution.ok ? [] : [unfounded(`/preconditions/${at}/evidence_ref`, resolution.message)];
    });
  },
};

const contradicted = violations('K-PROP-121');

export const preconditionHolds: GateRule = {
  code: 'K-PROP-121',
  title: 'The evidence satisfies every precondition',
  check: (item) => {
    const facts = evidenceFacts(item);
    return item.parts.preconditions.flatMap(({ at, precondition }) => {
      const { field, operator, value, evidence_ref: ref } = precondition;
      const resolution = resolveEvidence(ref, facts);
      if (!resolution.ok) return [];
      const actual = lookUp(resolution.proof.packet, field);
      if (!actual.found)
        return [contradicted(`/preconditions/${at}/field`, 'The evidence has no such field.')];
      if (isElsewhere(resolution.proof, item) && quorumOf(item)?.needed === 0)
        return [
          contradicted(
            `/preconditions/${at}/evidence_ref`,
            'The evidence is of another directory or host than the action, and no person has to approve it.',
          ),
        ];
      const holding = holds(operator, actual.value, value, item.tools.patterns);
      if (holding === undefined)
        return [contradicted(`/preconditions/${at}/value`, 'The pattern is too slow for the evidence.')];
      if (holding) return [];
      const asked = `${operator} ${describeValue(value)}`;
      return [
        contradicted(
          `/preconditions/${at}`,
          `The evidence contains ${describeValue(actual.value)}, but the precondition requires ${asked}.`,
        ),
      ];
    });
  },
};

/** Whether evidence was read in another place than where the action is done. */
export function isElsewhere({ place }: EvidenceProof, { gated }: Case): boolean {
  if (place === undefined || gated.place === undefined) return false;
  return place.host !== gated.place.host || place.workdir !== gated.place.workdir;
}

/** What references of this proposal are resolved with. */
export function evidenceFacts(item: Case): EvidenceFacts {
  return { evidence: item.evidence, bindings: bindingsOf(item), rules: coveringRules(item), now: item.now };
}

type Resolution = { ok: true; proof: EvidenceProof } | { ok: false; message: string };

interface EvidenceFacts {
  evidence: readonly EvidenceProof[];
  bindings: readonly EvidenceBinding[];
  rules: readonly PolicyRule[];
  now: number;
}

const REFUSALS = {
  unknown:
    'It names no proof of this run: step:<number>, the hash of a proof, or an evidence_id that is bound.',
  ambiguous: 'Its evidence_id is bound more than once.',
  stale: 'The proof is older than it may be.',
  future: 'The proof lies in the future of this clock.',
} as const;

/** The proof that a reference means, if it may be relied on now. A name of the bindings never hides a step or a hash. */
export function resolveEvidence(ref: string, facts: EvidenceFacts): Resolution {
  const direct = directProof(ref, facts.evidence);
  if (direct !== undefined) return judged(direct, undefined, facts);
  if (isDirect(ref)) return refused('unknown');
  const bound = facts.bindings.filter(({ evidence_id }) => evidence_id === ref);
  const [binding] = bound;
  if (binding === undefined) return refused('unknown');
  if (bound.length > 1) return refused('ambiguous');
  const proof = directProof(binding.ref, facts.evidence);
  return proof === undefined ? refused('unknown') : judged(proof, binding.freshness_ms, facts);
}

function judged(proof: EvidenceProof, freshness: number | undefined, facts: EvidenceFacts): Resolution {
  const { rules, now } = facts;
  const least = leastAssurance(proof.type, rules);
  if (!meets(proof.assurance, least))
    return {
      ok: false,
      message: `The proof has the assurance ${proof.assurance}, and evidence needs at least ${least}.`,
    };
  const age = now - proof.at;
  if (age < 0) return refused('future');
  const limit = smallest([freshness, ...rules.map(({ freshness_ms }) => freshness_ms)]);
  return limit !== undefined && age > limit ? refused('stale') : { ok: true, proof };
}

/** The strictest of the rules that apply; else `observed`, and `client` for what only a person can answer. */
function leastAssurance(type: string, rules: readonly PolicyRule[]): Assurance {
  const said = rules.flatMap(({ evidence_assurance }) => evidence_assurance ?? []);
  if (said.length === 0) return type === 'user_input' ? 'client' : 'observed';
  return said.reduce((a, b) => (meets(a, b) ? a : b));
}

function isDirect(ref: string): boolean {
  return /^step:|^[0-9a-f]{64}$/.test(ref);
}

function directProof(ref: string, evidence: readonly EvidenceProof[]): EvidenceProof | undefined {
  const step = /^step:([1-9][0-9]{0,5})$/.exec(ref)?.[1];
  // Of a step that asked a model first it is the proof that counts, which came last.
  if (step !== undefined) return evidence.findLast((proof) => proof.step === Number(step));
  return evidence.find(({ hash }) => hash === ref);
}

function refused(reason: keyof typeof REFUSALS): Resolution {
  return { ok: false, message: REFUSALS[reason] };
}

/**
 * Whether evidence satisfies an operator with the expected value. Values of different JSON types fail every
 * operator, `ne` too, because values that can't be compared are unknown, not different. `eq` and `ne` by RFC
 * 8785 equality, `gt` and `lt` on numbers, `contains` a substring or an element, `matches` RE2 over the whole
 * text. Undefined: the pattern is too slow.
 */
export function holds(
  operator: Precondition['operator'],
  actual: unknown,
  value: unknown,
  patterns: PatternTools,
): boolean | undefined {
  switch (operator) {
    case 'eq':
      return jsonType(actual) === jsonType(value) && jsonEqual(actual, value);
    case 'ne':
      return jsonType(actual) === jsonType(value) && !jsonEqual(actual, value);
    case 'gt':
      return isNumber(actual) && isNumber(value) && actual > value;
    case 'lt':
      return isNumber(actual) && isNumber(value) && actual < value;
    case 'contains':
      if (Array.isArray(actual)) return actual.some((element) => jsonEqual(element, value));
      return typeof actual === 'string' && typeof value === 'string' && actual.includes(value);
    case 'matches':
      return typeof actual === 'string' && typeof value === 'string' && patterns.fullMatch(value, actual);
  }
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isObject(value) ? 'object' : typeof value;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** A JSON Pointer (RFC 6901) when it is empty or begins with `/`, else the name of a top-level member. Own members only. */
export function lookUp(packet: unknown, field: string): LookUp {
  return field === '' || field.startsWith('/') ? atPointer(packet, field) : memberOf(packet, field);
}
