import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import {
  type ClientKind,
  overHttp,
  overStdio,
  startHttp,
  structured,
  type TestClient,
} from '../mcp/support.ts';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

let home: CliHome;
let file: string;
beforeEach(async () => {
  home = makeHome();
  file = join(home.work, 'kairos-session-handover.txt');
  home.env = { ...home.env, KAIROS_HANDOVER_FILE: file };
  writeFileSync(join(home.work, 'one.md'), protocolOf(['comment', 'comment', 'comment'], 'Pass it on'));
  expect(await kairos(home, ['mint', 'one.md'], { prepares: true })).toMatchObject({ code: 0 });
});
afterEach(() => home.remove());

const ACCOUNTS = [
  'The first part was looked at from end to end.',
  'The second part took longer and is done as well.',
  'The third part closes what the others have begun.',
];
const call = async (client: TestClient, tool: string, args: object) =>
  structured<RunFields>(await client.call(tool, args as Record<string, unknown>));

/** Solves the pending comment of an answer through the same client. */
async function solve(client: TestClient, answer: RunFields, at: number): Promise<RunFields> {
  const { nonce, proof_hash } = answer.challenge!;
  return call(client, 'kairos_next', {
    uri: answer.current_step!.uri,
    run_id: answer.run_id,
    solution: { type: 'comment', nonce, proof_hash, comment: { text: ACCOUNTS[at] } },
  });
}

const ROADS: [from: [ClientKind, 'stdio' | 'http'], to: [ClientKind, 'stdio' | 'http']][] = [
  [
    ['sdk-1', 'stdio'],
    ['sdk-2', 'http'],
  ],
  [
    ['sdk-2', 'stdio'],
    ['sdk-1', 'http'],
  ],
  [
    ['sdk-1', 'http'],
    ['sdk-2', 'stdio'],
  ],
];

/** A client of a server of its own, which ends with it. */
async function connect([kind, transport]: [ClientKind, 'stdio' | 'http']): Promise<TestClient> {
  if (transport === 'stdio') return overStdio(kind, home);
  const server = await startHttp(home);
  const client = await overHttp(kind, server.url);
  return {
    ...client,
    close: async () => {
      await client.close();
      await server.stop();
    },
  };
}

describe('a run handed over in the middle, to another server', () => {
  it.each(ROADS)('from %j to %j, and to the command line', async (from, to) => {
    const first = await connect(from);
    const begun = await call(first, 'kairos_begin', { key: 'pass-it-on' });
    const second = await solve(first, begun, 0);
    await first.close();

    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      run_id: begun.run_id,
      chain_uri: begun.current_step?.uri,
      step_index: 2,
      current_challenge: { type: 'comment', proof_hash: second.challenge!.proof_hash },
      state: { proofs: { claimed: 1 } },
    });
    expect(text).not.toContain(second.challenge?.nonce);

    const next = await connect(to);
    const taken = await call(next, 'kairos_begin', { resume: true });
    expect(taken).toMatchObject({ run_id: begun.run_id, current_step: second.current_step });
    await solve(next, taken, 1);
    await next.close();

    const last = await kairosJson(home, ['begin', '--resume']);
    const at = firstObject<RunFields>(last);
    expect([last.code, at.run_id]).toEqual([0, begun.run_id]);
    const closed = await kairosJson(home, [
      'attest',
      at.current_step!.uri,
      'success',
      'All of it is done, by three hands and without a gap.',
      '--run',
      begun.run_id!,
      '--solution',
      JSON.stringify({
        type: 'comment',
        nonce: at.challenge!.nonce,
        proof_hash: at.challenge!.proof_hash,
        comment: { text: ACCOUNTS[2] },
      }),
    ]);
    expect(closed.code, JSON.stringify(closed.objects)).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(await kairos(home, ['verify', begun.run_id!])).toMatchObject({ code: 0 });
  });
});

describe('a handover file that is rejected', () => {
  const begin = async () => firstObject<RunFields>(await kairosJson(home, ['begin', 'pass-it-on']));
  const says = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const { code, stderr } = await kairos(home, args, { env });
    return [code, stderr.split('\n')[0]];
  };

  it('is refused by every interface, with the reason', async () => {
    const { run_id: runId } = await begin();
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.replace('"step_index": 1', '"step_index": 2'));
    const edited = `error: the handover file ${file} is not used: it was changed since, or written with the key of another user or machine`;
    expect(await says(['resume', '--no-input'])).toEqual([1, edited]);
    expect(await says(['begin', '--resume'])).toEqual([1, edited]);
    const client = await overStdio('sdk-2', home);
    const refused = await client.call('kairos_begin', { resume: true });
    await client.close();
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0]?.text).toMatch(/^HANDOVER_REFUSED: .*it was changed since/);

    writeFileSync(file, whole);
    expect((await says(['begin', '--resume'], { KAIROS_STORE: join(home.work, 'other.db') }))[1]).toContain(
      `run ${runId} is not in this store and space`,
    );
    // Somebody moves it on who hands nothing over.
    const other = { KAIROS_HANDOVER_FILE: '' };
    const shown = firstObject<RunFields>(
      await kairosJson(home, ['begin', 'pass-it-on', '--resume'], { env: other }),
    );
    const { nonce, proof_hash } = shown.challenge!;
    const solution = { type: 'comment', nonce, proof_hash, comment: { text: ACCOUNTS[0] } };
    const moved = await kairosJson(
      home,
      ['next', shown.current_step!.uri, '--run', runId!, '--solution', JSON.stringify(solution)],
      { env: other },
    );
    expect(moved.code).toBe(0);
    expect((await says(['begin', '--resume']))[1]).toContain(`run ${runId} has moved on since`);
  });

  it('belongs to another writer: it is not changed, and the run continues', async () => {
    writeFileSync(file, 'my notes\n', { mode: 0o600 });
    const result = await kairos(home, ['begin', 'pass-it-on']);
    expect(result).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is not a handover file of kairos'),
    });
    expect(result.stdout).toContain('The handover file could not be updated');
    expect(readFileSync(file, 'utf8')).toBe('my notes\n');
    expect(await says(['begin'])).toEqual([2, "error: missing required argument 'target'"]);
  });
});
