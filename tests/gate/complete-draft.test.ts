import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/base/json.ts';
import { completeProposal } from '../../src/gate/kernel-request.ts';

const DRAFT = {
  actor: 'ada',
  target: { resource_type: 'switch', resource_id: 'main', domain: 'house.example', constraints: {} },
  parameters: { level: { from: 1, to: 2 } },
  preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
};

/** What is no object, with the way to it. */
function leavesOf(value: unknown, path: string[] = []): [path: string[], leaf: unknown][] {
  if (!isObject(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

/** Where a way leads: what stands there, nothing when something else is in its way, null when a key is missing. */
function follow(value: unknown, [key, ...rest]: string[]): unknown[] | null {
  if (key === undefined) return [value];
  if (!isObject(value)) return [];
  return Object.hasOwn(value, key) ? follow(value[key], rest) : null;
}

describe('completing a draft', () => {
  it('keeps the fields next to a given one at every depth', () => {
    expect(
      completeProposal(DRAFT, {
        target: { constraints: { allowed_fields: ['level'] } },
        parameters: { level: { to: 3 }, why: 'dark' },
        approval_class: 'single',
      }),
    ).toEqual({
      ...DRAFT,
      target: { ...DRAFT.target, constraints: { allowed_fields: ['level'] } },
      parameters: { level: { from: 1, to: 3 }, why: 'dark' },
      approval_class: 'single',
    });
  });

  it('accepts arrays and non-objects unchanged', () => {
    expect(completeProposal(DRAFT, { preconditions: [], target: null, parameters: 1 })).toEqual({
      actor: 'ada',
      preconditions: [],
      target: null,
      parameters: 1,
    });
    expect(completeProposal({ actor: ['ada'] }, { actor: { name: 'ada' } })).toEqual({
      actor: { name: 'ada' },
    });
  });

  it('puts nothing of itself into a KernelRequest', () => {
    const request = { request_id: 'r', ts_ms: 1, actor: 'ada', intent: 'light', tool_call: 'switch' };
    expect(completeProposal(DRAFT, request)).toEqual(request);
  });

  it('contains everything that was given, changes nothing else, and changes neither input', () => {
    const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
    fc.assert(
      fc.property(object, object, (draft, given) => {
        const [before, wish] = [structuredClone(draft), structuredClone(given)];
        const merged = completeProposal(draft, given);
        expect([draft, given]).toEqual([before, wish]);
        expect(completeProposal(merged, given)).toEqual(merged);
        expect(completeProposal(draft, {})).toEqual(draft);
        for (const [path, leaf] of leavesOf(given)) expect(follow(merged, path)).toEqual([leaf]);
        for (const [path, leaf] of leavesOf(draft)) {
          const instead = follow(given, path);
          expect(follow(merged, path)).toEqual(instead === null ? [leaf] : instead);
        }
      }),
      { numRuns: 200 },
    );
  });
});
