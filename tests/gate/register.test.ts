import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ApprovalStatement, readStatement, statementText } from '../../src/gate/approval/statement.ts';
import { makeRedactor } from '../../src/host/secrets/redact.ts';
import { type ApprovalScreen, screenRows } from '../../src/run/present/approval-screen.ts';
import { WHY_UNCOUNTED } from '../../src/run/wording.ts';
import { makeContext } from '../support/context.ts';
import { walkToGuard } from './support/walk.ts';

/** What was once wrong with the gate, and where the case is that keeps it right: a title of a test, or the name of a case. */
const REGISTER: [what: string, file: string, ...titles: string[]][] = [
  // Approving.
  ['answers take the whole hash', 'e2e/gate-screen', '%s without a terminal needs the whole hash'],
  ['a signature elsewhere takes it too', 'e2e/gate-elsewhere', 'refuses a request that shows something else'],
  ['a person at a terminal reads it and types a word', 'e2e/gate-approvals', 'types'],
  ['the screen names everything', 'e2e/gate-screen', 'it names everything that decides', 'reads the inputs'],
  ['the page shows the same', 'cli/view-proposals', 'shows on the page everything that the terminal shows'],
  // What a policy means.
  ['a threshold sets the class', 'gate/cases/register.json', 'quorum: a threshold sets the class'],
  ['dual with a threshold', 'gate/policy-check', 'dual with a threshold'],
  ['single with a list of people', 'gate/policy-check', 'single with a list of people'],
  ['a type that is none', 'gate/policy-check', 'a schema with a type that is none'],
  ['a misspelt keyword', 'gate/policy-check', 'a keyword that is misspelt'],
  ['a remote reference', 'gate/policy-check', 'a schema that lies elsewhere'],
  [
    'patterns outside RE2',
    'gate/policy-check',
    'a pattern outside RE2',
    'a schema with a pattern outside RE2',
  ],
  ['a key that is none', 'gate/policy-check', 'a key too short to be one'],
  ['a type over the bytes of another', 'gate/policy-check', 'a type over the bytes of another'],
  ['padding after a key', 'gate/policy-check', 'padding after the base64', 'bytes after the key'],
  [
    'too few people',
    'gate/policy-check',
    'more people than are named',
    'dual with one approver',
    'only revoked keys',
  ],
  ['no policy at all', 'e2e/gate-screen', 'policy check ends with 1 without a policy, and doctor names'],
  [
    'both names of the file',
    'host/policy-file',
    'may be named .yml, and is refused where both names are there',
  ],
  [
    'messages name what is expected',
    'gate/policy-check',
    'a number where a text belongs',
    'a key that is misspelt',
  ],
  // Keys and people.
  [
    'a certificate is no key of its own',
    'gate/policy-check',
    'a certificate',
    'one private key with another sign',
  ],
  ['one key of two people', 'gate/policy-check', 'one key of two people'],
  ['an expired key', 'docs/approval-attacks', 'approves with an expired key'],
  [
    'a denial outlives its key',
    'gate/cases/register.json',
    'denial whose key has expired since',
    'denial whose key was revoked since',
  ],
  [
    'and its approver and policy',
    'gate/cases/register.json',
    'denial of somebody who is no approver any more',
    'denial under another policy',
  ],
  // Secrets.
  [
    'a secret in an id',
    'gate/cases/register.json',
    'secret: in the proposal_id',
    'secret: in the request_id of a KernelRequest',
  ],
  ['a secret as a key', 'gate/cases/register.json', 'secret: as a key of the parameters'],
  ['a refused secret is on no record', 'gate/register', 'keeps a refused secret out of the record'],
  // Effects.
  ['more than permitted', 'gate/effects', 'fails the step when more was affected than permitted'],
  [
    'and is offered for rollback',
    'e2e/gate-rollback',
    'offers the rollback after more was affected than permitted',
  ],
  // Smaller ones.
  ['keys that cannot be used do not count', 'gate/cases/policy.json', 'only revoked keys'],
  [
    'lists and patterns',
    'gate/cases/register.json',
    'match: a list of domains',
    'match: a pattern',
    'match: letter case of a name does not matter',
  ],
  ['a window of no length', 'gate/cases/register.json', 'time_window: of no length'],
  ['narrowing in two places', 'gate/cases/effects.json', 'narrowing the effects and the envelope together'],
  ['small answers', 'gate/properties', 'stays small for any input'],
  ['reasons in one order', 'gate/properties', 'is the same for any order of the submitted keys'],
  ['a policy that is not UTF-8', 'host/policy-file', 'is refused when it is not UTF-8'],
  ['no folder for temporary files', 'e2e/gate-screen', 'signs where TMPDIR does not exist'],
  [
    'a manual rollback without a person',
    'e2e/gate-rollback',
    'keeps the permit of a manual rollback that cannot ask',
  ],
  ['no process per signature', 'e2e/gate-screen', 'counts approvals where ssh-keygen is not installed'],
  ['a denial has a reason', 'e2e/gate-screen', 'deny records its reason'],
  ['an approval names how many are missing', 'e2e/gate-screen', 'how many are missing'],
  [
    'no policy, and a class that needs one',
    'gate/cases/register.json',
    'no policy, and a class that needs one',
  ],
  ['reasons name values and people', 'gate/register', '%s names what it is about'],
  ['each cause in its own words', 'gate/register', 'has a separate text for each cause'],
];

const read = (file: string) => {
  const name = file.endsWith('.json') ? file : `${file}.test.ts`;
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
};

it.each(REGISTER)('%s: a case in %s', (_what, file, ...titles) => {
  const text = read(file);
  expect(titles.filter((title) => !text.includes(title))).toEqual([]);
});

interface Reasoned {
  name: string;
  expected: { reasons?: { code: string; message: string }[] };
}

it.each([
  [
    'K-PROP-112',
    'template',
    /^The template sets ("[\w.@-]+"|\d+|true|false|another \w+|\[\]); (here is .+|it is missing here)\.$/,
  ],
  [
    'K-PROP-121',
    'operators',
    /^The evidence (contains .+, but the precondition requires (eq|ne|gt|lt|contains|matches) .+|has no such field)\.$/,
  ],
  ['K-PROP-126', 'effects', /^The step has the effect "\w+", which is not allowed here\.$/],
  ['K-PROP-131', 'policy', /^No rule of the policy covers \w+ on ".+" ".+" in ".+"\.$/],
  ['K-PROP-133', 'effects', /^Rule \S+ does not permit the effect "\w+"\.$/],
  ['K-PROP-140', 'approvals', /^It was denied by \w+(, \w+)*\.$/],
])('%s names what it is about', (code, file, form) => {
  const cases = JSON.parse(read(`gate/cases/${file}.json`)) as Reasoned[];
  const messages = cases.flatMap(({ expected }) =>
    (expected.reasons ?? []).filter((reason) => reason.code === code).map(({ message }) => message),
  );
  expect(messages.length).toBeGreaterThan(0);
  for (const message of messages) expect(message).toMatch(form);
});

it('has a separate text for each cause of an uncounted answer', () => {
  const texts = Object.values(WHY_UNCOUNTED);
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.length).toBeGreaterThan(15);
});

it('keeps a refused secret out of the record, anywhere in the proposal', async () => {
  const secret = 'correct-horse-battery';
  const aws = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const redactor = makeRedactor({ DEPLOY_TOKEN: secret });
  for (const change of [
    { proposal_id: secret },
    { parameters: { [secret]: 1 } },
    { parameters: { deep: [{ note: `it is ${secret}` }] } },
    // Only the key beside it shows what the value is.
    { parameters: { aws_secret_access_key: aws } },
  ]) {
    const ctx = await makeContext({ over: { redact: (text) => redactor.redact(text) } });
    const walk = await walkToGuard({ ctx });
    const answer = await walk.propose({ ...walk.shown.challenge!.proposal_draft, ...change });
    expect(answer.decision).toBe('DENY');
    expect(answer.reasons?.map(({ code }) => code)).toContain('K-PROP-120');
    const record = JSON.stringify([answer, await ctx.store.readEntries(walk.runId)]);
    for (const text of [secret, aws]) expect(record).not.toContain(text);
  }
});

describe('the screen of an approver', () => {
  it('names the tool, its server and its arguments, and cuts long values', () => {
    const action = { kind: 'tool', tool: 'crm_update', server: 'crm', arguments: { note: 'x'.repeat(5000) } };
    const screen = { ...EMPTY, action } as unknown as ApprovalScreen;
    const rows = Object.fromEntries(
      screenRows(screen, { now: Date.parse('2026-01-15T08:00:00Z'), timeZone: 'Europe/Vienna' }),
    );
    expect(rows.calls).toBe('crm_update of crm');
    expect(rows.arguments).toMatch(/^\{"note":"x+… \(5011 characters\)$/);
    expect(rows['can run']).toBe(
      'from 15 Jan 2026, 10:00:00 CET (in 1 h)\nuntil 15 Jan 2026, 11:00:00 CET (in 2 h)',
    );
    expect(rows['denied before']).toBe('bbbbbbbbbbbb by noor: Not on a Friday.');
    expect(rows['changed since']).toBe('/parameters/count: 5 -> 3');
  });

  it('quotes a name that could be read as more than a name', () => {
    const action = { kind: 'person', text: 'Do it.' };
    const screen = {
      ...EMPTY,
      action,
      target: {
        resource_type: 'crm_record',
        resource_id: 'contact-1 in test.example, formerly',
        domain: 'prod.example',
        constraints: { allowed_fields: ['email', 'phone, notes'], forbidden_fields: ['ssn'], region: 'eu' },
      },
      parameters: { 'a: 1\nrollback': 2, note: 'x' },
      effects: ['audit_log', 'none, really'],
      risk: { forbidden_effects: ['fire'], max_affected_records: 2, reversible_required: true },
      rollback: { strategy: 'chain', chain_uri: 'kairos://mem/x', deadline_ms: 60_000 },
      evidence: [
        { ref: 'step:1', step: 1, field: 'a is 1: true', operator: 'gt', value: 1, actual: 0, holds: false },
        {
          ref: 'step:9',
          step: null,
          field: 'ok',
          operator: 'matches',
          value: '.*',
          actual: null,
          holds: false,
        },
      ].map((one) => ({ ...one, assurance: 'claimed', at: null })),
      needed: 3,
      given: 0,
      approval_class: 'threshold',
      rules: [
        { name: 'r', asks: 'none' },
        { name: 's', asks: '3 of a, b, c' },
      ],
    } as unknown as ApprovalScreen;
    const rows = screenRows(screen, { now: Date.parse('2026-01-15T08:00:00Z'), timeZone: 'Europe/Vienna' });
    const texts = (wanted: string) => rows.flatMap(([label, text]) => (label === wanted ? [text] : []));
    expect(texts('target')).toEqual([
      'crm_record "contact-1 in test.example, formerly" in prod.example\nchanges only email, "phone, notes"\nnever changes ssn\nregion "eu"',
    ]);
    expect(texts('parameter')).toEqual(['"a: 1\\nrollback": 2', 'note: "x"']);
    expect(texts('effects')).toEqual(['audit_log, "none, really"']);
    expect(texts('risk')).toEqual([
      'at most 2 records may be affected\nforbidden effects: fire\nit must be possible to roll back',
    ]);
    expect(texts('rollback')).toEqual(['by the protocol kairos://mem/x\nwithin 1 min of the failure']);
    expect(texts('evidence')).toEqual([
      '"a is 1: true" is more than 1: NOT true, it is 0\nstep 1, claimed, not checked by kairos',
      'ok matches ".*": no usable proof (step:9)',
    ]);
    expect(texts('needs')).toEqual(['3 other people (class threshold)']);
    expect(texts('asked by')).toEqual([
      'rule r of the policy: no approval',
      'rule s of the policy: 3 of a, b, c',
    ]);
  });
});

const EMPTY = {
  protocol: { title: 'T', slug: 't', digest: 'a'.repeat(64) },
  step: { index: 1, count: 2, label: 'S' },
  variables: {},
  place: null,
  action_type: 'write',
  target: {},
  parameters: {},
  effects: [],
  risk: { forbidden_effects: [], max_affected_records: null, reversible_required: false },
  rollback: null,
  evidence: [],
  proposed_by: 'agent',
  window: { from: '2026-01-15T09:00:00.000Z', until: '2026-01-15T10:00:00.000Z' },
  rules: [],
  approved_by: [],
  denied_by: [],
  not_counted: [],
  could_approve: [],
  reasons: [],
  denied_before: {
    proposal_hash: 'b'.repeat(64),
    by: ['noor'],
    reason: 'Not on a Friday.',
    changes: [{ pointer: '/parameters/count', before: 5, now: 3 }],
  },
  policy: null,
};

it('rejects a statement above its limits', () => {
  const statement: ApprovalStatement = {
    v: 1,
    decision: 'deny',
    approver: 'ada',
    proposal_hash: 'a'.repeat(64),
    run_id: 'run',
    step: 1,
    chain_digest: 'b'.repeat(64),
    policy_digest: 'c'.repeat(64),
    expires_at_ms: 1,
  };
  const withReason = (length: number) => statementText({ ...statement, reason: 'x'.repeat(length) });
  expect(readStatement(withReason(2000))).toMatchObject({ decision: 'deny' });
  for (const length of [0, 2001, 300_000]) expect(readStatement(withReason(length))).toBeNull();
  const named = statementText({ ...statement, approver: 'x'.repeat(300_000) });
  expect(readStatement(named)).toBeNull();
});
