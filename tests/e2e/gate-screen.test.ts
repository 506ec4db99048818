import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerWithKey, guardedDocument, makeApprovers, writePolicy } from '../gate/support/cli.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const INPUTS = `---
inputs:
  TARGET_HOST: { description: Load balancer to drain }
  DB_PASSWORD: { description: Password of the replica, secret: true }
---
`;

/** A run with inputs that waits for one person. */
async function held() {
  writePolicy(home, {
    approvers: makeApprovers(home, ['mira']),
    rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
  });
  const document = INPUTS + guardedDocument({}, 'drain "$TARGET_HOST" "$DB_PASSWORD" || true');
  const { path, digest } = await protocolFile(home, document);
  const answers = answersFile(home, { '2.proposal': '{}', closing: 'The load balancer is drained.' });
  const given = ['--input', 'TARGET_HOST=lb1', '--input', 'DB_PASSWORD=correct horse'];
  const walk = ['--trust', digest, '--answers', answers];
  const { code, objects } = await kairosJson(home, ['run', path, ...given, ...walk]);
  expect(code).toBe(3);
  const runId = String(objects.find(({ event }) => event === 'begun')?.run_id);
  return { runId, resume: ['resume', runId, ...walk, '--input', 'DB_PASSWORD=correct horse'] };
}

it('an approver reads the inputs that the command gets, of a secret its name', async () => {
  const { runId, resume } = await held();
  const shown = await kairos(home, ['proposal', 'show', runId]);
  expect(shown.stdout).toMatch(/runs +drain "\$TARGET_HOST"/);
  expect(shown.stdout).toMatch(/variable +TARGET_HOST=lb1\n/);
  expect(shown.stdout).toMatch(/variable +DB_PASSWORD \(secret\)\n/);
  expect(shown.stdout).toMatch(/until +an approval given now counts until .* \(in 1 h\)\n/);
  const request = join(home.home, 'request.json');
  await kairos(home, ['proposal', 'request', runId, '--out', request]);
  const text = readFileSync(request, 'utf8');
  expect(JSON.parse(text).screen.variables).toEqual({ TARGET_HOST: 'lb1', DB_PASSWORD: null });
  expect(text + shown.stdout).not.toContain('correct horse');
  expect((await answerWithKey(home, 'approve', runId, 'mira')).code).toBe(0);
  expect((await kairosJson(home, resume)).code).toBe(0);
});

it('an approver reads why an approval does not count after the run was moved', async () => {
  const { runId, resume } = await held();
  expect((await answerWithKey(home, 'approve', runId, 'mira')).code).toBe(0);
  const elsewhere = join(home.root, 'elsewhere');
  mkdirSync(elsewhere);
  const { objects } = await kairosJson(home, ['proposal', 'show', runId]);
  const { proposal } = objects[0] as { proposal: object };
  const moved = await kairosJson(home, [...resume, '--workdir', elsewhere]);
  expect(moved.code).toBe(3);
  expect(JSON.stringify(moved.objects)).toContain('Approvals and permits given before do not count here.');
  // Handed in again as it was, it has the approval of the other place, and says that it does not count.
  const again = ['proposal', 'submit', runId, '-'];
  await kairos(home, again, { stdin: JSON.stringify(proposal) });
  const shown = await kairos(home, ['proposal', 'show', runId]);
  expect(shown.stdout).toMatch(/approvals +0 of 1\n/);
  expect(shown.stdout).toMatch(
    /not counted +mira: the run was moved to another directory or machine since\n/,
  );
  expect(shown.stdout).toMatch(/can approve +mira\n/);
  expect((await answerWithKey(home, 'approve', runId, 'mira')).code).toBe(0);
  expect((await kairos(home, ['proposal', 'show', runId])).stdout).not.toContain('not counted');
  expect((await kairosJson(home, resume)).code).toBe(0);
});
