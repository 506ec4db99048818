import type { Rule } from '../rule.ts';
import { assuranceOutOfReach } from './assurance-out-of-reach.ts';
import { chainWithoutProof } from './chain-without-proof.ts';
import { commentAddressesAgent } from './comment-addresses-agent.ts';
import { commentForCommand } from './comment-for-command.ts';
import { completionRuleMisplaced } from './completion-rule-misplaced.ts';
import { completionRuleMissing } from './completion-rule-missing.ts';
import { directiveUnknown } from './directive-unknown.ts';
import { directiveUnused } from './directive-unused.ts';
import { directiveWithoutReason } from './directive-without-reason.ts';
import { duplicateStepTitle } from './duplicate-step-title.ts';
import { hiddenCharacter } from './hidden-character.ts';
import { mcpWithoutServer } from './mcp-without-server.ts';
import { minLengthTiny } from './min-length-tiny.ts';
import { noH1 } from './no-h1.ts';
import { onlyOptionalProofs } from './only-optional-proofs.ts';
import { patternMatchesAnything } from './pattern-matches-anything.ts';
import { refusalAmongChoices } from './refusal-among-choices.ts';
import { secretInText } from './secret-in-text.ts';
import { shellBackground } from './shell-background.ts';
import { shellBashOnly } from './shell-bash-only.ts';
import { shellCannotFail } from './shell-cannot-fail.ts';
import { shellDestructive } from './shell-destructive.ts';
import { shellDownloadRun } from './shell-download-run.ts';
import { shellEndless } from './shell-endless.ts';
import { shellFixedTempPath } from './shell-fixed-temp-path.ts';
import { shellHomePath } from './shell-home-path.ts';
import { shellInteractive } from './shell-interactive.ts';
import { shellLostFailure } from './shell-lost-failure.ts';
import { shellPlaceholder } from './shell-placeholder.ts';
import { shellPromptCharacter } from './shell-prompt-character.ts';
import { shellSudoPassword } from './shell-sudo-password.ts';
import { shellSyntax } from './shell-syntax.ts';
import { shellVariableNotPassed } from './shell-variable-not-passed.ts';
import { stepEmpty } from './step-empty.ts';
import { stepWithoutProof } from './step-without-proof.ts';
import { timeoutMissing } from './timeout-missing.ts';
import { timeoutTooShort } from './timeout-too-short.ts';
import { triggerShared } from './trigger-shared.ts';
import { triggersEmpty } from './triggers-empty.ts';
import { triggersMisplaced } from './triggers-misplaced.ts';
import { triggersMissing } from './triggers-missing.ts';
import { vaguePrompt } from './vague-prompt.ts';

/** Every rule, sorted by id. A new one is a new file and two lines here. */
export const RULES: readonly Rule[] = [
  assuranceOutOfReach,
  chainWithoutProof,
  commentAddressesAgent,
  commentForCommand,
  completionRuleMisplaced,
  completionRuleMissing,
  directiveUnknown,
  directiveUnused,
  directiveWithoutReason,
  duplicateStepTitle,
  hiddenCharacter,
  mcpWithoutServer,
  minLengthTiny,
  noH1,
  onlyOptionalProofs,
  patternMatchesAnything,
  refusalAmongChoices,
  secretInText,
  shellBackground,
  shellBashOnly,
  shellCannotFail,
  shellDestructive,
  shellDownloadRun,
  shellEndless,
  shellFixedTempPath,
  shellHomePath,
  shellInteractive,
  shellLostFailure,
  shellPlaceholder,
  shellPromptCharacter,
  shellSudoPassword,
  shellSyntax,
  shellVariableNotPassed,
  stepEmpty,
  stepWithoutProof,
  timeoutMissing,
  timeoutTooShort,
  triggerShared,
  triggersEmpty,
  triggersMisplaced,
  triggersMissing,
  vaguePrompt,
];
