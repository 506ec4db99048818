import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  guardedDocument,
  keyOf,
  makeApprovers,
  resumeGuarded,
  runGuarded,
  timesRun,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';

/** Three accounts with data folders of their own: one proposes, two approve. */
let home: CliHome;
let mira: CliHome;
let noor: CliHome;
beforeEach(() => {
  [home, mira, noor] = [makeHome(), makeHome(), makeHome()];
});
afterEach(() => {
  for (const one of [home, mira, noor]) one.remove();
});

async function held() {
  const approvers = [...makeApprovers(mira, ['mira']), ...makeApprovers(noor, ['noor'])];
  writePolicy(home, { approvers, rules: [{ match: { action_types: ['write'] }, approval_class: 'dual' }] });
  const run = await runGuarded(home, guardedDocument());
  expect(run.code).toBe(3);
  const waiting = await kairosJson(home, ['proposal', 'list']);
  expect(waiting.objects[0]).toMatchObject({ proposals: [{ run_id: run.runId, decision: 'HOLD' }] });
  const request = join(home.home, 'request.json');
  expect(await kairos(home, ['proposal', 'request', run.runId, '--out', request])).toMatchObject({ code: 0 });
  return { ...run, request, hash: String(JSON.parse(readFileSync(request, 'utf8')).screen.proposal_hash) };
}

it('is approved by two people from separate accounts, with a request and an answer as files', async () => {
  const { runId, trust, request, hash } = await held();
  for (const [account, name] of [
    [mira, 'mira'],
    [noor, 'noor'],
  ] as const) {
    const signed = await kairos(account, ['proposal', 'sign', request, hash, '--key', keyOf(account, name)]);
    expect(signed).toMatchObject({ code: 0 });
    const answer = join(account.home, 'answer.json');
    writeFileSync(answer, signed.stdout);
    expect(await kairos(home, ['proposal', 'submit-answer', answer])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(name),
    });
    expect(timesRun(home)).toBe(0);
  }
  expect((await resumeGuarded(home, runId, trust)).code).toBe(0);
  expect(timesRun(home)).toBe(1);
  expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
});

it('refuses a request that shows something else than what would be signed', async () => {
  const { request, hash } = await held();
  const text = readFileSync(request, 'utf8');
  interface Signable {
    proposal: { actor: string };
    screen: {
      protocol: { title: string };
      step: { label: string };
      action: { command: string };
      place: { directory: string; host: string };
      target: { resource_id: string };
      effects: string[];
      risk: { max_affected_records: number };
      rollback: object;
      evidence: { actual: unknown }[];
      proposed_by: string;
      rules: { asks: string }[];
      needed: number;
      binding: string | null;
    };
  }
  const changes: [string, (value: Signable) => void][] = [
    ['another title', ({ screen }) => (screen.protocol.title = 'Water the plants')],
    ['another step', ({ screen }) => (screen.step.label = 'Look')],
    ['another command', ({ screen }) => (screen.action.command = 'true')],
    ['another directory', ({ screen }) => (screen.place.directory = '/elsewhere')],
    ['another host', ({ screen }) => (screen.place.host = 'elsewhere')],
    ['another target', ({ screen }) => (screen.target.resource_id = 'test')],
    ['other effects', ({ screen }) => (screen.effects = ['none'])],
    ['another risk', ({ screen }) => (screen.risk.max_affected_records = 1)],
    ['another rollback', ({ screen }) => (screen.rollback = { strategy: 'command', command: 'true' })],
    ['another value of the evidence', ({ screen }) => (screen.evidence[0]!.actual = 1)],
    ['another proposer', ({ screen }) => (screen.proposed_by = 'somebody')],
    ['another rule', ({ screen }) => (screen.rules[0]!.asks = 'nothing')],
    ['another number of approvals', ({ screen }) => (screen.needed = 1)],
    ['no binding', ({ screen }) => (screen.binding = null)],
    ['another proposal', ({ proposal }) => (proposal.actor = 'somebody')],
  ];
  for (const [name, change] of changes) {
    const value = JSON.parse(text) as Signable;
    change(value);
    writeFileSync(request, JSON.stringify(value));
    const signed = await kairos(mira, ['proposal', 'sign', request, hash, '--key', keyOf(mira, 'mira')]);
    expect([name, signed.code, signed.stderr.includes('was changed')]).toEqual([name, 2, true]);
  }
  // Signed unseen, without its whole hash, it is not.
  writeFileSync(request, text);
  const unseen = await kairos(mira, ['proposal', 'sign', request, '--key', keyOf(mira, 'mira')]);
  expect(unseen).toMatchObject({ code: 2, stderr: expect.stringContaining('whole hash') });
});

it('signs for 30 days at most, against a longer request, and marks what it only claims', async () => {
  const { request, hash } = await held();
  const value = JSON.parse(readFileSync(request, 'utf8')) as {
    screen: { policy: { ttl_ms: number }; given: number; could_approve: string[]; decision: string };
  };
  // No signature covers these, so another person's file can have anything here.
  value.screen.policy.ttl_ms = 10 * 365 * 24 * 3_600_000;
  value.screen.given = 1;
  value.screen.could_approve = ['nobody.else'];
  value.screen.decision = 'ALLOW';
  writeFileSync(request, JSON.stringify(value));
  const before = Date.now();
  const signed = await kairos(mira, ['proposal', 'sign', request, hash, '--key', keyOf(mira, 'mira')]);
  expect(signed.code).toBe(0);
  const { statement } = JSON.parse(signed.stdout) as { statement: string };
  const days = (JSON.parse(statement).expires_at_ms - before) / (24 * 3_600_000);
  expect(days).toBeGreaterThanOrEqual(30);
  expect(days).toBeLessThan(31);
  const marked = signed.stderr
    .split('\n')
    .flatMap((line) =>
      line.endsWith('(the request claims it, not verified)')
        ? (/^([a-z ]+?) {2,}/.exec(line)?.[1] ?? [])
        : [],
    );
  expect(marked).toEqual(['approvals', 'can approve', 'the gate']);
});

it('accepts an answer that only ssh-keygen has signed, and a denial with its reason', async () => {
  const { runId, request, hash } = await held();
  const { screen } = JSON.parse(readFileSync(request, 'utf8'));
  const statement = {
    approver: 'mira',
    binding: screen.binding,
    chain_digest: screen.protocol.digest,
    decision: 'approve',
    expires_at_ms: Date.now() + 600_000,
    policy_digest: screen.policy.digest,
    proposal_hash: hash,
    run_id: runId,
    step: screen.step.index,
    v: 1,
  };
  const file = join(mira.home, 'statement');
  writeFileSync(file, `${JSON.stringify(statement)}\n`);
  execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-f', keyOf(mira, 'mira'), '-n', 'kairos-approval', file]);
  const given = ['proposal', 'approve', runId, '--statement', file, '--signature', `${file}.sig`];
  expect(await kairos(home, given)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 more, of noor'),
  });

  const denial = await kairos(noor, [
    'proposal',
    'sign',
    request,
    hash,
    '--key',
    keyOf(noor, 'noor'),
    '--deny',
    '--reason',
    'Not on a Friday.',
  ]);
  const answer = join(noor.home, 'answer.json');
  writeFileSync(answer, denial.stdout);
  expect(await kairos(home, ['proposal', 'submit-answer', answer])).toMatchObject({ code: 0 });
  const shown = await kairos(home, ['proposal', 'show', runId]);
  expect(shown.stdout).toContain('noor: Not on a Friday.');
  expect(shown.stdout).toContain('It was denied by noor: "Not on a Friday."');
});

it('refuses files that are not whole, with a message', async () => {
  const { request, hash } = await held();
  const text = readFileSync(request, 'utf8');
  const signed = async () => {
    const words = ['proposal', 'sign', request, hash, '--key', keyOf(mira, 'mira')];
    const { code, stderr } = await kairos(mira, words);
    return [code, /error: (.*)/.exec(stderr)?.[1]];
  };
  const cases: [
    string,
    (value: { screen: Record<string, unknown>; keys: Record<string, unknown> }) => void,
  ][] = [
    ['keys that are a text', ({ keys }) => (keys.mira = 'ssh-ed25519 AAAA')],
    ['no policy', ({ screen }) => (screen.policy = null)],
    ['no time limit', ({ screen }) => (screen.policy = { digest: 'a'.repeat(64), origin: null })],
    [
      'an endless time limit',
      ({ screen }) => (screen.policy = { digest: 'a'.repeat(64), origin: null, ttl_ms: 9e15 }),
    ],
    ['no list of approvals', ({ screen }) => (screen.approved_by = 5)],
    [
      'an instant that is none',
      ({ screen }) => (screen.approved_by = [{ name: 'x', source: 'ssh', until: 'now' }]),
    ],
    ['reasons that are a number', ({ screen }) => (screen.reasons = 1)],
    ['no run', ({ screen }) => delete screen.run_id],
  ];
  for (const [name, change] of cases) {
    const value = JSON.parse(text);
    change(value);
    writeFileSync(request, JSON.stringify(value));
    expect([name, ...(await signed())]).toEqual([name, 2, `${request} is not a whole proposal request`]);
  }
  for (const [content, said] of [
    ['[]', 'is not a proposal request of kairos'],
    ['{"kairos":"proposal-request","v":1,"v":1}', 'is not usable JSON: /v'],
    ['{"kairos":"proposal-request","v":1}', 'is not a whole proposal request'],
    ['{', 'is not JSON'],
    [`"${'x'.repeat(5 << 20)}"`, 'has more than 4 MiB'],
  ] as const) {
    writeFileSync(request, content);
    const [code, message] = await signed();
    expect([message, code]).toEqual([expect.stringContaining(said), 2]);
  }
});

it('refuses a signed reason with a secret of the machine that records it, because redaction would void the denial', async () => {
  const { runId, request, hash } = await held();
  const secret = 'correct-horse-battery';
  const signed = await kairos(noor, [
    ...['proposal', 'sign', request, hash, '--key', keyOf(noor, 'noor')],
    ...['--deny', '--reason', `It uses ${secret}.`],
  ]);
  expect(signed.code).toBe(0);
  expect(signed.stderr).toMatch(/runs +echo ran/);
  const answer = join(noor.home, 'answer.json');
  writeFileSync(answer, signed.stdout);
  const submitted = await kairos(home, ['proposal', 'submit-answer', answer], {
    env: { ...home.env, DEPLOY_TOKEN: secret },
  });
  expect(submitted).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('contains a secret of this machine'),
  });
  expect(submitted.stderr).not.toContain(secret);
  expect((await kairos(home, ['proposal', 'show', runId])).stdout).not.toContain('denied by');
});
