import { BLOCK_EXAMPLES } from './block.ts';
import { BLOCK_CONTENT_EXAMPLES } from './block-content.ts';
import { type RuleExample, type RuleExamples, readExample } from './build.ts';
import { DOCUMENT_EXAMPLES } from './document.ts';
import { FRONTMATTER_EXAMPLES } from './frontmatter.ts';
import { LEGACY_EXAMPLES } from './legacy.ts';
import { PARAMETER_EXAMPLES } from './parameter.ts';
import { PROOF_EXAMPLES } from './proof.ts';
import { PROPOSAL_EXAMPLES } from './proposal.ts';
import { REFERENCE_EXAMPLES } from './reference.ts';
import { SHELL_EXAMPLES } from './shell.ts';
import { SHELL_DANGER_EXAMPLES } from './shell-danger.ts';
import { SHELL_TEXT_EXAMPLES } from './shell-text.ts';
import { TEXT_EXAMPLES } from './text.ts';
import { TRIGGER_EXAMPLES } from './trigger.ts';
import { WEAK_PROOF_EXAMPLES } from './weak-proof.ts';

/** The examples of every rule. No run of the linter needs them, so nothing that it loads imports this module. */
export const RULE_EXAMPLES: RuleExamples = {
  ...BLOCK_EXAMPLES,
  ...BLOCK_CONTENT_EXAMPLES,
  ...DOCUMENT_EXAMPLES,
  ...FRONTMATTER_EXAMPLES,
  ...LEGACY_EXAMPLES,
  ...PARAMETER_EXAMPLES,
  ...PROOF_EXAMPLES,
  ...PROPOSAL_EXAMPLES,
  ...REFERENCE_EXAMPLES,
  ...SHELL_EXAMPLES,
  ...SHELL_DANGER_EXAMPLES,
  ...SHELL_TEXT_EXAMPLES,
  ...TEXT_EXAMPLES,
  ...TRIGGER_EXAMPLES,
  ...WEAK_PROOF_EXAMPLES,
};

/** Throws for a rule without examples. */
export function examplesOfRule(id: string): readonly RuleExample[] {
  const examples = RULE_EXAMPLES[id];
  if (examples === undefined) throw new Error(`the rule ${id} has no examples`);
  return examples.map(readExample);
}
