import type { ProposalTemplate } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

/** Milliseconds below which a number was probably meant as seconds. */
const SECOND = 1000;

export const durationTooShort: LintRule = {
  id: 'duration-too-short',
  family: 'proposal',
  severity: 'warning',
  summary: 'A time in milliseconds is at least a second.',
  why: 'Names that end in _ms count milliseconds, other times of a step count seconds. A command cannot even start in thirty milliseconds.',
  fixable: 'unsafe',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      for (const { path, value } of durationsOf(template)) {
        if (value === undefined || value >= SECOND) continue;
        const place = nearestPlace(context, block, ['proposal', ...path]);
        context.report({
          place,
          reason: `${path.at(-1)} is ${value} milliseconds, which is over before anything is done. Did you mean ${value * SECOND}?`,
          fix: {
            range: [place.start.offset, place.end.offset],
            replacement: String(value * SECOND),
            safe: false,
          },
        });
      }
    }
  },
};

function durationsOf(template: ProposalTemplate): { path: (string | number)[]; value: number | undefined }[] {
  const { time_window: window, rollback_semantics: rollback, evidence_bindings: bindings = [] } = template;
  return [
    { path: ['time_window', 'max_duration_ms'], value: window?.max_duration_ms },
    { path: ['rollback_semantics', 'deadline_ms'], value: rollback?.deadline_ms },
    ...bindings.map(({ freshness_ms }, at) => ({
      path: ['evidence_bindings', at, 'freshness_ms'],
      value: freshness_ms,
    })),
  ];
}
