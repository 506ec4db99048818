import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DONE, guardedDocument, keyOf, makeApprovers } from '../gate/support/cli.ts';
import { type CliHome, type CliResult, kairos, makeHome, SPAWNS } from '../support/cli.ts';
import { protocolWith } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
let site: string;
let elsewhere: string;
let policy: string;
let options: string[];

beforeEach(() => {
  home = makeHome();
  [site, elsewhere] = ['the site', 'elsewhere'].map((name) => {
    mkdirSync(join(home.root, name));
    return join(home.root, name);
  }) as [string, string];
  mkdirSync(join(home.root, 'policies'), { mode: 0o700 });
  policy = join(home.root, 'policies', 'ours.yaml');
  options = ['--store', '../the store.db', '--space', 'ops'];
});
afterEach(() => home.remove());

/** A policy under which writing takes one approval. */
function writeOurs(rule: object = { approval_class: 'single' }, approvers = makeApprovers(home, ['mira'])) {
  writeFileSync(
    policy,
    JSON.stringify({ version: 1, approvers, rules: [{ match: { action_types: ['write'] }, ...rule }] }),
    { mode: 0o600 },
  );
  return approvers;
}

/** Types a line into a shell, in another folder than everything else. */
function type(line: string): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = execFile('/bin/sh', ['-c', line], { cwd: elsewhere, env: home.env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, signal: null, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** Every command that was printed, by its first words. */
function printed(...results: CliResult[]): string[] {
  return results.flatMap(({ stdout, stderr }) =>
    `${stderr}\n${stdout}`
      .split('\n')
      .filter((line) => !line.startsWith('{'))
      .flatMap((line) => [...line.matchAll(/kairos (?:[a-z]+ )+[^;]*/g)].map(([found]) => found.trim())),
  );
}

async function entries(runId: string) {
  const { stdout } = await kairos(home, ['runs', 'export', runId, ...options], { prepares: true });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; data: Record<string, unknown> });
}

/** A run that its policy holds, in a folder, store and space of its own. */
async function heldRun() {
  writeOurs();
  const { path, digest } = await protocolFile(home, guardedDocument());
  const answers = answersFile(home, {
    '2.proposal': '{}',
    closing: 'Moved the switch and saw the light go on.',
  });
  const walk = ['--trust', digest, '--answers', answers];
  const begin = ['run', path, ...options, ...walk, '--policy', policy, '--workdir', '../the site'];
  const held = await kairos(home, begin);
  expect(held.code).toBe(3);
  const runId = /Resume with: kairos resume (\S+)/.exec(held.stderr)![1]!;
  return { held, runId, walk: walk.join(' ') };
}

describe.runIf(SPAWNS && process.platform !== 'win32')('the context of a run', () => {
  it('is on record from the beginning', async () => {
    const { runId } = await heldRun();
    const [begun] = await entries(runId);
    expect(begun).toMatchObject({
      kind: 'run.begun',
      data: {
        host: hostname(),
        workdir: site,
        policy_origin: policy,
        policy_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        store: join(home.root, 'the store.db'),
        space: 'ops',
        face: 'cli',
      },
    });
    const shown = await kairos(home, ['runs', 'show', runId, ...options]);
    expect(shown.stdout).toContain(`${site} on ${hostname()}`);
    expect(shown.stdout).toContain(policy);
  });

  it('makes every printed command work as printed, wherever it is typed', async () => {
    const { held, runId, walk } = await heldRun();
    const [approve, resume] = ['proposal approve', 'resume'].map((words) =>
      printed(held).find((line) => line.startsWith(`kairos ${words}`)),
    );
    expect(approve).toMatch(/^kairos proposal approve \S+ [0-9a-f]{64} --store '.*' --space ops$/);
    expect(approve?.replace(/ [0-9a-f]{64}/, '')).toBe(
      `kairos proposal approve ${runId} --store '${home.root}/the store.db' --space ops`,
    );
    expect(resume).toBe(`kairos resume ${runId} --store '${home.root}/the store.db' --space ops`);

    expect((await type(`${resume} ${walk}`)).code).toBe(3);
    expect(await type(`${approve} --key ${keyOf(home, 'mira')}`)).toMatchObject({ code: 0 });
    const done = await type(`${resume} ${walk}`);
    expect(done).toMatchObject({ code: 0 });
    expect(readFileSync(join(site, DONE), 'utf8')).toBe('ran\n');
    expect(existsSync(join(elsewhere, DONE))).toBe(false);
    const verify = printed(done).find((line) => line.startsWith('kairos verify'));
    expect(await type(verify!)).toMatchObject({ code: 0, stdout: expect.stringContaining(runId) });
    expect((await entries(runId)).map(({ kind }) => kind)).not.toContain('run.moved');
  });

  it('applies to runs by hand', async () => {
    const { path } = await protocolFile(home, guardedDocument({}, 'true', 'By hand'));
    expect((await kairos(home, ['mint', path, ...options], { prepares: true })).code).toBe(0);
    const found = await kairos(home, ['search', 'by hand', ...options]);
    expect(await type(`${printed(found)[0]} --dry-run`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('By hand'),
    });
    const begun = await kairos(home, ['begin', 'by-hand', ...options]);
    const [next] = printed(begun).filter((line) => line.startsWith('kairos next'));
    const runId = / --run (\S+)/.exec(next!)![1]!;
    const answered = await type(next!.replace('<EXIT CODE>', '0'));
    expect(answered.code).toBe(0);
    const seen = printed(answered);
    expect(seen.map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
      'proposal new',
      'proposal submit',
    ]);
    expect(await type(seen[0]!)).toMatchObject({ code: 0 });
    expect(existsSync(join(elsewhere, 'proposal.json'))).toBe(true);
    expect(await type(seen[1]!)).toMatchObject({ code: 1, stdout: expect.stringContaining('V-PROP') });
    const kinds = (await entries(runId)).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['proof.accepted', 'proposal.decided']));
  });

  it('moves only by a flag, which is recorded and voids permits and approvals', async () => {
    const { held, runId, walk } = await heldRun();
    const rest = options.map((word) => `'${word.replace('..', home.root)}'`).join(' ');
    const before = printed(held).find((line) => line.startsWith('kairos proposal approve'));
    expect(await type(`${before} --key ${keyOf(home, 'mira')}`)).toMatchObject({ code: 0 });
    const moved = await type(`kairos resume ${runId} ${rest} ${walk} --here`);
    expect(moved.code).toBe(3);
    expect(moved.stderr).toContain('0 of 1 approvals');
    expect(existsSync(join(elsewhere, DONE))).toBe(false);
    const record = (await entries(runId)).find(({ kind }) => kind === 'run.moved');
    expect(record?.data).toEqual({
      from: { host: hostname(), workdir: site, roots: [] },
      host: hostname(),
      workdir: elsewhere,
      roots: [],
      by: expect.any(String),
    });
    expect((await type(`kairos runs show ${runId} ${rest}`)).stdout).toContain(`moved by`);
    expect((await type(`kairos verify ${runId} ${rest}`)).stdout).toContain('moved to another directory');

    const approve = printed(moved).find((line) => line.startsWith('kairos proposal approve'));
    expect(await type(`${approve} --key ${keyOf(home, 'mira')}`)).toMatchObject({ code: 0 });
    expect((await kairos(home, ['resume', runId, ...options, ...walk.split(' ')])).code).toBe(0);
    expect(existsSync(join(elsewhere, DONE))).toBe(true);
  });

  it('denies under a missing or other policy, until it is adopted', async () => {
    const { runId, walk } = await heldRun();
    const words = ['resume', runId, ...options, ...walk.split(' ')];
    writeOurs({ approval_class: 'none', evidence_optional: true }, []);
    const changed = await kairos(home, words);
    expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining('K-PROP-141') });
    expect(changed.stderr).toContain(`kairos resume ${runId} --store`);
    const { rename } = await import('node:fs/promises');
    await rename(policy, `${policy}.kept`);
    expect(await kairos(home, words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no longer exists'),
    });
    expect(existsSync(join(site, DONE))).toBe(false);

    const adopted = await kairos(home, [...words, '--policy', `${policy}.kept`]);
    expect(adopted).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /From now on this run is judged by the policy [0-9a-f]{12} of .*\.kept\./,
      ),
    });
    expect(existsSync(join(site, DONE))).toBe(true);
    const record = (await entries(runId)).find(({ kind }) => kind === 'policy.adopted');
    expect(record?.data).toMatchObject({ from: { policy_origin: policy }, policy_origin: `${policy}.kept` });
    expect((await kairos(home, ['verify', runId, ...options])).stdout).toContain('another policy');
    for (const format of ['md', 'junit', 'html']) {
      const report = await kairos(home, ['report', runId, '--format', format, ...options]);
      expect([format, report.stdout]).toEqual([format, expect.stringMatching(/Policy adopted[\s\S]*\.kept/)]);
    }
  });

  it('is where a step is rolled back', async () => {
    const move = 'echo on > switch.txt && test -e allowed.txt';
    const back = { strategy: 'command', command: 'echo off > switch.txt', verify: 'grep -q off switch.txt' };
    const { path, digest } = await protocolFile(home, guardedDocument({ rollback_semantics: back }, move));
    const answers = answersFile(home, { '2.proposal': '{}', closing: 'Nothing was moved in the end.' });
    const failed = await kairos(home, [
      'run',
      path,
      ...[...options, '--workdir', '../the site', '--trust', digest, '--answers', answers],
    ]);
    expect(failed.code).toBe(1);
    const rollback = printed(failed).find((line) => line.startsWith('kairos rollback'))!;
    expect((await type(`${rollback} --dry-run`)).stdout).toContain(site);
    expect(await type(`${rollback} --yes --trust ${digest}`)).toMatchObject({ code: 0 });
    expect(readFileSync(join(site, 'switch.txt'), 'utf8')).toBe('off\n');
    expect(existsSync(join(elsewhere, 'switch.txt'))).toBe(false);
  });

  it('reports that its folder no longer exists, and how to name another', async () => {
    const { path, digest } = await protocolFile(
      home,
      protocolWith({ proof_of_work: { type: 'shell', shell: { cmd: 'pwd', timeout_seconds: 5 } } }),
    );
    const gone = join(home.root, 'gone');
    mkdirSync(gone);
    const begun = await kairos(home, ['run', path, '--trust', digest, '--workdir', gone], { stdin: 'yes\n' });
    const resume = printed(begun).find((line) => line.startsWith('kairos resume'))!;
    const { rmdirSync } = await import('node:fs');
    rmdirSync(gone);
    const refused = await type(`${resume} --trust ${digest}`);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(gone) });
    expect(refused.stderr).toContain(`${resume} --workdir DIR`);
  });
});
