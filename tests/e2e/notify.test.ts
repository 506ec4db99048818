import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  answerWithKey,
  guardedDocument,
  makeApprovers,
  resumeGuarded,
  runGuarded,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';

let home: CliHome;
let server: Server;
let events: Record<string, unknown>[];
let status: number;
beforeEach(async () => {
  [home, events, status] = [makeHome(), [], 200];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      events.push(JSON.parse(body));
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const file = join(home.config, 'kairos.config.yaml');
  writeFileSync(file, `notify: http://127.0.0.1:${port}/hook/t0ken\n`);
  chmodSync(file, 0o600);
  writePolicy(home, {
    approvers: makeApprovers(home, ['mira', 'noor']),
    rules: [{ match: { action_types: ['write'] }, approval_class: 'dual' }],
  });
});
afterEach(() => {
  server.close();
  home.remove();
});

it('notifies a receiver when a run waits, is answered, is decided and ends', async () => {
  const { runId, trust } = await runGuarded(home, guardedDocument());
  for (const name of ['mira', 'noor'])
    expect(await answerWithKey(home, 'approve', runId, name)).toMatchObject({ code: 0 });
  expect((await resumeGuarded(home, runId, trust)).code).toBe(0);
  expect(events).toMatchObject([
    {
      kairos: 'event',
      v: 1,
      event: 'waiting',
      waits_for: 'approval',
      run_id: runId,
      step: { index: 2, count: 3, label: 'Move' },
      text: 'Step 2 of "Move the switch" waits for approval (0 of 2).',
      proposal: { decision: 'HOLD', approvals: { needed: 2, given: 0 }, rollback: false },
      look: expect.stringContaining(`kairos proposal show ${runId} `),
    },
    {
      event: 'answered',
      text: 'mira approved step 2 of "Move the switch" (1 of 2).',
      answer: { decision: 'approve', approver: 'mira' },
      proposal: { approvals: { needed: 2, given: 1 } },
    },
    {
      event: 'answered',
      answer: { decision: 'approve', approver: 'noor' },
      proposal: { approvals: { needed: 2, given: 2 } },
    },
    { event: 'decided', proposal: { decision: 'ALLOW', approvals: { needed: 2, given: 2 } } },
    { event: 'ended', outcome: 'success', step: null },
  ]);
  const shown = await kairos(home, ['config']);
  expect(shown.stdout).toContain('notify');
  expect(shown.stdout).not.toContain('t0ken');
});

it('does not stop a run, and reports the failure, where the receiver fails or is absent', async () => {
  status = 503;
  const { runId, code } = await runGuarded(home, guardedDocument());
  expect(code).toBe(3);
  const first = await answerWithKey(home, 'deny', runId, 'mira', '--reason', 'Not today.');
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('it returned status 503') });
  server.close();
  server.closeAllConnections();
  const other = await runGuarded(home, guardedDocument());
  expect(other.code).toBe(3);
  const second = await answerWithKey(home, 'approve', other.runId, 'noor');
  expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining('it cannot be reached') });
});

it('refuses a receiver that is neither a URL nor a command', async () => {
  const file = join(home.config, 'kairos.config.yaml');
  for (const value of ['https://', '[]x', '{a: 1}', '[1]']) {
    writeFileSync(file, `notify: ${value}\n`);
    chmodSync(file, 0o600);
    const { code, stderr } = await kairos(home, ['runs']);
    expect([value, code]).toEqual([value, 2]);
    expect(stderr).toContain('kairos.config.yaml');
  }
});
