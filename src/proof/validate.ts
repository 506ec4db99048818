import { isObject, own } from '../base/json.ts';
import { cleanText, type EntryData } from '../ledger/entry.ts';
import type { ProofOfWork } from '../protocol/schema.ts';
import { validateComment } from './comment.ts';
import type { Demand } from './demand.ts';
import { validateMcp } from './mcp.ts';
import { validateSampling } from './sampling.ts';
import { validateShell } from './shell.ts';
import type { Solution } from './solution.ts';
import { type ProofFacts, type ProofTools, rejectProof, type Verdict } from './verdict.ts';

export type { ProofFacts, ProofTools, Verdict } from './verdict.ts';

type Validator<T extends Demand['type']> = (
  demand: Extract<Demand, { type: T }>,
  payload: unknown,
  facts: ProofFacts,
  tools: ProofTools,
) => Verdict;

/** One validator for each type. A new one is a file and a line here. */
const VALIDATORS: { [T in Demand['type']]: Validator<T> } = {
  shell: validateShell,
  mcp: validateMcp,
  user_input: validateUserInput,
  comment: validateComment,
  sampling: validateSampling,
};

/**
 * Whether a solution satisfies a demand: its type first, then its payload (SPEC 3.4; nonce and proof_hash before and
 * assurance after are the run's business). Pure and total: same arguments, same verdict, never throws on any solution.
 */
export function validateSolution(
  demand: Demand,
  solution: Solution,
  facts: ProofFacts,
  tools: ProofTools,
): Verdict {
  if (solution.type === null) {
    return rejectProof('MISSING_FIELD', `solution.type is missing: it must be "${demand.type}".`);
  }
  if (solution.type !== demand.type) {
    return rejectProof('TYPE_MISMATCH', `solution.type must be "${demand.type}".`);
  }
  const validator = VALIDATORS[demand.type] as Validator<Demand['type']>;
  return validator(demand, solution[demand.type], facts, tools);
}

type UserInputDemand = Extract<ProofOfWork, { type: 'user_input' }>;

/**
 * A human's answer. Checks in this order: not blank, not a refusal, one of the choices, matches the pattern.
 * Surrounding white space is ignored. Kept: `confirmation` (a choice in the author's spelling), `timestamp`.
 */
export function validateUserInput(
  { user_input: demand }: UserInputDemand,
  payload: unknown,
  _facts: ProofFacts,
  { patterns }: ProofTools,
): Verdict {
  if (!isObject(payload)) {
    return rejectProof(
      'MISSING_FIELD',
      'solution.user_input is missing: it must be an object with confirmation.',
    );
  }
  const confirmation = own(payload, 'confirmation');
  if (typeof confirmation !== 'string' || isBlank(confirmation)) {
    return rejectProof(
      'MISSING_FIELD',
      "solution.user_input.confirmation must be the user's own reply, a string that is not blank.",
    );
  }
  const timestamp = own(payload, 'timestamp') ?? null;
  if (timestamp !== null && typeof timestamp !== 'string') {
    return rejectProof(
      'MISSING_FIELD',
      'solution.user_input.timestamp must be a string (RFC 3339), or left out.',
    );
  }
  const answer = confirmation.trim();
  const choice = demand.choices?.find((declared) => declared.trim() === answer);
  if (isRefusal(answer, choice !== undefined)) {
    return rejectProof('USER_DECLINED', 'The user has declined this step.');
  }
  if (demand.choices !== undefined && choice === undefined) {
    return rejectProof(
      'MISSING_FIELD',
      'solution.user_input.confirmation must be exactly one of challenge.user_input.choices.',
    );
  }
  if (demand.pattern !== undefined && !patterns.usable(demand.pattern)) {
    return rejectProof(
      'MISSING_FIELD',
      'The pattern of this step is not a pattern of RE2, so nothing matches it: the step has to be updated.',
    );
  }
  const isMatch = demand.pattern === undefined || patterns.fullMatch(demand.pattern, answer);
  if (isMatch !== true) {
    return rejectProof(
      'MISSING_FIELD',
      isMatch === false
        ? 'solution.user_input.confirmation must match challenge.user_input.pattern as a whole.'
        : 'The challenge.user_input.pattern is too slow for this answer, so it was not compared. A shorter answer or a simpler pattern is needed.',
    );
  }
  const proof: EntryData = { confirmation: cleanText(choice ?? answer) };
  if (timestamp !== null) proof.timestamp = cleanText(timestamp).slice(0, MAX_TIMESTAMP);
  return { ok: true, proof };
}

/** A time from the caller is kept as text, with a limited length. */
const MAX_TIMESTAMP = 64;

/** Nothing in it that a person could see. */
function isBlank(text: string): boolean {
  return /^[\p{C}\p{Z}\p{M}]*$/u.test(text);
}

/** The user's refusal as clients and drivers report it: always a refusal. */
const REFUSED = new Set(['rejected', 'declined', 'cancelled', 'canceled', 'refused', 'denied']);
/** The same as a verb. An author may declare one of these as a choice ("keep" or "cancel"); then it is an answer. */
const REFUSES = new Set(['reject', 'decline', 'cancel', 'refuse', 'deny']);

/**
 * Whether an answer means that the user declined (SPEC 1: `rejected`, decline or cancel). The whole answer
 * must be the word; case, width, white space and punctuation around it are ignored. A sentence about refusing
 * is an answer.
 */
export function isRefusal(answer: string, isDeclaredChoice: boolean): boolean {
  if (answer.length > MAX_LENGTH) return false;
  const word = answer
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[\p{P}\p{S}\p{Z}\p{C}]+|[\p{P}\p{S}\p{Z}\p{C}]+$/gu, '');
  return REFUSED.has(word) || (!isDeclaredChoice && REFUSES.has(word));
}

/** Far more than a word and its punctuation; a longer answer is a sentence. */
const MAX_LENGTH = 64;
