import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  answerWithKey,
  entriesOf,
  guardedDocument,
  makeApprovers,
  timesRun,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { ASKED, answer, enter, openKairos, runIdIn } from '../support/kairos-terminal.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolWith, stepOf } from '../support/protocols.ts';
import { closeTerminals, KEYS, type Terminal } from '../support/pty.ts';
import { protocolFile } from '../support/run.ts';

/** A run on a terminal to which other people or sessions contribute. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

const DOCUMENT = `# Open the gates

For the tests.

${stepOf('Ask', 'Ask them.', { proof_of_work: { type: 'user_input', user_input: { prompt: 'Which gate?' } } })}
${stepOf('Open', 'Open it.', { proof_of_work: { type: 'shell', shell: { cmd: 'exit 7' }, required: false } })}
`;

async function atQuestion(): Promise<{ terminal: Terminal; runId: string }> {
  const { digest } = await protocolFile(home, DOCUMENT);
  const terminal = openKairos(home, ['run', './protocol.md', '--trust', digest]);
  await terminal.waitFor('Which gate?');
  return { terminal, runId: runIdIn(terminal.screen()) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

const kindsOf = async (runId: string) => (await exportedLedger(home, runId)).entries.map(({ kind }) => kind);

describe.skipIf(process.platform === 'win32')('a run that is continued elsewhere', () => {
  it('asks before it runs the next command, although the person chose to retry the step before', async () => {
    const { terminal, runId } = await atQuestion();
    terminal.send(KEYS.ctrlC);
    await terminal.waitFor(ASKED.interrupted);
    expect(await kairos(home, ['answer', runId, 'the north gate'])).toMatchObject({ code: 0 });
    enter(terminal, 't');
    await terminal.waitFor(ASKED.run);
    expect(await kindsOf(runId)).not.toContain('command.started');
    enter(terminal, 'r');
    await answer(terminal, ASKED.closing, 'The gate is open, which took a while.');
    expect((await terminal.exit).exitCode).toBe(0);
    expect((await kindsOf(runId)).slice(-5)).toEqual([
      'command.finished',
      'proof.rejected',
      'step.shown',
      'proof.accepted',
      'run.sealed',
    ]);
    expect(terminal.screen()).toContain('The optional proof was not given (COMMAND_FAILED)');
    expect(terminal.screen()).not.toMatch(/kairos_|CONFLICT/);
  });

  it('does not use a late answer, and continues with the next step', async () => {
    const { terminal, runId } = await atQuestion();
    expect(await kairos(home, ['answer', runId, 'the north gate'])).toMatchObject({ code: 0 });
    enter(terminal, 'the south gate');
    await terminal.waitFor('Another session has continued this run. Its present step is shown.');
    await terminal.waitFor(ASKED.run);
    expect(terminal.screen()).not.toContain(ASKED.failed);
    expect(await kindsOf(runId)).not.toContain('proof.rejected');
  });
});

describe.skipIf(process.platform === 'win32')('two terminals with the same run', () => {
  it('run its command once, and ask before it is repeated', async () => {
    const cmd = 'echo ran >> ran.txt; until test -e ready; do sleep 0.05; done';
    const { digest } = await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell: { cmd } } }),
    );
    const first = openKairos(home, ['run', './protocol.md', '--trust', digest]);
    await first.waitFor(ASKED.run);
    const runId = runIdIn(first.screen());
    const second = openKairos(home, ['resume', runId, '--trust', digest]);
    await second.waitFor(ASKED.run);
    enter(first, 'r');
    await until(() => existsSync(join(home.work, 'ran.txt')));
    enter(second, 'r');
    await second.waitFor('Run it again?');
    expect(readFileSync(join(home.work, 'ran.txt'), 'utf8')).toBe('ran\n');
    writeFileSync(join(home.work, 'ready'), '');
    await answer(first, ASKED.closing, 'The command ran once, as it should.');
    expect((await first.exit).exitCode).toBe(0);
    expect((await kindsOf(runId)).filter((kind) => kind === 'command.started')).toHaveLength(1);
  });
});

describe.skipIf(process.platform === 'win32')('a step that others approve', () => {
  it('names the approver at the terminal, and keeps the approval until the command runs', async () => {
    writePolicy(home, {
      approvers: makeApprovers(home, ['mira']),
      rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
    });
    const { digest } = await protocolFile(home, guardedDocument());
    const held = openKairos(home, ['run', './protocol.md', '--trust', digest]);
    await answer(held, ASKED.run, 'r');
    await answer(held, 'Your answer:', '{}');
    expect((await held.exit).exitCode).toBe(3);
    expect(held.screen()).toContain('On hold: 0 of 1 approvals. Another person approves with');
    expect(held.screen()).not.toMatch(/Standard input|standard output|"questions"/);

    const runId = runIdIn(held.screen());
    await answerWithKey(home, 'approve', runId, 'mira');
    const left = openKairos(home, ['resume', runId, '--trust', digest]);
    await answer(left, ASKED.run, 'a');
    expect((await left.exit).exitCode).toBe(4);
    expect((await entriesOf(home, runId)).map(({ kind }) => kind)).not.toContain('permit.consumed');

    const resumed = openKairos(home, ['resume', runId, '--trust', digest]);
    await answer(resumed, ASKED.run, 'r');
    await answer(resumed, ASKED.closing, 'Moved the switch and saw the light go on.');
    expect((await resumed.exit).exitCode).toBe(0);
    expect(timesRun(home)).toBe(1);
    const kinds = (await entriesOf(home, runId)).map(({ kind }) => kind);
    expect(kinds.slice(kinds.indexOf('permit.consumed'))).toEqual([
      'permit.consumed',
      'step.shown',
      'command.started',
      'command.finished',
      'proof.accepted',
      'step.shown',
      'proof.accepted',
      'run.sealed',
    ]);
  });
});
