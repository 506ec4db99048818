import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserInputDriver } from '../../../src/host/settings/user-settings.ts';
import {
  type AskedProofType,
  driversFor,
  type ElicitationMethod,
  type ElicitationOutcome,
  elicitationFailure,
  triesNext,
} from '../../../src/mcp/elicitation/plan.ts';
import { MESSAGES } from '../../../src/run/wording.ts';

/** Can show a form, can run a model. */
const CLIENTS = {
  neither: [false, false],
  form: [true, false],
  model: [false, true],
  both: [true, true],
} as const;
const drivers = (driver: UserInputDriver, serverDriver: boolean, client: keyof typeof CLIENTS) => {
  const [elicitation, sampling] = CLIENTS[client];
  return driversFor({ driver, serverDriver }, { elicitation, sampling }).join(' ');
};

describe('the party that asks the user', () => {
  it.each([
    // driver, on, neither, form, model, both
    ['elicitation', false, '', 'elicitation', '', 'elicitation'],
    ['sampling', false, '', 'elicitation', '', 'elicitation'],
    ['agent', false, '', '', '', ''],
    ['elicitation', true, '', 'elicitation', 'sampling', 'elicitation sampling'],
    ['sampling', true, '', 'elicitation', 'sampling', 'sampling elicitation'],
    ['agent', true, '', '', '', ''],
  ] as const)('with %s, on: %s', (driver, on, neither, form, model, both) => {
    expect({
      neither: drivers(driver, on, 'neither'),
      form: drivers(driver, on, 'form'),
      model: drivers(driver, on, 'model'),
      both: drivers(driver, on, 'both'),
    }).toEqual({ neither, form, model, both });
  });
});

/** The codes that a walk is told when every driver in turn comes to this outcome; `->` where another is tried. */
function walkThrough(
  asked: AskedProofType,
  order: ElicitationMethod[],
  kind: Exclude<ElicitationOutcome['kind'], 'answered' | 'cancelled'>,
) {
  const [first, ...rest] = order;
  const told: string[] = [];
  for (const driver of [first!, ...rest]) {
    const last = driver === order.at(-1) || !triesNext({ kind });
    told.push(last ? elicitationFailure(asked, driver, kind).code : '->');
    if (last) break;
  }
  return told.join(' ');
}

describe('what becomes of an outcome', () => {
  it.each([
    [
      'failed',
      'ELICITATION_FAILED',
      'SAMPLING_FAILED',
      '-> SAMPLING_FAILED',
      '-> ELICITATION_FAILED',
      'SAMPLING_FAILED',
    ],
    [
      'invalid',
      'ELICITATION_FAILED',
      'SAMPLING_INVALID_OUTPUT',
      '-> SAMPLING_INVALID_OUTPUT',
      '-> ELICITATION_FAILED',
      'SAMPLING_INVALID_OUTPUT',
    ],
    [
      'timed_out',
      'ELICITATION_FAILED',
      'SAMPLING_FAILED',
      'ELICITATION_FAILED',
      'SAMPLING_FAILED',
      'SAMPLING_FAILED',
    ],
    ['declined', 'USER_DECLINED', 'USER_DECLINED', 'USER_DECLINED', 'USER_DECLINED', 'USER_DECLINED'],
  ] as const)('%s', (kind, form, model, formFirst, modelFirst, step) => {
    expect({
      form: walkThrough('user_input', ['elicitation'], kind),
      model: walkThrough('user_input', ['sampling'], kind),
      formFirst: walkThrough('user_input', ['elicitation', 'sampling'], kind),
      modelFirst: walkThrough('user_input', ['sampling', 'elicitation'], kind),
      step: walkThrough('sampling', ['sampling'], kind),
    }).toEqual({ form, model, formFirst, modelFirst, step });
  });

  it("is final after an answer, or when the client can't be asked", () => {
    expect(triesNext({ kind: 'answered', answer: 'approved' })).toBe(false);
    expect(triesNext({ kind: 'cancelled' })).toBe(false);
  });

  it('is a failure of the step only where a model returned an invalid output', () => {
    const kinds = ['declined', 'timed_out', 'failed', 'invalid'] as const;
    fc.assert(
      fc.property(
        fc.constantFrom<AskedProofType>('user_input', 'sampling'),
        fc.constantFrom<ElicitationMethod>('elicitation', 'sampling'),
        fc.constantFrom(...kinds),
        (asked, driver, kind) => {
          const { counted, message } = elicitationFailure(asked, driver, kind);
          expect(counted).toBe(asked === 'sampling' && kind === 'invalid');
          expect(Object.values(MESSAGES)).toContain(message);
        },
      ),
    );
  });
});
