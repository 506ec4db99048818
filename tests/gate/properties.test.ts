import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideProposal, type GateAnswer } from '../../src/gate/decide.ts';
import { checkJsonValue, readJsonStrictly } from '../../src/gate/json/read.ts';
import { holds } from '../../src/gate/rules/evidence.ts';
import { APPROVAL_CLASSES, OPERATORS } from '../../src/protocol/schema.ts';
import { runs } from '../support/thorough.ts';
import { type CaseParts, caseOf, example, exampleTemplate, publicKeyOfSeed, tools } from './support/case.ts';

const decide = (parts: CaseParts): GateAnswer => decideProposal(caseOf(parts));
const whole = (): CaseParts => ({ submitted: example(), template: exampleTemplate() });

/** Every object inside a value, by JSON Pointer. */
function objectsIn(value: unknown, pointer = ''): { pointer: string; object: Record<string, unknown> }[] {
  if (value === null || typeof value !== 'object') return [];
  const inside = Object.entries(value).flatMap(([key, item]) => objectsIn(item, `${pointer}/${key}`));
  return Array.isArray(value) ? inside : [{ pointer, object: value as Record<string, unknown> }, ...inside];
}

/** Whose keys are not ours. */
const OPEN = /^\/(parameters|target\/constraints|preconditions\/0\/value)/;

describe('what does not survive', () => {
  it('an unknown field, at any place', () => {
    const places = objectsIn(example()).filter(({ pointer }) => !OPEN.test(pointer)).length;
    fc.assert(
      fc.property(fc.nat(places - 1), fc.string({ minLength: 1 }), fc.jsonValue(), (at, key, value) => {
        const submitted = example();
        const { object } = objectsIn(submitted).filter(({ pointer }) => !OPEN.test(pointer))[at]!;
        fc.pre(!Object.hasOwn(object, key) && key !== '__proto__');
        const known = ['rollback_semantics', 'evidence_bindings', 'effects'];
        fc.pre(!known.includes(key));
        object[key] = value;
        expect(decide({ ...whole(), submitted }).decision).toBe('DENY');
      }),
      { numRuns: runs(300) },
    );
  });

  it('a duplicate key, at any place', () => {
    const count = [...JSON.stringify(example()).matchAll(/"([a-z_]+)":/g)].length;
    fc.assert(
      fc.property(fc.nat(count - 1), fc.jsonValue(), (at, value) => {
        const text = JSON.stringify(example());
        const match = [...text.matchAll(/"([a-z_]+)":/g)][at]!;
        const submitted = `${text.slice(0, match.index)}"${match[1]}":${JSON.stringify(value)},${text.slice(match.index)}`;
        const answer = decide({ ...whole(), submitted });
        expect(answer.decision).toBe('DENY');
        expect(answer.reasons.map(({ code }) => code)).toContain('K-PROP-101');
      }),
      { numRuns: runs(200) },
    );
  });

  it('a changed byte: it is another proposal, or none', () => {
    const text = JSON.stringify(example());
    const { proposal_hash: hash } = decide({ ...whole(), submitted: text });
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
        fc.pre(text.charCodeAt(at) !== code);
        const submitted = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        expect(decide({ ...whole(), submitted }).proposal_hash).not.toBe(hash);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('deciding', () => {
  it('is total: any value gets an answer, and never a permission', () => {
    fc.assert(
      fc.property(fc.anything(), (submitted) => {
        expect(decide({ ...whole(), submitted }).decision).toBe('DENY');
      }),
      { numRuns: runs(300) },
    );
  });

  it('gives the same answer to the same input, byte for byte, in any order of keys', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(Object.keys(example()), { minLength: Object.keys(example()).length }),
        fc.nat(3),
        (keys, spaces) => {
          const shuffled = Object.fromEntries(keys.map((key) => [key, example()[key]]));
          const text = JSON.stringify(shuffled, null, spaces);
          expect(JSON.stringify(decide({ ...whole(), submitted: text }))).toBe(
            JSON.stringify(decide(whole())),
          );
        },
      ),
      { numRuns: runs(100) },
    );
  });

  // biome-ignore lint/suspicious/noExplicitAny: proposals are broken here in ways that no type allows
  const breaks: ((proposal: any) => void)[] = [
    (p) => {
      p.proposal_id = '';
    },
    (p) => {
      p.ts_ms = -1;
    },
    (p) => {
      p.actor = 'somebody';
    },
    (p) => {
      p.action_type = 'delete';
    },
    (p) => {
      p.target.domain = '';
    },
    (p) => {
      p.parameters.updates.ssn = '1';
    },
    (p) => {
      p.preconditions[0].value = false;
    },
    (p) => {
      p.preconditions.push({ field: 'x', operator: 'eq', value: 1, evidence_ref: 'step:7' });
    },
    (p) => {
      p.risk_envelope.max_affected_records = 0;
    },
    (p) => {
      p.risk_envelope.forbidden_effects = [];
    },
    (p) => {
      p.time_window.valid_until_ms = 5;
    },
    (p) => {
      p.time_window.valid_from_ms = 1805171500000;
    },
    (p) => {
      p.approval_class = 'threshold';
    },
    (p) => {
      p.rollback_semantics = { strategy: 'none' };
    },
    (p) => {
      p.more = 1;
    },
  ];
  it('never turns a denial into an allowance by one violation more', () => {
    fc.assert(
      fc.property(fc.subarray(breaks, { minLength: 1 }), fc.nat(breaks.length - 1), (first, more) => {
        const one = example();
        for (const change of first) change(one);
        expect(decide({ ...whole(), submitted: one }).decision).toBe('DENY');
        breaks[more]!(one);
        const answer = decide({ ...whole(), submitted: one });
        expect(answer.decision).toBe('DENY');
        expect(answer.permit).toBeNull();
      }),
      { numRuns: runs(200) },
    );
  });

  it('never lets a proposal lower its class', () => {
    const approvers = ['ada', 'bob', 'cyd'].map((name, n) => ({
      name,
      keys: [{ key: publicKeyOfSeed(`key number ${n}`) }],
    }));
    const classes = fc.constantFrom(...APPROVAL_CLASSES);
    fc.assert(
      fc.property(fc.option(classes), classes, classes, (said, template, floor) => {
        const submitted = example();
        if (said === null) delete submitted.approval_class;
        else submitted.approval_class = said;
        const policy = {
          version: 1,
          approvers,
          rules: [
            {
              match: {},
              approval_class: floor,
              ...(floor === 'threshold' ? { threshold: { n: 2, of: ['ada', 'bob'] } } : {}),
            },
          ],
        };
        const parts = { submitted, template: { ...exampleTemplate(), approval_class: template }, policy };
        const { decision, approval_class, approvals } = decide(parts);
        const order = (name: (typeof APPROVAL_CLASSES)[number]) => APPROVAL_CLASSES.indexOf(name);
        expect(order(approval_class)).toBe(Math.max(order(said ?? 'none'), order(template), order(floor)));
        if (decision === 'ALLOW') expect(approvals).toEqual({ needed: 0, given: 0 });
        if (order(said ?? 'none') < order(template)) expect(decision).toBe('DENY');
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('operators', () => {
  it('fail on values of different types, for every operator', () => {
    const kind = (value: unknown) =>
      value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    fc.assert(
      fc.property(
        fc.constantFrom(...OPERATORS),
        fc.jsonValue(),
        fc.jsonValue(),
        (operator, actual, value) => {
          fc.pre(kind(actual) !== kind(value));
          fc.pre(!(operator === 'contains' && Array.isArray(actual)));
          expect(holds(operator, actual, value, tools.patterns)).toBe(false);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('eq and ne are opposites on values of one type', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.tuple(fc.string(), fc.string()), fc.tuple(fc.integer(), fc.integer())),
        ([a, b]) => {
          expect(holds('eq', a, b, tools.patterns)).toBe(!holds('ne', a, b, tools.patterns));
        },
      ),
    );
  });
});

describe('the strict reader', () => {
  it('reads what JSON.stringify writes as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(4), (value, spaces) => {
        fc.pre(checkJsonValue(value).length === 0);
        const text = JSON.stringify(value, null, spaces);
        expect(readJsonStrictly(text)).toEqual({ value: JSON.parse(text), violations: [] });
      }),
      { numRuns: runs(300) },
    );
  });

  it('accepts nothing that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(200), fc.nat(3), (noise, at, length) => {
        const text = JSON.stringify(example());
        const changed = text.slice(0, at) + noise + text.slice(at + length);
        const { violations } = readJsonStrictly(changed);
        if (violations.length > 0) return;
        expect(() => JSON.parse(changed)).not.toThrow();
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('an answer', () => {
  it('is the same for any order of the submitted keys', () => {
    const scrambled = (value: unknown, order: (count: number) => number[]): unknown => {
      if (Array.isArray(value)) return value.map((item) => scrambled(item, order));
      if (value === null || typeof value !== 'object') return value;
      const entries = Object.entries(value);
      return Object.fromEntries(
        order(entries.length).map((at) => [entries[at]![0], scrambled(entries[at]![1], order)]),
      );
    };
    const wrong = {
      ...example(),
      zebra: 1,
      apple: { b: 1, a: 2 },
      target: { resource_id: 5, sudo: 1, admin: 2 },
      risk_envelope: { allowed_side_effects: ['x', 'audit_log_entry'], forbidden_effects: ['x'], more: 1 },
    };
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (weights) => {
        const order = (count: number) =>
          Array.from({ length: count }, (_, at) => at).sort(
            (a, b) => weights[a % 12]! - weights[b % 12]! || a - b,
          );
        const answer = decide({ submitted: scrambled(wrong, order), template: exampleTemplate() });
        expect(answer).toEqual(decide({ submitted: wrong, template: exampleTemplate() }));
      }),
      { numRuns: runs(100) },
    );
  });

  it('stays small for any input, and reports how much it leaves out', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`f${at}`, 1]));
    const long = { ['x'.repeat(100_000)]: 1 };
    const answer = decide({ submitted: { ...example(), ...many }, template: exampleTemplate() });
    expect(answer.reasons.at(-1)).toEqual({
      code: 'K-PROP-198',
      pointer: '',
      message: '19900 more reasons are not listed.',
    });
    expect(JSON.stringify(answer).length).toBeLessThan(20_000);
    const other = decide({ submitted: { ...example(), ...long }, template: exampleTemplate() });
    expect(JSON.stringify(other).length).toBeLessThan(3000);
  });
});
