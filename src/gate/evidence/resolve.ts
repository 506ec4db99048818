import { meets } from '../../proof/assurance.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { EvidenceProof } from '../input.ts';
import { smallest } from '../policy/rule-for.ts';
import type { PolicyRule } from '../policy/schema.ts';
import type { EvidenceBinding } from '../proposal.ts';

export type Resolution = { ok: true; proof: EvidenceProof } | { ok: false; message: string };

export interface EvidenceFacts {
  evidence: readonly EvidenceProof[];
  bindings: readonly EvidenceBinding[];
  rules: readonly PolicyRule[];
  now: number;
}

const REFUSALS = {
  unknown:
    'It names no proof of this run: step:<number>, the hash of a proof, or an evidence_id that is bound.',
  ambiguous: 'Its evidence_id is bound more than once.',
  weak: 'The proof is worth less than evidence has to be.',
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
  if (!meets(proof.assurance, leastAssurance(proof.type, rules))) return refused('weak');
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
