import { expect, it } from 'vitest';
import { decideProposal } from '../../src/gate/decide.ts';
import { caseOf, example, exampleTemplate } from './support/case.ts';

type Changed = Record<string, Record<string, unknown>>;

/** One violation each, and the members that its rule looks at. */
const BROKEN: [looksAt: string[], change: (proposal: Changed) => void][] = [
  [['target/resource_id'], ({ target }) => Object.assign(target!, { resource_id: 'contact-2' })],
  [['target/domain'], ({ target }) => Object.assign(target!, { domain: 'evil.example' })],
  [['target/constraints'], ({ target }) => Object.assign(target!.constraints!, { colour: 'red' })],
  [['time_window/valid_until_ms'], (p) => Object.assign(p.time_window!, { valid_until_ms: 1705171200001 })],
  [
    ['time_window/valid_from_ms', 'time_window/valid_until_ms'],
    (p) => Object.assign(p.time_window!, { valid_from_ms: 1805171500000 }),
  ],
  [['time_window/max_duration_ms'], (p) => Object.assign(p.time_window!, { max_duration_ms: 10 })],
  [
    ['risk_envelope/max_affected_records'],
    (p) => Object.assign(p.risk_envelope!, { max_affected_records: 0 }),
  ],
  [
    ['risk_envelope/allowed_side_effects', 'risk_envelope/forbidden_effects'],
    (p) => Object.assign(p.risk_envelope!, { allowed_side_effects: ['audit_log_entry', 'workflow_trigger'] }),
  ],
  [['risk_envelope/forbidden_effects'], (p) => Object.assign(p.risk_envelope!, { forbidden_effects: [] })],
  [
    ['risk_envelope/reversible_required'],
    (p) => Object.assign(p.risk_envelope!, { reversible_required: false }),
  ],
];
const MEMBERS = (['target', 'time_window', 'risk_envelope'] as const).flatMap((field) =>
  Object.keys(example()[field] as object).map((key) => `${field}/${key}`),
);

const reasonsOf = (submitted: object) =>
  decideProposal(caseOf({ submitted, template: exampleTemplate() })).reasons;

it.each(MEMBERS)('%s of the wrong type, or missing, hides nothing next to it', (member) => {
  const [field, key] = member.split('/') as [string, string];
  for (const [looksAt, change] of BROKEN.filter(([places]) => !places.includes(member))) {
    const one = example() as Changed;
    change(one);
    const alone = reasonsOf(one);
    expect([looksAt, alone.length > 0]).toEqual([looksAt, true]);
    one[field]![key] = null;
    expect(reasonsOf(one)).toEqual(expect.arrayContaining(alone));
    delete one[field]![key];
    expect(reasonsOf(one)).toEqual(expect.arrayContaining(alone));
  }
});
