import type { Assurance, StepBlock } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { chain, step } from './support/example.ts';
import { nearestPlace } from './support/written.ts';

const withAssurance = (type: string, inner: object, assurance: string) => ({
  proof_of_work: { type, [type]: inner, assurance },
});

/** Demands that no solution of their kind can meet. */
export const assuranceOutOfReach: LintRule = {
  id: 'assurance-out-of-reach',
  family: 'proof',
  severity: 'error',
  summary: 'A proof can have the assurance that is demanded of it.',
  why: 'kairos can observe only a command or a tool call, and only what a proposal shows to an approver can be signed. A higher demand rejects every solution, so the step can never be passed.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A comment cannot be observed',
        source: chain(
          'Review',
          step('Read it', 'Read the change.', withAssurance('comment', { min_length: 40 }, 'observed')),
        ),
        findings: [
          {
            line: 8,
            column: 83,
            reason:
              'A comment is at best "client", never "observed": no solution of this step would be accepted. Lower the assurance, or let a command be the proof.',
          },
        ],
      },
      {
        title: 'A signature without a proposal to sign',
        source: chain(
          'Deploy',
          step(
            'Deploy',
            'Deploy it.',
            withAssurance('shell', { cmd: 'make deploy', timeout_seconds: 60 }, 'attested'),
          ),
        ),
        findings: [
          {
            line: 8,
            column: 106,
            reason:
              'Only what a proposal asks an approver for can be "attested": no solution of this step would be accepted. Add a proposal, or lower the assurance to "observed".',
          },
        ],
      },
      {
        title: 'An observed command and an answer through an interface for people',
        source: chain(
          'Deploy',
          step(
            'Test',
            'Test it.',
            withAssurance('shell', { cmd: 'make test', timeout_seconds: 60 }, 'observed'),
          ),
          step('Ask', 'Ask.', withAssurance('user_input', { prompt: 'Deploy version 4?' }, 'client')),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.assurance === undefined) continue;
      const reason = outOfReach(proof, proof.assurance, block.value.proposal !== undefined);
      if (reason === null) continue;
      context.report({ place: nearestPlace(context, block, ['proof_of_work', 'assurance']), reason });
    }
  },
};

const NAMES = { user_input: 'An answer', comment: 'A comment' };

function outOfReach(
  { type }: NonNullable<StepBlock['proof_of_work']>,
  assurance: Assurance,
  hasProposal: boolean,
): string | null {
  if (assurance === 'attested' && !hasProposal)
    return 'Only what a proposal asks an approver for can be "attested": no solution of this step would be accepted. Add a proposal, or lower the assurance to "observed".';
  if (assurance !== 'observed' || (type !== 'user_input' && type !== 'comment')) return null;
  return `${NAMES[type]} is at best "client", never "observed": no solution of this step would be accepted. Lower the assurance, or let a command be the proof.`;
}
