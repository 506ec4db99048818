import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
let answers: string;
beforeEach(() => {
  home = makeHome();
  answers = answersFile(home, { closing: 'Every step was carried out and looked right.' });
});
afterEach(() => home.remove());

const shell = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20 } } });

/** Two commands and an end. */
function document(first: string, second: string, head = ''): string {
  const steps = [
    stepOf('First', 'Do the first.', shell(first)),
    stepOf('Second', 'Do the second.', shell(second)),
    stepOf('The end', 'Look back.', null),
  ];
  return `${head}# Mend me\n\nFor the tests.\n\n${steps.join('\n')}`;
}

const ONE = 'echo one >> log';
const TWO = 'echo two >> log';
const walk = (digest: string) => ['--yes', '--no-input', '--answers', answers, '--trust', digest];

/** A run whose second command is mistyped, so only the first is proven. */
async function stuck() {
  const { path, digest } = await protocolFile(home, document(ONE, 'exit 4'), 'old.md');
  const { code, stdout } = await kairos(home, ['run', path, ...walk(digest)]);
  expect(code).not.toBe(0);
  return { runId: /Run ([0-9a-f-]{36})/.exec(stdout)![1]!, digest };
}

const log = () => readFileSync(join(home.work, 'log'), 'utf8');
const kindsOf = async (runId: string) => (await exportedLedger(home, runId)).entries.map(({ kind }) => kind);

describe('kairos resume --with', () => {
  it('carries an open run over to a corrected document, and every view shows it', async () => {
    const { runId, digest: before } = await stuck();
    const { path, digest } = await protocolFile(home, document(ONE, TWO), 'new.md');
    const done = await kairos(home, ['resume', runId, '--with', path, ...walk(digest)]);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(digest.slice(0, 12)) });
    expect(log()).toBe('one\ntwo\n');
    const { entries, lines } = await exportedLedger(home, runId);
    expect(entries.find(({ kind }) => kind === 'run.rebased')?.data).toMatchObject({
      from: { digest: before },
      digest,
      carried: [1],
    });
    expect(entries.at(-1)).toMatchObject({ kind: 'run.sealed', data: { outcome: 'success' } });
    const shown = await kairos(home, ['runs', 'show', runId]);
    expect(shown.stdout).toContain(`to revision ${digest}`);
    expect(shown.stdout).toContain(`from revision ${before}`);
    expect((await kairosJson(home, ['runs', 'show', runId])).objects[0]).toMatchObject({ run: { digest } });
    for (const format of ['md', 'html']) {
      const { stdout } = await kairos(home, ['report', runId, '--format', format]);
      expect(stdout).toMatch(
        new RegExp(`Carried over[^]*from revision ${before} to ${digest}, steps carried over: 1`),
      );
    }
    const verified = await kairos(home, ['verify', runId]);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('run-rebased') });
    writeFileSync(join(home.work, 'run.jsonl'), `${lines.join('\n')}\n`);
    // Elsewhere, with nothing but the file.
    const stranger = makeHome();
    writeFileSync(join(stranger.work, 'run.jsonl'), `${lines.join('\n')}\n`);
    const offline = await kairos(stranger, ['verify', 'run.jsonl']);
    stranger.remove();
    expect(offline).toMatchObject({ code: 0, stdout: expect.stringContaining('run-rebased') });
    const statement = await kairosJson(home, ['attestation', runId, '--format', 'statement']);
    expect(statement.objects[0]).toMatchObject({ predicate: { protocol: { digest } } });
  });

  it('names which proven step is another, and changes nothing', async () => {
    const { runId } = await stuck();
    const before = await kindsOf(runId);
    const changed = await protocolFile(home, document('echo uno >> log', TWO), 'changed.md');
    const swapped = await protocolFile(
      home,
      document(ONE, TWO)
        .replace(/## First[\s\S]*(?=## Second)/, '')
        .replace('## The end', `${stepOf('First', 'Do the first.', shell(ONE))}\n## The end`),
      'swapped.md',
    );
    for (const [{ path, digest }, text] of [
      [changed, 'step 1 "First" has another step block'],
      [swapped, 'step 1 "First" is step 2 now'],
    ] as const) {
      const refused = await kairos(home, ['resume', runId, '--with', path, ...walk(digest)]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
    }
    expect(await kindsOf(runId)).toEqual(before);
    expect(log()).toBe('one\n');
  });

  it('needs trust in the new content, the same protocol, and an open run', async () => {
    const { runId, digest: old } = await stuck();
    const { path, digest } = await protocolFile(home, document(ONE, TWO), 'new.md');
    const before = await kindsOf(runId);
    const untrusted = await kairos(home, ['resume', runId, '--with', path, ...walk(old)]);
    expect(untrusted).toMatchObject({ code: 3, stderr: expect.stringContaining(`--trust ${digest}`) });
    const other = await protocolFile(home, document(ONE, TWO).replace('Mend me', 'Else'), 'else.md');
    expect(await kairos(home, ['resume', runId, '--with', other.path, ...walk(other.digest)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`run ${runId} is a run of mend-me, and this is else`),
    });
    expect(await kindsOf(runId)).toEqual(before);
    expect(existsSync(join(home.work, 'log'))).toBe(true);
    await kairos(home, ['resume', runId, '--with', path, ...walk(digest)]);
    expect(await kairos(home, ['resume', runId, '--with', path, ...walk(digest)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('was sealed'),
    });
  });

  it('asks for the inputs that are new, and keeps those on record', async () => {
    const head = (inputs: object) => `---\ninputs: ${JSON.stringify(inputs)}\n---\n`;
    const old = await protocolFile(home, document(ONE, 'exit 4', head({ HOST: {} })), 'old.md');
    const begun = await kairos(home, ['run', old.path, '--input', 'HOST=lb1', ...walk(old.digest)]);
    const runId = /Run ([0-9a-f-]{36})/.exec(begun.stdout)![1]!;
    const { path, digest } = await protocolFile(
      home,
      document(ONE, 'echo "$HOST $PORT" >> log', head({ HOST: {}, PORT: { type: 'number' } })),
      'new.md',
    );
    const resume = ['resume', runId, '--with', path, ...walk(digest)];
    expect(await kairos(home, resume)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('input.PORT'),
    });
    expect(await kindsOf(runId)).not.toContain('run.rebased');
    expect(await kairos(home, [...resume, '--input', 'PORT=80'])).toMatchObject({ code: 0 });
    expect(log()).toBe('one\nlb1 80\n');
    const { stdout } = await kairos(home, ['runs', 'show', runId]);
    expect(stdout).toMatch(/PORT +80/);
  });

  it('continues with the new revision in every later call', async () => {
    const { runId } = await stuck();
    const { path, digest } = await protocolFile(home, document(ONE, 'exit 5'), 'new.md');
    expect((await kairos(home, ['resume', runId, '--with', path, ...walk(digest)])).code).not.toBe(0);
    const { entries } = await exportedLedger(home, runId);
    const uri = String(entries.findLast(({ kind }) => kind === 'step.shown')?.data.uri);
    const next = await kairos(home, ['next', uri, '--run', runId, '--json']);
    expect(next.stdout).toContain('exit 5');
    expect((await kairos(home, ['next', uri, '--run', runId])).stdout).toContain('Second');
    const mended = await protocolFile(home, document(ONE, TWO), 'newer.md');
    const done = await kairos(home, ['resume', runId, '--with', mended.path, ...walk(mended.digest)]);
    expect(done.code).toBe(0);
    expect((await kindsOf(runId)).filter((kind) => kind === 'run.rebased')).toHaveLength(2);
    expect((await kairos(home, ['verify', runId])).code).toBe(0);
  });
});
