import { expect, it } from 'vitest';
import { makeRedactor, runSecrets } from '../../src/host/secrets/redact.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { propose } from '../../src/operations/propose.ts';
import type { ValueDigest } from '../../src/run/ports.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext } from '../support/context.ts';
import { policyOf } from './support/case.ts';
import { guardedProtocol, TEMPLATE } from './support/walk.ts';

const INPUTS = '---\ninputs:\n  DB_WORD: { description: Word, secret: true }\n---\n';

it('denies, at the proposal and at the use of its permit, while the process has another secret than the run', async () => {
  const digest: ValueDigest = (runId, name, value) => `key:${runId} ${name} ${[...value].reverse().join('')}`;
  const redactor = makeRedactor({});
  const secrets = runSecrets(() => redactor);
  const loaded = policyOf({ version: 1, rules: [{ match: { action_types: [TEMPLATE.action_type] } }] });
  const ctx = await makeContext({
    over: { runSecrets: secrets, valueDigest: async () => digest, policy: async () => loaded },
  });
  const { items } = await mint(ctx, { markdown_doc: INPUTS + guardedProtocol() });
  const [first, second] = items.map(({ uri }) => uri) as [string, string];
  const begun = (await begin(ctx, { uri: first, inputs: { DB_WORD: 'correct-horse' } })) as RunFields;
  const run_id = begun.run_id!;
  const { nonce, proof_hash } = begun.challenge!;
  const shell = { exit_code: 0, stdout: '{"record_exists":true}' };
  const solution = { type: 'shell', nonce, proof_hash, shell };
  const shown = await next(ctx, { uri: first, run_id, solution }, { assurance: 'observed' });
  const proposal = shown.challenge!.proposal_draft;
  const denied = { decision: 'DENY', reasons: [{ code: 'K-PROP-144' }] };

  secrets.learn(run_id, { DB_WORD: 'another-horse' });
  expect(await propose(ctx, { uri: second, run_id, proposal })).toMatchObject(denied);
  secrets.learn(run_id, { DB_WORD: 'correct-horse' });
  expect(await propose(ctx, { uri: second, run_id, proposal })).toMatchObject({ decision: 'ALLOW' });
  secrets.learn(run_id, { DB_WORD: 'another-horse' });
  const refused = await next(ctx, { uri: second, run_id });
  expect(refused).toMatchObject({ error_code: 'PROPOSAL_DENIED' });
  expect(JSON.stringify(refused)).not.toContain('crm-update');
  // What was denied is proposed again, with the secret of the run.
  secrets.learn(run_id, { DB_WORD: 'correct-horse' });
  expect(await propose(ctx, { uri: second, run_id, proposal })).toMatchObject({ decision: 'ALLOW' });
  expect((await next(ctx, { uri: second, run_id })).challenge?.type).toBe('shell');
});
