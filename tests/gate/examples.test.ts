import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { main } from '../../src/cli/main.ts';
import { decideProposal, GATE_RULES } from '../../src/gate/decide.ts';
import { readPolicy } from '../../src/gate/policy/read.ts';
import { proposalTemplateSchema } from '../../src/protocol/schema.ts';
import { fakeIo } from '../support/cli-io.ts';
import { caseOf, proof } from './support/case.ts';
import { policyChecks } from './support/policy-checks.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../docs/examples', name), 'utf8');

it('the example policy can be used, and the example proposal waits until one person has approved it', async () => {
  const policy: unknown = parse(read('kairos.policy.yaml'));
  expect(readPolicy(policy, await policyChecks())).toMatchObject({ ok: true });
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

describe('the pages on the gate', () => {
  const guide = ['gate', 'approvals', 'gate-rules']
    .map((name) => readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8'))
    .join('\n');
  const fences = (language: string) =>
    [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text!);

  it('shows templates that are some', () => {
    const templates = fences('json');
    expect(templates.length).toBeGreaterThan(0);
    for (const text of templates)
      expect(proposalTemplateSchema.safeParse(JSON.parse(text))).toMatchObject({ success: true });
  });

  it('shows existing commands, with their options', async () => {
    const lines = fences('sh')
      .flatMap((text) => text.trim().split('\n'))
      .filter((line) => line.startsWith('kairos '));
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      const [, ...words] = line.split(' ');
      const names = words.filter((word) => /^[a-z]+$/.test(word)).slice(0, words[0] === 'proposal' ? 2 : 1);
      const { io, stdout } = fakeIo();
      expect([line, await main([...names, '--help'], io)]).toEqual([line, 0]);
      for (const option of words.filter((word) => word.startsWith('--'))) expect(stdout()).toContain(option);
    }
  });

  it('names every rule', () => {
    const rows = [...guide.matchAll(/^\| ([KV]-PROP-[^|]*) \|/gm)].map(([, codes]) => codes!);
    const named = rows.flatMap((codes) => {
      const family = codes.slice(0, 7);
      return codes
        .slice(7)
        .split(', ')
        .flatMap((part) => {
          const [from, to = from] = part.split(' … ').map(Number);
          return Array.from(
            { length: to! - from! + 1 },
            (_, at) => `${family}${String(from! + at).padStart(3, '0')}`,
          );
        });
    });
    expect(GATE_RULES.map(({ code }) => code).filter((code) => !named.includes(code))).toEqual([]);
  });
});
