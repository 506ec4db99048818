import type { Problem } from './model.ts';
import { BLOCK_WORDS } from './words/block.ts';
import { DOCUMENT_WORDS } from './words/document.ts';
import { LEGACY_WORDS } from './words/legacy.ts';
import type { Wordings, Words } from './words/words.ts';

const WORDS: Wordings<Problem['code']> = { ...DOCUMENT_WORDS, ...BLOCK_WORDS, ...LEGACY_WORDS };

/**
 * Describes a problem in words: `reason` names the fault and why it matters, `hint` what to write instead (or
 * nothing).
 */
export function describeProblem(problem: Problem): Words {
  const wording = WORDS[problem.code];
  return typeof wording === 'function' ? wording(problem.args) : wording;
}
