import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type ClientKind, overStdio, structured } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';

const GUARDED = {
  proof_of_work: { type: 'mcp', mcp: { tool_name: 'send_mail' } },
  proposal: { action_type: 'communicate', approval_class: 'none' },
};
const MADE = {
  proof_of_work: { type: 'comment', comment: { min_length: 10 } },
  outputs: [{ path: 'made.txt', exists: true }],
};
let home: CliHome;
let policies: string;
beforeAll(async () => {
  home = makeHome();
  const text = `# Send mail\n\nFor the tests.\n\n${stepOf('Send it', 'Send it.', GUARDED)}`;
  writeFileSync(join(home.work, 'mail.md'), text);
  expect(await kairos(home, ['mint', 'mail.md'], { prepares: true })).toMatchObject({ code: 0 });
  writeFileSync(
    join(home.work, 'make.md'),
    `# Make it\n\nFor the tests.\n\n${stepOf('Make it', 'Make it.', MADE)}`,
  );
  expect(await kairos(home, ['mint', 'make.md'], { prepares: true })).toMatchObject({ code: 0 });
  writeFileSync(join(home.work, 'made.txt'), 'made\n');
  policies = join(home.root, 'policies');
  mkdirSync(policies, { mode: 0o700 });
  for (const file of [join(policies, 'policy.yaml'), join(home.config, 'kairos.policy.yaml')])
    writeFileSync(file, 'version: 1\n', { mode: 0o600 });
}, 60_000);
afterAll(() => home.remove());

/** Begins a run that has a gate in it; answers what came of it, and how often the client was asked for its roots. */
async function begin(kind: ClientKind, args: readonly string[], named: () => string) {
  let asked = 0;
  const roots = () => {
    asked += 1;
    return [named()];
  };
  const client = await overStdio(kind, home, args, { roots });
  await client.call('kairos_search', { query: 'send mail' });
  const before = asked;
  const result = await client.call('kairos_begin', { key: 'send-mail' });
  await client.close();
  return { before, asked, refused: result.content[0]!.text!.startsWith('POLICY_UNUSABLE') };
}

describe('the roots of a client', () => {
  it.each(['sdk-1', 'sdk-2-legacy'] as const)(
    '%s: are requested when they matter, and contain no policy',
    async (kind) => {
      const chosen = ['--policy', join(policies, 'policy.yaml')];
      expect(await begin(kind, chosen, () => policies)).toEqual({ before: 0, asked: 1, refused: true });
      expect(await begin(kind, chosen, () => home.data)).toEqual({ before: 0, asked: 1, refused: false });
      // The user's own place is the user's, whatever the client works in.
      expect(await begin(kind, [], () => home.config)).toEqual({ before: 0, asked: 0, refused: false });
    },
    60_000,
  );

  it('that fails to name them has none', async () => {
    const fails = () => {
      throw new Error('no roots today');
    };
    const chosen = ['--policy', join(policies, 'policy.yaml')];
    expect(await begin('sdk-1', chosen, fails)).toEqual({ before: 0, asked: 1, refused: false });
  }, 60_000);

  it.each([
    ['sdk-1', () => home.work, undefined],
    ['sdk-1', () => home.data, 'OUTPUT_MISMATCH'],
    ['sdk-2-legacy', () => home.data, 'OUTPUT_MISMATCH'],
    [
      'sdk-1',
      () => {
        throw new Error('no roots today');
      },
      'OUTPUT_MISMATCH',
    ],
    // Not asked, so nothing is narrowed.
    ['sdk-2', () => home.data, undefined],
  ] as const)(
    '%s: narrow which files are read',
    async (kind, named, code) => {
      const client = await overStdio(kind, home, ['--workdir', '.'], { roots: () => [named()] });
      const begun = structured<RunFields>(await client.call('kairos_begin', { key: 'make-it' }));
      const { nonce, proof_hash } = begun.challenge!;
      const solution = {
        type: 'comment',
        nonce,
        proof_hash,
        comment: { text: 'It was made with some care.' },
      };
      const input = { uri: begun.current_step!.uri, run_id: begun.run_id!, solution };
      const answer = structured<RunFields>(await client.call('kairos_next', input));
      await client.close();
      expect(answer.error_code).toBe(code);
    },
    60_000,
  );

  it('of 2026-07-28 are not asked for', async () => {
    const chosen = ['--policy', join(policies, 'policy.yaml')];
    expect(await begin('sdk-2', chosen, () => policies)).toMatchObject({ asked: 0 });
  }, 60_000);
});
