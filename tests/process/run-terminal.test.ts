import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bwrapUsable } from '../../src/host/commands/run-command.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { ASKED, answer, enter, openKairos, resumeArguments, runIdIn } from '../support/kairos-terminal.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolWith, stepOf } from '../support/protocols.ts';
import { closeTerminals, KEYS } from '../support/pty.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** Runs that a person walks by keys. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await closeTerminals();
  home.remove();
});

const shell = (cmd: string, more: object = {}) => ({
  proof_of_work: { type: 'shell', shell: { cmd, ...more } },
});
const asking = (user_input: object) => ({ proof_of_work: { type: 'user_input', user_input } });
const WALK = `# Check the oven

For the tests.

${stepOf('Look', 'Look **closely**.', null)}
${stepOf('Heat', 'Heat it.', shell('echo warm | tee oven.txt'))}
${stepOf('Ask', 'Ask them.', asking({ prompt: 'Is it hot?', choices: ['yes', 'no'] }))}
${stepOf('Name', 'Name it.', asking({ prompt: 'Which oven?', pattern: '[A-Z][a-z]+' }))}
${stepOf('Tell', 'Tell about it.', { proof_of_work: { type: 'comment', comment: { min_length: 20 } } })}
`;
const ACCOUNT = 'Everything in it was rather warm.';
const CLOSING = 'All of it went well in the end.';
describe.skipIf(process.platform === 'win32')('a run on a terminal', () => {
  it('offers an open run of the same content, and prints after an abort that it stays open', async () => {
    const { digest } = await protocolFile(home, protocolWith(shell('false')));
    const args = ['run', './protocol.md', '--trust', digest];
    const first = openKairos(home, args);
    await first.waitFor(ASKED.run);
    enter(first);
    await first.waitFor('What now?');
    enter(first, 'a');
    expect(await first.exit).toEqual({ exitCode: 4, signal: 0 });
    const [, close, runId] = /(kairos runs close (\S+) --reason TEXT)/.exec(first.raw())!;
    expect(first.raw()).toContain(`The run stays open. Close it with: ${close}`);

    const second = openKairos(home, args);
    await second.waitFor(`Run ${runId} of the same content`);
    enter(second);
    await second.waitFor('Resumed run');
    expect(second.raw()).toContain(runId);
    await answer(second, ASKED.run, 'a');
    await second.exit;

    const closed = await kairos(home, ['runs', 'close', runId!, '--reason', 'It cannot be done.']);
    expect(closed.code).toBe(0);
    const third = openKairos(home, args);
    await third.waitFor(ASKED.run);
    expect(third.raw()).not.toContain('same content');
  });

  it('asks again for a secret of a resumed run after another value', async () => {
    const inputs = '---\ninputs:\n  DB_WORD: { description: Password, secret: true }\n---\n';
    const { digest } = await protocolFile(
      home,
      inputs + protocolWith(shell('test "$DB_WORD" = "right word"')),
    );
    const begun = openKairos(home, ['run', './protocol.md', '--trust', digest]);
    await answer(begun, 'DB_WORD: Password', 'right word');
    await answer(begun, ASKED.run, 'a');
    await begun.exit;
    const resumed = openKairos(home, ['resume', 'latest', '--trust', digest]);
    await answer(resumed, 'DB_WORD: Password', 'wrong word');
    await resumed.waitFor('Expected: the value that this run had before.');
    resumed.send('\x7f'.repeat('wrong word'.length));
    enter(resumed, 'right word');
    await answer(resumed, ASKED.run, 'r');
    await resumed.waitFor('proven (observed)');
  });

  it('shows what a failed command left, redacted, and the same menu again', async () => {
    const failing = shell('echo "out $API_TOKEN"; echo err >&2; exit 7', { env: ['API_TOKEN'] });
    const { digest } = await protocolFile(home, protocolWith(failing));
    const args = ['run', './protocol.md', '--trust', digest];
    const terminal = openKairos(home, args, { env: { API_TOKEN: 'hunter2hunter2' } });
    await answer(terminal, ASKED.run, 'r');
    await answer(terminal, ASKED.failed, 'd');
    await terminal.waitFor('started by kairos');
    await answer(terminal, ASKED.failed, 'a');
    expect((await terminal.exit).exitCode).toBe(4);
    const shown = terminal.screen().slice(terminal.screen().indexOf('started by kairos'));
    expect(shown).toContain('exit 7');
    expect(shown).toContain('exit code 7');
    expect(shown).toMatch(/out \S/);
    expect(shown).toContain('err');
    expect(terminal.raw()).not.toContain('hunter2');
    expect(shown).not.toContain('"proof_of_work"');
    expect(shown).not.toContain(ASKED.run);
  });

  it('runs by keys from the trust question to a sealed record', async () => {
    const { digest } = await protocolFile(home, WALK);
    const terminal = openKairos(home, ['run', './protocol.md']);

    await terminal.waitFor(ASKED.trust);
    const shown = terminal.screen();
    for (const part of [
      digest,
      'from    ./protocol.md',
      'command  echo warm | tee oven.txt',
      'timeout  60 s',
    ])
      expect(shown).toContain(part);
    expect(existsSync(join(home.work, 'oven.txt'))).toBe(false);
    enter(terminal, 'y');

    await terminal.waitFor('1/5  Look');
    await answer(terminal, ASKED.goOn);

    await terminal.waitFor('2/5  Heat');
    await terminal.waitFor(ASKED.run);
    terminal.send(KEYS.down);
    enter(terminal);
    await terminal.waitFor('exit code 0 after');
    await terminal.waitFor('proven (observed)');

    await terminal.waitFor('Is it hot?');
    terminal.send(KEYS.down + KEYS.down + KEYS.up);
    enter(terminal);
    await terminal.waitFor('proven (client)');

    await answer(terminal, 'Which oven?', 'aga');
    await terminal.waitFor('The answer must match [A-Z][a-z]+ as a whole.');
    enter(terminal, `${KEYS.backspace.repeat(3)}Aga`);

    await terminal.waitFor(ASKED.account);
    terminal.send('warm');
    await terminal.waitFor('at least 20 are needed.');
    enter(terminal);
    await terminal.waitFor('> '); // still the same question
    enter(terminal, KEYS.backspace.repeat(4) + ACCOUNT);

    await answer(terminal, ASKED.closing, CLOSING);
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    expect(terminal.screen()).toContain('proofs  1 observed, 4 client');
    expect(terminal.screen()).toContain('entries, intact');

    const runId = runIdIn(terminal.screen());
    const { entries, seal } = await exportedLedger(home, runId);
    expect(seal?.seal.count).toBe(entries.length);
    expect(entries.filter(({ kind }) => kind === 'proof.rejected')).toEqual([]);
    expect(
      entries
        .filter(({ kind }) => kind === 'proof.accepted')
        .map(({ data }) => [data.type, data.assurance, data.user_input ?? data.comment ?? null]),
    ).toEqual([
      ['shell', 'observed', null],
      ['user_input', 'client', { confirmation: 'yes', timestamp: expect.any(String) }],
      ['user_input', 'client', { confirmation: 'Aga', timestamp: expect.any(String) }],
      ['comment', 'client', { text: ACCOUNT }],
      ['comment', 'client', { text: CLOSING }],
    ]);
    expect(entries.find(({ kind }) => kind === 'trust.given')?.data).toMatchObject({ digest, how: 'asked' });
    expect(await kairos(home, ['verify', runId])).toMatchObject({ code: 0 });
  });

  it('does nothing without trust, and reports that nothing was begun', async () => {
    await protocolFile(home, WALK);
    const terminal = openKairos(home, ['run', './protocol.md']);
    await answer(terminal, ASKED.trust, 'n');
    expect((await terminal.exit).exitCode).toBe(4);
    expect(terminal.screen()).not.toContain('Resume with');
    expect((await kairosJson(home, ['runs'])).objects).toEqual([{ runs: [], total: 0 }]);
  });

  it('needs no more than plain lines: TERM=dumb gets no control sequence at all', async () => {
    await protocolFile(home, WALK);
    const terminal = openKairos(home, ['run', './protocol.md'], { env: { TERM: 'dumb' } });
    await answer(terminal, ASKED.trust, 'yes');
    await answer(terminal, ASKED.goOn, 'y');
    await answer(terminal, ASKED.run, 'r');
    await answer(terminal, 'Is it hot?', '1');
    await answer(terminal, 'Which oven?', 'aga');
    await answer(terminal, 'The answer must match [A-Z][a-z]+ as a whole.', 'Aga');
    await answer(terminal, ASKED.account, 'warm');
    await answer(terminal, 'at least 20 are needed', ACCOUNT);
    await answer(terminal, ASKED.closing, CLOSING);
    expect((await terminal.exit).exitCode).toBe(0);
    expect(terminal.raw()).not.toContain('\x1b');
    expect(terminal.screen()).toContain('proofs  1 observed, 4 client');
  });

  it('gives the terminal to a command that asks for it, and keeps none of its output', async () => {
    const cmd =
      'test -t 0 && test -t 1 && printf "Your name? " && read n && echo "Hello $n" && echo "$n" > name.txt';
    await protocolFile(home, protocolWith(shell(cmd, { interactive: true })));
    const terminal = openKairos(home, ['run', './protocol.md']);
    await answer(terminal, ASKED.trust, 'y');
    await answer(terminal, ASKED.run, 'r');
    await answer(terminal, 'Your name?', 'Ada');
    await terminal.waitFor('Hello Ada');
    await answer(terminal, ASKED.closing, CLOSING);
    expect((await terminal.exit).exitCode).toBe(0);
    expect(readFileSync(join(home.work, 'name.txt'), 'utf8')).toBe('Ada\n');
    const { lines, entries } = await exportedLedger(home, runIdIn(terminal.screen()));
    expect(entries.find(({ kind }) => kind === 'command.finished')?.data).toMatchObject({
      containment: 'terminal',
      exit_code: 0,
    });
    expect(lines.join('\n')).not.toContain('Hello Ada');
  });
});

describe.skipIf(process.platform === 'win32')('at a stop', () => {
  it('an optional step is looked at in full, and skipped for a reason', async () => {
    const optional = { proof_of_work: { ...shell('exit 3').proof_of_work, required: false } };
    const question = { proof_of_work: { ...asking({ prompt: 'Any news?' }).proof_of_work, required: false } };
    await protocolFile(
      home,
      `# Perhaps\n\n${stepOf('Try', 'Try it.', optional)}\n${stepOf('Hear', 'Hear it.', question)}\n${stepOf('Must', 'Do it.', shell('true'))}`,
    );
    const terminal = openKairos(home, ['run', './protocol.md']);
    await answer(terminal, ASKED.trust, 'y');
    await answer(terminal, ASKED.run, 'd');
    await terminal.waitFor('"required": false');
    await answer(terminal, ASKED.run, 's');
    await answer(terminal, ASKED.skip, '');
    await terminal.waitFor('A reason is needed.');
    enter(terminal, 'Not on this machine.');
    await terminal.waitFor('skipped');

    await terminal.waitFor('Any news?');
    terminal.send(KEYS.ctrlC);
    await answer(terminal, ASKED.interrupted, 's');
    await answer(terminal, ASKED.skip, 'Nobody was there.');

    await terminal.waitFor('3/3  Must');
    await terminal.waitFor(ASKED.run);
    await terminal.waitFor('Abort: stop here and leave the run open');
    const menu = terminal.screen().split(ASKED.run).at(-1);
    expect(menu).not.toContain('Skip this step');
    enter(terminal, 'r');
    await answer(terminal, ASKED.closing, CLOSING);
    expect((await terminal.exit).exitCode).toBe(0);
    const { entries } = await exportedLedger(home, runIdIn(terminal.screen()));
    expect(
      entries.filter(({ kind }) => kind === 'step.skipped').map(({ data }) => [data.step, data.reason]),
    ).toEqual([
      [1, 'Not on this machine.'],
      [2, 'Nobody was there.'],
    ]);
    expect(existsSync(join(home.work, 'oven.txt'))).toBe(false);
  });

  it("an answer from another terminal is the person's own when they type it, and a mistype counts for nothing", async () => {
    await protocolFile(
      home,
      `# Elsewhere\n\n${stepOf('Ask', 'Ask them.', asking({ prompt: 'May it go on?', choices: ['go', 'stay'] }))}`,
    );
    expect((await kairos(home, ['run', './protocol.md'])).code).toBe(3);
    const terminal = openKairos(home, ['answer', 'latest']);
    await answer(terminal, 'May it go on?', 'nonsense');
    await terminal.waitFor('Answer one of: 1 (go), 2 (stay)');
    terminal.send('\x15');
    enter(terminal, '1');
    expect((await terminal.exit).exitCode).toBe(0);
    const { entries } = await exportedLedger(home, 'latest');
    expect(
      entries.filter(({ kind }) => kind.startsWith('proof.')).map(({ kind, data }) => [kind, data.assurance]),
    ).toEqual([['proof.accepted', 'client']]);
  });

  it('a proof that was not accepted is tried again, and a no is lifted by a new answer', async () => {
    await protocolFile(
      home,
      `# Twice\n\n${stepOf('Wait', 'Wait for it.', shell('test -e ready'))}\n${stepOf('Ask', 'Ask them.', asking({ prompt: 'May it go on?', choices: ['go', 'stay'] }))}`,
    );
    const terminal = openKairos(home, ['run', './protocol.md']);
    await answer(terminal, ASKED.trust, 'y');
    await answer(terminal, ASKED.run, 'r');
    await terminal.waitFor('(COMMAND_FAILED, failure 1)');
    await terminal.waitFor(ASKED.failed);
    writeFileSync(join(home.work, 'ready'), '');
    enter(terminal, 't');
    await terminal.waitFor('proven (observed)');

    await answer(terminal, 'May it go on?', '3');
    await terminal.waitFor('(USER_DECLINED)');
    await answer(terminal, ASKED.failed, 't');
    await answer(terminal, 'May it go on?', 'Go');
    await terminal.waitFor('proven (client)');
    await answer(terminal, ASKED.closing, CLOSING);
    expect((await terminal.exit).exitCode).toBe(0);
    const { entries } = await exportedLedger(home, runIdIn(terminal.screen()));
    const judged = entries.filter(({ kind }) => kind.startsWith('proof.'));
    expect(judged.map(({ kind, data }) => [kind, data.step, data.code ?? null])).toEqual([
      ['proof.rejected', 1, 'COMMAND_FAILED'],
      ['proof.accepted', 1, null],
      ['proof.rejected', 2, 'USER_DECLINED'],
      ['proof.accepted', 2, null],
      ['proof.accepted', 2, null],
    ]);
  });

  it('a dangerous command runs only for the whole phrase, which --yes does not give', async () => {
    await protocolFile(home, protocolWith(shell('rm -rf build')));
    mkdirSync(join(home.work, 'build'));
    const terminal = openKairos(home, ['run', './protocol.md', '--yes']);
    await answer(terminal, ASKED.trust, 'y');
    await terminal.waitFor('careful');
    await answer(terminal, ASKED.phrase, 'run');
    await terminal.waitFor('That is not the phrase.');
    expect(existsSync(join(home.work, 'build'))).toBe(true);
    enter(terminal, KEYS.backspace.repeat(3));
    await answer(terminal, 'The command was not run. What now?', 't');
    expect(existsSync(join(home.work, 'build'))).toBe(true);
    await answer(terminal, ASKED.phrase, 'run it');
    await answer(terminal, ASKED.closing, CLOSING);
    expect((await terminal.exit).exitCode).toBe(0);
    expect(existsSync(join(home.work, 'build'))).toBe(false);
  });

  it('the end of input ends with 3, the question as JSON, and can be resumed', async () => {
    await protocolFile(home, protocolWith(asking({ prompt: 'Which way?' })));
    const terminal = openKairos(home, ['run', './protocol.md']);
    await terminal.waitFor('Which way?');
    terminal.send(KEYS.ctrlD);
    expect((await terminal.exit).exitCode).toBe(3);
    expect(terminal.screen()).toContain('"id":"1.answer"');
    const resumed = openKairos(home, resumeArguments(terminal.screen()));
    await answer(resumed, 'Which way?', 'Left, then straight on.');
    await answer(resumed, ASKED.closing, CLOSING);
    expect((await resumed.exit).exitCode).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')('a run whose document has changed since', () => {
  it.each([
    ['y', 0],
    ['n', 4],
  ])('shows what changed and asks (%s)', async (key, code) => {
    const { digest } = await protocolFile(home, protocolWith(shell('test -e ready')));
    const first = openKairos(home, ['run', './protocol.md']);
    await answer(first, ASKED.trust, 'y');
    await answer(first, ASKED.run, 'a');
    expect((await first.exit).exitCode).toBe(4);
    const runId = runIdIn(first.screen());

    await protocolFile(home, protocolWith(shell('test -e never')));
    writeFileSync(join(home.work, 'ready'), '');
    const again = openKairos(home, ['run', './protocol.md', '--resume']);
    await again.waitFor('The document has changed since this run began:');
    await again.waitFor(/- .*test -e ready/);
    await again.waitFor(/\+ .*test -e never/);
    await answer(again, ASKED.changed, key);
    if (code === 0) {
      await answer(again, ASKED.run, 'r');
      await answer(again, ASKED.closing, CLOSING);
    }
    expect((await again.exit).exitCode).toBe(code);
    const { entries, seal } = await exportedLedger(home, runId);
    expect(entries[0]?.data.digest).toBe(digest);
    expect(seal === null).toBe(code !== 0);
  });
});

it.skipIf(process.platform === 'win32')(
  'stored content that was updated since is reported by resume too',
  async () => {
    await protocolFile(home, protocolWith(shell('test -e ready')));
    await kairos(home, ['mint', './protocol.md']);
    const first = openKairos(home, ['run', 'one-demand']);
    await answer(first, ASKED.trust, 'y');
    await answer(first, ASKED.run, 'a');
    expect((await first.exit).exitCode).toBe(4);
    await protocolFile(home, protocolWith(shell('test -e never')));
    await kairos(home, ['mint', './protocol.md', '--force']);
    const again = openKairos(home, resumeArguments(first.screen()));
    await again.waitFor(/\+ .*test -e never/);
    await answer(again, ASKED.changed, 'y');
    await again.waitFor('test -e ready');
    await answer(again, ASKED.run, 'a');
    expect((await again.exit).exitCode).toBe(4);
  },
);

describe.skipIf(!(await bwrapUsable()))('--contain', () => {
  it('runs commands in a separate process namespace, and records it', async () => {
    const { path, digest } = await protocolFile(
      home,
      protocolWith(shell('test $$ -lt 10 && (setsid sleep 300 &) && echo contained')),
    );
    const answers = answersFile(home, { closing: CLOSING });
    const args = ['run', path, '--contain', '--trust', digest, '--answers', answers];
    const run = await kairosJson(home, args);
    expect(run).toMatchObject({ code: 0 });
    const runId = String(run.objects.find(({ event }) => event === 'sealed')?.run_id);
    const { entries } = await exportedLedger(home, runId);
    expect(entries.find(({ kind }) => kind === 'command.finished')?.data).toMatchObject({
      containment: 'bwrap',
      exit_code: 0,
      survivors: 0,
    });
  });
});
