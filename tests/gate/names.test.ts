import { describe, expect, it } from 'vitest';
import { decideProposal } from '../../src/gate/decide.ts';
import { SLOW } from '../proof/support.ts';
import { caseOf, example, publicKeyOfSeed } from './support/case.ts';

/** A rule that permits everything, and stricter ones that a proposal must not escape by the spelling of a name. */
const POLICY = {
  version: 1,
  approvers: ['ada', 'bob'].map((name) => ({ name, keys: [{ key: publicKeyOfSeed(name) }] })),
  rules: [
    { match: {}, evidence_optional: true },
    {
      match: { domain: ['prod.example', 'bücher.example', 'db.example:5432', 'db.example'] },
      approval_class: 'dual',
    },
    { match: { resource_id: ['main', '~orders-.*', '~/srv/[a-z]+'] }, approval_class: 'dual' },
  ],
};

function decisionOn(target: object) {
  const { target: usual, preconditions: _, risk_envelope: __, ...proposal } = example();
  const submitted = { ...proposal, target: { ...(usual as object), constraints: {}, ...target } };
  const { decision, reasons } = decideProposal(caseOf({ submitted, policy: POLICY }));
  return [decision, ...reasons.map(({ code }) => code)];
}

describe('the name of a target', () => {
  it.each([
    { domain: 'prod.example' },
    { domain: 'PROD.example' },
    { domain: 'ｐrod.example' },
    { domain: 'db.example:5432' },
    { resource_id: 'Orders-1' },
    { resource_id: '/srv/a' },
  ])('is covered in its own spelling: %j', (target) => {
    expect(decisionOn(target)).toEqual(['HOLD']);
  });

  it.each([
    ...['prod.example.', 'prod..example', 'prod%2eexample', 'prod。example', 'prod．example.'],
    ...['//prod.example', 'prod.example%00', 'prod.example\\', '[prod.example]', 'prod.exampIe', '*.example'],
    ...['https://prod.example', 'https://user:pw@prod.example:443/x?y#z', 'user@prod.example'],
    ...['prod.example:443', 'prod.example:', 'xn--bcher-kva.example', 'pr0d.example', 'db.example:1'],
  ])('is refused as another spelling of a domain: %s', (domain) => {
    expect(decisionOn({ domain })).toEqual(['DENY', 'K-PROP-136']);
  });

  it.each([
    ...['mаin', 'm%61in', './main', 'x/../main', 'orders‐1', 'orders–1', 'ｏrders-1', './orders-1'],
    ...[
      '//main',
      'main?',
      'main#',
      '"main"',
      'main\\',
      '[main]',
      'm*',
      'mai?',
      '*',
      'maın',
      'MAİN',
      'main%00',
    ],
    ...['/srv//a', '/srv/a/', '/srv/./a', '/srv/b/../a'],
  ])('is refused as another spelling of an id: %s', (resource_id) => {
    expect(decisionOn({ resource_id })).toEqual(['DENY', 'K-PROP-136']);
  });

  it('permits nothing when a pattern of the policy is too slow for it', () => {
    const { target, ...proposal } = example();
    const resource_id = SLOW.text(240_000);
    const submitted = { ...proposal, target: { ...(target as object), constraints: {}, resource_id } };
    const rules = [
      { match: {}, evidence_optional: true },
      { match: { resource_id: [`~${SLOW.pattern}`] }, approval_class: 'dual' },
    ];
    const { decision, reasons, permit } = decideProposal(caseOf({ submitted, policy: { ...POLICY, rules } }));
    expect([decision, permit, reasons.map(({ message }) => message)]).toEqual([
      'HALT',
      null,
      [
        `The pattern ~${SLOW.pattern} of the policy is too slow for a value of 240000 characters. The gate could not judge this; nothing is permitted.`,
      ],
    ]);
  });

  it.each([
    { domain: 'test.example' },
    { domain: 'example' },
    { domain: 'prod.example.org' },
    { domain: 'https://test.example' },
    { resource_id: 'order-1' },
    { resource_id: 'a%zz' },
    { resource_id: '/var/log/' },
    { resource_id: 'café' },
  ])('is allowed where no rule has that name: %j', (target) => {
    expect(decisionOn(target)).toEqual(['ALLOW']);
  });
});
