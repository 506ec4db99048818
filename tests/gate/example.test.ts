import { describe, expect, it } from 'vitest';
import { decideProposal } from '../../src/gate/decide.ts';
import { proposalHash } from '../../src/gate/proposal.ts';
import { THOROUGH } from '../support/thorough.ts';
import { CHAIN_DIGEST, caseOf, example, exampleTemplate, NOW, RUN_ID } from './support/case.ts';

const TODAY = Date.UTC(2026, 10, 28);

describe('the example of the specification', () => {
  it('is refused today, for its window has passed', () => {
    const answer = decideProposal(
      caseOf({ submitted: example(), template: exampleTemplate(), now: TODAY, evidence: [] }),
    );
    expect(answer).toMatchObject({ decision: 'DENY', permit: null });
    expect(answer.reasons.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['V-PROP-010', '/time_window/valid_until_ms'],
      ['V-PROP-013', '/preconditions/0/evidence_ref'],
    ]);
  });

  it('is allowed inside its window with the evidence bound', () => {
    const answer = decideProposal(caseOf({ submitted: example(), template: exampleTemplate() }));
    expect(answer).toEqual({
      decision: 'ALLOW',
      reasons: [],
      proposal_hash: proposalHash(example()),
      proposal_id: '550e8400-e29b-41d4-a716-446655440000',
      approval_class: 'none',
      approvals: { needed: 0, given: 0 },
      binding: expect.stringMatching(/^[0-9a-f]{64}$/),
      permit: {
        permit_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        proposal_hash: proposalHash(example()),
        run_id: RUN_ID,
        step: 3,
        valid_from_ms: 1705171200000,
        valid_until_ms: 1705171500000,
        binding: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  it('is read the same from its text', () => {
    const template = exampleTemplate();
    expect(decideProposal(caseOf({ submitted: JSON.stringify(example(), null, 2), template }))).toEqual(
      decideProposal(caseOf({ submitted: example(), template })),
    );
  });

  it('is denied with any single byte of the fields that the template sets changed', () => {
    const template = exampleTemplate();
    const whole = example();
    const allowed: string[] = [];
    let tried = 0;
    const BITS = [1, 2, 4, 32];
    for (const field of ['action_type', 'target', 'preconditions', 'risk_envelope', 'approval_class']) {
      const text = JSON.stringify(whole[field]);
      for (let at = 0; at < text.length; at += 1) {
        for (const bit of THOROUGH ? BITS : [BITS[at % 4]!]) {
          const changed =
            text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bit) + text.slice(at + 1);
          const submitted = JSON.stringify(whole).replace(`"${field}":${text}`, `"${field}":${changed}`);
          tried += 1;
          const { decision } = decideProposal(caseOf({ submitted, template }));
          // A template's class may be raised, and white space is no byte of a field.
          if (decision !== 'DENY') allowed.push(`${field}@${at}: ${changed}`);
        }
      }
    }
    expect(tried).toBeGreaterThan(THOROUGH ? 1500 : 375);
    expect(allowed).toEqual([]);
  });

  it("is denied where max_duration_ms is not the template's", () => {
    for (const max of [29999, 30001, 3000, 300000, 0, 30000.5, '30000']) {
      const submitted = {
        ...example(),
        time_window: { ...(example().time_window as object), max_duration_ms: max },
      };
      expect(decideProposal(caseOf({ submitted, template: exampleTemplate() })).decision).toBe('DENY');
    }
  });

  it('permits from <= now < until and not a millisecond else', () => {
    const at = (now: number) =>
      decideProposal(
        caseOf({
          submitted: example(),
          template: exampleTemplate(),
          now,
          evidence: [
            {
              hash: 'e'.repeat(64),
              step: 1,
              type: 'mcp',
              assurance: 'observed',
              at: NOW - 100_000,
              packet: { record_exists: true },
            },
          ],
        }),
      ).decision;
    expect([at(1705171499999), at(1705171500000), at(1705171200000)]).toEqual(['ALLOW', 'DENY', 'ALLOW']);
    expect(CHAIN_DIGEST).toHaveLength(64);
  });
});
