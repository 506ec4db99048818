import { isJsonObject } from '../base/json.ts';
import { readJsonStrictly } from '../gate/json/read.ts';
import type { Demand, SamplingDemand } from '../proof/demand.ts';
import { loadProofTools, loadTools } from '../proof/tools.ts';
import { validateSolution } from '../proof/validate.ts';
import type { PatternTools, ProofTools, Verdict } from '../proof/verdict.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { InputDefinition } from '../protocol/schema.ts';
import { inputValueFault } from '../run/inputs.ts';

/** Loads what answers to the questions of a protocol are checked with. Without a protocol: what no check needs. */
export function loadAnswerTools(content: Pick<ChainContent, 'steps'> | null): Promise<ProofTools> {
  const schemas = content?.steps.some(({ block }) => block?.sampling !== undefined) === true;
  return loadTools({ patterns: content !== null, schemas });
}

/** Loads RE2 if an answer has to match a pattern. */
export async function loadAnswerPatterns(pattern: string | undefined): Promise<PatternTools> {
  return (await loadTools({ patterns: pattern !== undefined, schemas: false })).patterns;
}

/** Checks the payload of an answer as the run will, before it is submitted. Nonce and proof_hash are not checked. */
export function checkAnswer(demand: Demand, payload: object, tools: ProofTools, stepText = ''): Verdict {
  const solution = { type: demand.type, nonce: null, proof_hash: null, [demand.type]: payload };
  return validateSolution(demand, solution, { stepText, previousComment: null }, tools);
}

/** Whether a model's output satisfies the schema of its step. */
export async function isValidSample(sampling: SamplingDemand['sampling'], result: unknown): Promise<boolean> {
  const demand = { type: 'sampling', sampling, required: true } as const;
  return checkAnswer(demand, { result }, await loadProofTools(demand)).ok;
}

/** What is wrong with the text of a proposal before the gate judges it; null for a JSON object. */
export function proposalFault(text: string): string | null {
  const { value, violations } = readJsonStrictly(text);
  const [problem] = violations;
  if (problem !== undefined) return `${problem.pointer} ${problem.message}`.trim();
  return isJsonObject(value) ? null : 'Expected a JSON object; {} accepts the draft unchanged.';
}

/** What is expected of the value of an input that has another one; null for a valid value. */
export function answerFault(
  input: InputDefinition,
  value: string,
  { patterns }: Pick<ProofTools, 'patterns'>,
): string | null {
  return inputValueFault(input, value, patterns);
}
