import { suggest } from '../../base/errors.ts';
import type { LintRule } from '../rule.ts';

const TRIGGERS = 'Natural Language Triggers';
const COMPLETION = 'Completion Rule';
const NAMES: Readonly<Record<string, string>> = {
  triggers: TRIGGERS,
  trigger: TRIGGERS,
  'trigger phrases': TRIGGERS,
  'natural language trigger': TRIGGERS,
  'natural triggers': TRIGGERS,
  'language triggers': TRIGGERS,
  'completion rules': COMPLETION,
  completion: COMPLETION,
  'completion criteria': COMPLETION,
  'completion criterion': COMPLETION,
  'completion condition': COMPLETION,
};

export const sectionNameNear: LintRule = {
  id: 'section-name-near',
  family: 'document',
  severity: 'warning',
  summary: 'Triggers and completion rule have exactly the names that kairos reads.',
  why: 'Under any other name the section is a step: agents have to complete it, search does not find its phrases, and the protocol has no completion rule.',
  fixable: 'unsafe',
  check(context) {
    for (const { steps, triggers, completionRule } of context.document.chains) {
      const near = steps.flatMap((each) => {
        const meant = each.block === null ? sectionMeant(each.label) : undefined;
        return meant === undefined ? [] : [{ ...each, meant }];
      });
      const free = new Set([
        ...(triggers === null ? [TRIGGERS] : []),
        ...(completionRule === null ? [COMPLETION] : []),
      ]);
      for (const { label, labelPlace, meant } of near) {
        // Two sections of one name are an error.
        if (!free.delete(meant)) continue;
        const { start, end } = labelPlace;
        const at = context.source.slice(start.offset, end.offset).indexOf(label);
        const range: [number, number] = [start.offset + at, start.offset + at + label.length];
        // A chain without any other step would be left without one.
        const canFix = at !== -1 && near.length < steps.length;
        context.report({
          place: labelPlace,
          reason: `${JSON.stringify(label)} is a step here. To make it the section that kairos reads, name it "${meant}".`,
          ...(canFix ? { fix: { range, replacement: meant, safe: false } } : {}),
        });
      }
    }
  },
};

/** The section that a step's name is almost. */
function sectionMeant(name: string): string | undefined {
  const label = name.toLowerCase().replace(/\s+/g, ' ').trim();
  const close =
    NAMES[label] ??
    suggest(
      label,
      [TRIGGERS, COMPLETION].map((each) => each.toLowerCase()),
    );
  return close === undefined ? undefined : /trigger/i.test(close) ? TRIGGERS : COMPLETION;
}
