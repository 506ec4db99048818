import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { decideProposal } from '../../src/gate/decide.ts';
import { readPolicy } from '../../src/gate/policy/read.ts';
import { caseOf, proof } from './support/case.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../docs/examples', name), 'utf8');

it('the example policy can be used, and holds the example proposal until one person has approved it', () => {
  const policy: unknown = parse(read('kairos.policy.yaml'));
  expect(readPolicy(policy)).toMatchObject({ ok: true });
  const now = 1_767_225_700_000;
  const answer = decideProposal(
    caseOf({
      submitted: read('proposal.json'),
      policy,
      actor: 'agent-crm',
      now,
      evidence: [proof({ type: 'shell', at: now - 1000, packet: { exit_code: 0 } })],
    }),
  );
  expect(answer).toMatchObject({ decision: 'HOLD', reasons: [], approvals: { needed: 1, given: 0 } });
});
