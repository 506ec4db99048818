import { KairosError, suggest } from '../../base/errors.ts';
import type { LintRule } from '../rule.ts';
import { approvalAfterCommand } from './approval-after-command.ts';
import { assuranceOutOfReach } from './assurance-out-of-reach.ts';
import { blockBadPattern } from './block-bad-pattern.ts';
import { blockDuplicate } from './block-duplicate.ts';
import { blockInvalid } from './block-invalid.ts';
import { blockNested } from './block-nested.ts';
import { blockNotLast } from './block-not-last.ts';
import { blockOutsideStep } from './block-outside-step.ts';
import { blockPseudoFence } from './block-pseudo-fence.ts';
import { blockUnclosedFence } from './block-unclosed-fence.ts';
import { blockUnfenced } from './block-unfenced.ts';
import { blockUnknownKey } from './block-unknown-key.ts';
import { blockUnreadable } from './block-unreadable.ts';
import { blockWrongLanguage } from './block-wrong-language.ts';
import { brokenLink } from './broken-link.ts';
import { captureUnusable } from './capture-unusable.ts';
import { chainWithoutProof } from './chain-without-proof.ts';
import { commentAddressesAgent } from './comment-addresses-agent.ts';
import { commentForCommand } from './comment-for-command.ts';
import { completionRuleMisplaced } from './completion-rule-misplaced.ts';
import { completionRuleMissing } from './completion-rule-missing.ts';
import { constraintUnknown } from './constraint-unknown.ts';
import { directiveUnknown } from './directive-unknown.ts';
import { directiveUnused } from './directive-unused.ts';
import { directiveWithoutReason } from './directive-without-reason.ts';
import { documentInvalidText } from './document-invalid-text.ts';
import { documentTooDeep } from './document-too-deep.ts';
import { documentTooLarge } from './document-too-large.ts';
import { duplicateSection } from './duplicate-section.ts';
import { duplicateSlug } from './duplicate-slug.ts';
import { duplicateStepTitle } from './duplicate-step-title.ts';
import { durationTooShort } from './duration-too-short.ts';
import { durationUnderTimeout } from './duration-under-timeout.ts';
import { envBetterInput } from './env-better-input.ts';
import { evidenceIdDuplicate } from './evidence-id-duplicate.ts';
import { evidenceRefLater } from './evidence-ref-later.ts';
import { evidenceRefUnknown } from './evidence-ref-unknown.ts';
import { evidenceRefWeak } from './evidence-ref-weak.ts';
import { fenceInline } from './fence-inline.ts';
import { fenceNested } from './fence-nested.ts';
import { fenceUnclosed } from './fence-unclosed.ts';
import { frontmatterBadHolds } from './frontmatter-bad-holds.ts';
import { frontmatterBadInputs } from './frontmatter-bad-inputs.ts';
import { frontmatterBadSlug } from './frontmatter-bad-slug.ts';
import { frontmatterBadTags } from './frontmatter-bad-tags.ts';
import { frontmatterBadVersion } from './frontmatter-bad-version.ts';
import { frontmatterMisplaced } from './frontmatter-misplaced.ts';
import { frontmatterUnknownKey } from './frontmatter-unknown-key.ts';
import { frontmatterUnreadable } from './frontmatter-unreadable.ts';
import { frontmatterUnterminated } from './frontmatter-unterminated.ts';
import { frontmatterUnusedKey } from './frontmatter-unused-key.ts';
import { headingTooLong } from './heading-too-long.ts';
import { headingWithoutSpace } from './heading-without-space.ts';
import { hiddenCharacter } from './hidden-character.ts';
import { holdNeverPasses } from './hold-never-passes.ts';
import { htmlUnclosed } from './html-unclosed.ts';
import { inputUnused } from './input-unused.ts';
import { invisibleInText } from './invisible-in-text.ts';
import { kairosUriMalformed } from './kairos-uri-malformed.ts';
import { legacyChallengeKey } from './legacy-challenge-key.ts';
import { legacyFlatShell } from './legacy-flat-shell.ts';
import { legacyInterpreterFlags } from './legacy-interpreter-flags.ts';
import { legacyMissingType } from './legacy-missing-type.ts';
import { legacyProofLine } from './legacy-proof-line.ts';
import { mcpWithoutServer } from './mcp-without-server.ts';
import { minLengthTiny } from './min-length-tiny.ts';
import { noH1 } from './no-h1.ts';
import { noSteps } from './no-steps.ts';
import { onlyOptionalProofs } from './only-optional-proofs.ts';
import { openQuestion } from './open-question.ts';
import { outputContradiction } from './output-contradiction.ts';
import { parameterNameUnusable } from './parameter-name-unusable.ts';
import { parameterNotDeclared } from './parameter-not-declared.ts';
import { parameterUnused } from './parameter-unused.ts';
import { parametersSchemaNotObject } from './parameters-schema-not-object.ts';
import { parametersSchemaOpen } from './parameters-schema-open.ts';
import { pathOutsideWorkdir } from './path-outside-workdir.ts';
import { patternMatchesAnything } from './pattern-matches-anything.ts';
import { preconditionNeverHolds } from './precondition-never-holds.ts';
import { proposalApprovalOpen } from './proposal-approval-open.ts';
import { proposalContradiction } from './proposal-contradiction.ts';
import { proposalCustomAction } from './proposal-custom-action.ts';
import { proposalGuardsNothing } from './proposal-guards-nothing.ts';
import { proposalIrreversible } from './proposal-irreversible.ts';
import { proposalMaxRecords } from './proposal-max-records.ts';
import { proposalTooOpen } from './proposal-too-open.ts';
import { proposalWithoutEvidence } from './proposal-without-evidence.ts';
import { referenceInCommand } from './reference-in-command.ts';
import { referenceNotReplaced } from './reference-not-replaced.ts';
import { referenceUnknown } from './reference-unknown.ts';
import { refusalAmongChoices } from './refusal-among-choices.ts';
import { rollbackIgnored } from './rollback-ignored.ts';
import { rollbackIncomplete } from './rollback-incomplete.ts';
import { samplingWithShell } from './sampling-with-shell.ts';
import { schemaAcceptsAnything } from './schema-accepts-anything.ts';
import { secretInText } from './secret-in-text.ts';
import { secretReference } from './secret-reference.ts';
import { sectionNameNear } from './section-name-near.ts';
import { shellBackground } from './shell-background.ts';
import { shellBashOnly } from './shell-bash-only.ts';
import { shellCannotFail } from './shell-cannot-fail.ts';
import { shellDestructive } from './shell-destructive.ts';
import { shellDownloadRun } from './shell-download-run.ts';
import { shellEndless } from './shell-endless.ts';
import { shellFixedTempPath } from './shell-fixed-temp-path.ts';
import { shellHomePath } from './shell-home-path.ts';
import { shellHttpError } from './shell-http-error.ts';
import { shellInteractive } from './shell-interactive.ts';
import { shellLostFailure } from './shell-lost-failure.ts';
import { shellMissingScript } from './shell-missing-script.ts';
import { shellPlaceholder } from './shell-placeholder.ts';
import { shellPromptCharacter } from './shell-prompt-character.ts';
import { shellStateLost } from './shell-state-lost.ts';
import { shellSudoPassword } from './shell-sudo-password.ts';
import { shellSyntax } from './shell-syntax.ts';
import { shellVariableNotPassed } from './shell-variable-not-passed.ts';
import { slugWithSeveralChains } from './slug-with-several-chains.ts';
import { stepEmpty } from './step-empty.ts';
import { stepTooLong } from './step-too-long.ts';
import { stepWithoutProof } from './step-without-proof.ts';
import { textBeforeH1 } from './text-before-h1.ts';
import { timeoutMissing } from './timeout-missing.ts';
import { timeoutTooShort } from './timeout-too-short.ts';
import { triggerShared } from './trigger-shared.ts';
import { triggersEmpty } from './triggers-empty.ts';
import { triggersMisplaced } from './triggers-misplaced.ts';
import { triggersMissing } from './triggers-missing.ts';
import { vaguePrompt } from './vague-prompt.ts';

/** Every rule, sorted by id. A new one is a new file, two lines here, and its examples in `examples`. */
export const LINT_RULES: readonly LintRule[] = [
  approvalAfterCommand,
  assuranceOutOfReach,
  blockBadPattern,
  blockDuplicate,
  blockInvalid,
  blockNested,
  blockNotLast,
  blockOutsideStep,
  blockPseudoFence,
  blockUnclosedFence,
  blockUnfenced,
  blockUnknownKey,
  blockUnreadable,
  blockWrongLanguage,
  brokenLink,
  captureUnusable,
  chainWithoutProof,
  commentAddressesAgent,
  commentForCommand,
  completionRuleMisplaced,
  completionRuleMissing,
  constraintUnknown,
  directiveUnknown,
  directiveUnused,
  directiveWithoutReason,
  documentInvalidText,
  documentTooDeep,
  documentTooLarge,
  duplicateSection,
  duplicateSlug,
  duplicateStepTitle,
  durationTooShort,
  durationUnderTimeout,
  envBetterInput,
  evidenceIdDuplicate,
  evidenceRefLater,
  evidenceRefUnknown,
  evidenceRefWeak,
  fenceInline,
  fenceNested,
  fenceUnclosed,
  frontmatterBadHolds,
  frontmatterBadInputs,
  frontmatterBadSlug,
  frontmatterBadTags,
  frontmatterBadVersion,
  frontmatterMisplaced,
  frontmatterUnknownKey,
  frontmatterUnreadable,
  frontmatterUnterminated,
  frontmatterUnusedKey,
  headingTooLong,
  headingWithoutSpace,
  hiddenCharacter,
  holdNeverPasses,
  htmlUnclosed,
  inputUnused,
  invisibleInText,
  kairosUriMalformed,
  legacyChallengeKey,
  legacyFlatShell,
  legacyInterpreterFlags,
  legacyMissingType,
  legacyProofLine,
  mcpWithoutServer,
  minLengthTiny,
  noH1,
  noSteps,
  onlyOptionalProofs,
  openQuestion,
  outputContradiction,
  parameterNameUnusable,
  parameterNotDeclared,
  parameterUnused,
  parametersSchemaNotObject,
  parametersSchemaOpen,
  pathOutsideWorkdir,
  patternMatchesAnything,
  preconditionNeverHolds,
  proposalApprovalOpen,
  proposalContradiction,
  proposalCustomAction,
  proposalGuardsNothing,
  proposalIrreversible,
  proposalMaxRecords,
  proposalTooOpen,
  proposalWithoutEvidence,
  referenceInCommand,
  referenceNotReplaced,
  referenceUnknown,
  refusalAmongChoices,
  rollbackIgnored,
  rollbackIncomplete,
  samplingWithShell,
  schemaAcceptsAnything,
  secretInText,
  secretReference,
  sectionNameNear,
  shellBackground,
  shellBashOnly,
  shellCannotFail,
  shellDestructive,
  shellDownloadRun,
  shellEndless,
  shellFixedTempPath,
  shellHomePath,
  shellHttpError,
  shellInteractive,
  shellLostFailure,
  shellMissingScript,
  shellPlaceholder,
  shellPromptCharacter,
  shellStateLost,
  shellSudoPassword,
  shellSyntax,
  shellVariableNotPassed,
  slugWithSeveralChains,
  stepEmpty,
  stepTooLong,
  stepWithoutProof,
  textBeforeH1,
  timeoutMissing,
  timeoutTooShort,
  triggerShared,
  triggersEmpty,
  triggersMisplaced,
  triggersMissing,
  vaguePrompt,
];

/** The rule of an id. Throws USAGE, with a suggestion, for an unknown one. */
export function findRule(id: string): LintRule {
  const rule = LINT_RULES.find((candidate) => candidate.id === id);
  if (rule !== undefined) return rule;
  const meant = suggest(
    id,
    LINT_RULES.map((candidate) => candidate.id),
  );
  throw new KairosError('USAGE', `there is no rule named ${JSON.stringify(id)}`, {
    hint: meant === undefined ? 'The rules are listed in docs/rules/README.md.' : `Did you mean ${meant}?`,
  });
}
