import type { Rule } from '../rule.ts';
import { guarded } from './support/proposal-example.ts';
import { guardedSteps } from './support/templates.ts';
import { placeOf } from './support/written.ts';

/** Proposals that nothing speaks for. */
export const proposalWithoutEvidence: Rule = {
  id: 'proposal-without-evidence',
  family: 'proposal',
  severity: 'warning',
  summary: 'Where nobody has to agree, evidence is asked for.',
  why: 'That nothing speaks against a proposal is no permission. With the class none and no precondition the gate denies it, unless the walker thinks of evidence of its own, which then proves what the walker likes.',
  fixable: false,
  about: 'proposals',
  get examples() {
    return [
      {
        title: 'Neither a person nor evidence',
        source: guarded({ approval_class: 'none', preconditions: undefined }),
        findings: [
          {
            line: 24,
            column: 126,
            reason:
              'Nobody has to agree and no evidence is asked for, so the gate denies the proposal as it stands. Add a precondition on an earlier step, or an approval_class.',
          },
        ],
      },
      { title: 'Evidence', source: guarded({ approval_class: 'none' }), findings: [] },
      {
        title: 'A person',
        source: guarded({ approval_class: 'single', preconditions: undefined }),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { block, template } of guardedSteps(context)) {
      const { approval_class: approval, preconditions = [] } = template;
      if (approval !== 'none' || preconditions.length > 0) continue;
      context.report({
        place: placeOf(context, block, ['proposal', 'approval_class']),
        reason:
          'Nobody has to agree and no evidence is asked for, so the gate denies the proposal as it stands. Add a precondition on an earlier step, or an approval_class.',
      });
    }
  },
};
