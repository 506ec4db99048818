import type { ReportStep, RunReport } from './model.ts';

/** One thing that two runs differ in, as texts. An empty text: the run does not have it. */
export interface Difference {
  where: string;
  what: string;
  a: string;
  b: string;
}

/** What two runs differ in: revision, outcome, inputs, context, and step by step state, proofs and output. Never times. */
export function compareRuns(a: RunReport, b: RunReport): Difference[] {
  const differences: Difference[] = [];
  const hold = (where: string, what: string, one: string, other: string) => {
    if (one !== other) differences.push({ where, what, a: one, b: other });
  };
  hold('run', 'protocol', a.slug, b.slug);
  hold('run', 'revision', a.digest, b.digest);
  hold('run', 'outcome', a.outcome ?? 'open', b.outcome ?? 'open');
  hold('run', 'by', a.actor, b.actor);
  holdNamed('input', a.inputs, b.inputs, hold);
  holdNamed('context', a.context, b.context, hold);
  for (let at = 0; at < Math.max(a.steps.length, b.steps.length); at += 1) {
    const [one, other] = [a.steps[at], b.steps[at]];
    const where = `step ${at + 1}`;
    for (const [what, of] of STEP_FACTS)
      hold(where, what, one === undefined ? '' : of(one), other === undefined ? '' : of(other));
  }
  return differences;
}

const STEP_FACTS: [what: string, of: (step: ReportStep) => string][] = [
  ['title', ({ label }) => label],
  ['state', ({ state }) => state],
  ['assurance', ({ assurance }) => assurance ?? ''],
  [
    'refusals',
    ({ attempts }) =>
      attempts
        .filter(({ accepted }) => !accepted)
        .map(({ code }) => code)
        .join(', '),
  ],
  [
    'proof',
    ({ attempts }) =>
      JSON.stringify(
        proofOf(
          attempts.findLast(({ accepted, type }) => accepted && type !== 'closing account')?.proof ?? null,
        ),
      ),
  ],
  ['output', ({ commands }) => commands.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('')],
];

/** A proof without what differs each time. */
function proofOf(proof: ReportStep['attempts'][number]['proof']): unknown {
  if (proof === null) return null;
  const { duration_ms: _duration, timestamp: _time, ...rest } = proof;
  return rest;
}

function holdNamed(
  where: string,
  a: readonly [string, string][],
  b: readonly [string, string][],
  hold: (where: string, what: string, a: string, b: string) => void,
): void {
  const [one, other] = [new Map(a), new Map(b)];
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    hold(where, name, one.get(name) ?? '', other.get(name) ?? '');
  }
}
