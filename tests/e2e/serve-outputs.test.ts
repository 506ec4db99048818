import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type Answers, overHttp, overStdio, startHttp, structured, type TestClient } from '../mcp/support.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { protocolWith } from '../support/protocols.ts';

/** Outputs over MCP: where the server reads, what narrows it, and what becomes of a claim that the files do not bear out. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const CLAIM = { type: 'shell', shell: { exit_code: 0 } };
const NO_FOLDER = 'Step 1 checks files, and this interface has no working directory to read them in.';

async function mint(path: string, cmd = 'make report'): Promise<void> {
  const block = {
    proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20 } },
    outputs: [{ path, matches: 'passed' }],
  };
  writeFileSync(join(home.work, 'report.md'), protocolWith(block, 'Report'));
  expect(await kairos(home, ['mint', '--force', 'report.md'], { prepares: true })).toMatchObject({ code: 0 });
}

/** Claims the proof; answers what begin said, and what came of the claim. */
async function claim(client: TestClient) {
  const begun = structured<RunFields>(await client.call('kairos_begin', { key: 'report' }));
  const { nonce, proof_hash } = begun.challenge!;
  const answer = structured<RunFields>(
    await client.call('kairos_next', {
      uri: begun.current_step!.uri,
      run_id: begun.run_id,
      solution: { ...CLAIM, nonce, proof_hash },
    }),
  );
  await client.close();
  return { message: begun.message ?? '', code: answer.error_code, answer, runId: begun.run_id! };
}

function report(folder: string, text = 'all passed'): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.txt'), text);
}

describe('a claim', () => {
  it.each(['sdk-1', 'sdk-2'] as const)(
    'that the file confirms is accepted, any other is not (%s)',
    async (kind) => {
      await mint('report.txt');
      const refused = await claim(await overStdio(kind, home));
      expect(refused).toMatchObject({
        code: 'OUTPUT_MISMATCH',
        answer: {
          retry_count: 1,
          message: '1 of 1 outputs does not match. challenge.outputs[0].exists: no file is there.',
          violations: [{ pointer: '/outputs/0/exists', keyword: 'exists' }],
          challenge: { outputs: [{ path: 'report.txt', matches: 'passed' }] },
        },
      });
      report(home.work);
      const taken = await claim(await overStdio(kind, home));
      expect(taken).toMatchObject({ code: undefined, answer: { protocol_status: 'completed' } });
      const { entries } = await exportedLedger(home, taken.runId);
      expect(entries.find((entry) => entry.kind === 'proof.accepted')?.data).toMatchObject({
        assurance: 'claimed',
        outputs: [{ path: 'report.txt', checks: ['matches'], files: [{ path: 'report.txt', size: 10 }] }],
      });
    },
  );
});

describe('where it reads', () => {
  it('over stdio is where it was started, or --workdir, or by absolute path below --root', async () => {
    const other = join(home.root, 'other');
    report(other);
    await mint('report.txt');
    expect(await claim(await overStdio('sdk-2', home))).toMatchObject({ code: 'OUTPUT_MISMATCH' });
    expect(await claim(await overStdio('sdk-2', home, ['--workdir', other]))).toMatchObject({
      code: undefined,
    });
    expect(await claim(await overStdio('sdk-2', home, ['--root', other]))).toMatchObject({
      code: 'OUTPUT_MISMATCH',
    });
    await mint(join(other, 'report.txt'));
    expect(await claim(await overStdio('sdk-2', home))).toMatchObject({ code: 'OUTPUT_MISMATCH' });
    expect(await claim(await overStdio('sdk-2', home, ['--root', other]))).toMatchObject({ code: undefined });
  });

  it.each(['/', 'home'])(
    'is nowhere when it was started in %s, which contains everything',
    async (folder) => {
      report(home.home);
      const cwd = folder === 'home' ? home.home : folder;
      await mint('report.txt');
      const started = await claim(await overStdio('sdk-2', { ...home, work: cwd }));
      expect(started).toMatchObject({ code: 'OUTPUT_MISMATCH', message: expect.stringContaining(NO_FOLDER) });
      const named = await claim(await overStdio('sdk-2', { ...home, work: cwd }, ['--workdir', home.home]));
      expect(named).toMatchObject({ code: undefined });
      expect(named.message).not.toContain(NO_FOLDER);
    },
  );

  it('over HTTP is only where it is configured', async () => {
    report(home.work);
    await mint('report.txt');
    for (const [args, code] of [
      [[], 'OUTPUT_MISMATCH'],
      [['--workdir', '.'], undefined],
    ] as const) {
      const server = await startHttp(home, args);
      const { message, ...done } = await claim(await overHttp('sdk-2', server.url));
      expect(done.code).toBe(code);
      expect(message.includes(NO_FOLDER)).toBe(code !== undefined);
      await server.stop();
    }
  });
});

describe("a client's roots", () => {
  const claimWith = async (kind: 'sdk-1' | 'sdk-2-legacy' | 'sdk-2', roots: Answers['roots']) =>
    (await claim(await overStdio(kind, home, [], { roots: roots! }))).code;

  it.each(['sdk-1', 'sdk-2-legacy'] as const)('narrow what is read (%s)', async (kind) => {
    report(home.work);
    report(join(home.work, 'sub'));
    await mint('report.txt');
    expect(await claimWith(kind, () => [home.work])).toBeUndefined();
    expect(await claimWith(kind, () => ['/'])).toBeUndefined();
    expect(await claimWith(kind, () => [join(home.work, 'sub')])).toBe('OUTPUT_MISMATCH');
    // A client that names none has nothing to narrow with.
    expect(await claimWith(kind, () => [])).toBeUndefined();
  });

  it('of 2026-07-28 are not asked for', async () => {
    report(home.work);
    await mint('report.txt');
    const code = await claimWith('sdk-2', () => {
      throw new Error('nobody asks');
    });
    expect(code).toBeUndefined();
  });
});

it('with --execute reads what the command left, where it ran', async () => {
  await mint('report.txt', 'printf "all passed" > report.txt');
  const { digest } = (await kairosJson(home, ['show', 'report'])).objects[0]!.chains![
    0 as never
  ] as never as { digest: string };
  expect(await kairos(home, ['trust', 'report', '--digest', digest], { prepares: true })).toMatchObject({
    code: 0,
  });
  const client = await overStdio('sdk-2', home, ['--execute']);
  const begun = structured<RunFields>(await client.call('kairos_begin', { key: 'report' }));
  const at = { uri: begun.current_step!.uri, run_id: begun.run_id };
  const done = structured<RunFields>(await client.call('kairos_next', at));
  await client.close();
  expect(done).toMatchObject({ protocol_status: 'completed' });
  expect(readFileSync(join(home.work, 'report.txt'), 'utf8')).toBe('all passed');
  const { entries } = await exportedLedger(home, begun.run_id!);
  expect(entries.find((entry) => entry.kind === 'proof.accepted')?.data).toMatchObject({
    assurance: 'observed',
    outputs: [{ path: 'report.txt', exists: true }],
  });
});
