import type { Rule } from '../rule.ts';
import { directiveUnknown } from './directive-unknown.ts';
import { directiveUnused } from './directive-unused.ts';
import { directiveWithoutReason } from './directive-without-reason.ts';
import { hiddenCharacter } from './hidden-character.ts';
import { noH1 } from './no-h1.ts';
import { stepWithoutProof } from './step-without-proof.ts';

/** Every rule, sorted by id. A new one is a new file and two lines here. */
export const RULES: readonly Rule[] = [
  directiveUnknown,
  directiveUnused,
  directiveWithoutReason,
  hiddenCharacter,
  noH1,
  stepWithoutProof,
];
