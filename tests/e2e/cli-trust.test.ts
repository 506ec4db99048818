import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolWith } from '../support/protocols.ts';
import { protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const protocol = (cmd: string) =>
  protocolWith(
    { proof_of_work: { type: 'shell', shell: { cmd, env: ['DEPLOY_HOST'], workdir: 'site' } } },
    'Publish the site',
  );
const trusted = async () =>
  (await kairosJson(home, ['trust', '--list'])).objects[0]?.trusted as Record<string, unknown>[];

describe('trust', () => {
  it('shows what would run, and away from a terminal gives no trust without a digest', async () => {
    const { digest } = await protocolFile(home, protocol('rsync -a . host:'));
    const run = await kairos(home, ['trust', './protocol.md'], { stdin: 'yes\n' });
    expect(run.code).toBe(2);
    for (const part of [
      'Publish the site',
      digest,
      '1/2  The demand',
      'rsync -a . host:',
      'DEPLOY_HOST',
      'site',
      'No other content of this protocol is trusted here.',
    ]) {
      expect(run.stdout).toContain(part);
    }
    expect(run.stderr).toBe(
      `error: trust needs a confirmation, but no terminal is available\nhint: Read the content, then repeat its digest: --digest ${digest}\n`,
    );
    expect(await trusted()).toEqual([]);
  });

  it('names the folder and the variables without a value before a run', async () => {
    const { path } = await protocolFile(home, protocol('rsync -a . host:'));
    const asked = await kairos(home, ['run', path], { stdin: 'yes\n' });
    expect(asked.stdout).toMatch(new RegExp(`^in +${home.work}$`, 'm'));
    expect(asked.stdout).toMatch(/^ +environment +DEPLOY_HOST \(not set\)$/m);
    const set = await kairos(home, ['run', path], { stdin: 'yes\n', env: { DEPLOY_HOST: 'lb1' } });
    expect(set.stdout).toMatch(/^ +environment +DEPLOY_HOST$/m);
  });

  it.each(['null', 'a'.repeat(12), ''])('rejects %j, which is not a whole digest', async (text) => {
    const { path } = await protocolFile(home, protocol('true'));
    for (const words of [
      ['run', path, '--trust'],
      ['trust', path, '--digest'],
    ])
      expect(await kairos(home, [...words, text])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`${JSON.stringify(text)} is not a digest (64 hex characters).`),
      });
  });

  it.each([[], ['--no-input']])(
    'names the digest of the content next to another one: %j',
    async (...flags) => {
      const { path, digest } = await protocolFile(home, protocol('true'));
      const other = '0'.repeat(64);
      const run = await kairos(home, ['run', path, '--trust', other, ...flags]);
      expect(run.code).toBe(3);
      expect(run.stderr).toContain(`--trust names another digest: ${other}. This content has ${digest}.\n`);
    },
  );

  it('reports for a piped yes only how trust is given', async () => {
    const { path, digest } = await protocolFile(home, protocol('true'));
    expect(await kairos(home, ['run', path], { stdin: 'y\n\n' })).toMatchObject({
      code: 3,
      stderr: `Allow this content to run on this machine as you? (yes or no, default no)\nThe questions are on standard output.\nTrust is given by hand, or by its digest: --trust ${digest}\n`,
    });
  });

  it('shows the closing comment of a dry run below an empty line', async () => {
    const { path } = await protocolFile(home, protocol('true'));
    const { stdout } = await kairos(home, ['run', path, '--dry-run']);
    expect(stdout).toMatch(/\n\n +at the end +the closing comment\n/);
  });

  it('accepts only the digest that was read as consent', async () => {
    const { digest } = await protocolFile(home, protocol('rsync -a . host:'));
    const wrong = await kairos(home, ['trust', './protocol.md', '--digest', '0'.repeat(64)]);
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`it has ${digest}`) });
    const given = await kairosJson(home, ['trust', './protocol.md', '--digest', digest]);
    expect(given).toMatchObject({
      code: 0,
      stderr: '',
      objects: [{ trusted: [{ digest, slug: 'publish-the-site', title: 'Publish the site' }] }],
    });
    expect(await trusted()).toEqual(given.objects[0]?.trusted);
    expect(await kairos(home, ['trust', './protocol.md'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`already trusted  ${digest}`),
    });
    expect((await kairosJson(home, ['show', './protocol.md'])).objects).toMatchObject([
      { chains: [{ trusted: true }] },
    ]);
  });

  it('shows what changed since, whether the content was stored or only a file', async () => {
    const first = await protocolFile(home, protocol('rsync -a . host:'));
    await kairos(home, ['trust', './protocol.md', '--digest', first.digest]);
    await protocolFile(home, protocol('rsync -a --delete . host:'));
    const { stdout } = await kairos(home, ['trust', './protocol.md']);
    expect(stdout).toContain(`What changed since ${first.digest.slice(0, 12)}, trusted `);
    expect(stdout).toMatch(/^- rsync -a \. host:$/m);
    expect(stdout).toMatch(/^\+ rsync -a --delete \. host:$/m);

    await kairos(home, ['mint', 'protocol.md']);
    expect((await kairos(home, ['trust', 'publish-the-site'])).stdout).toContain('from    revision 1 by ');
  });

  it("reports when the change can't be known", async () => {
    const first = await protocolFile(home, protocol('a'));
    await kairos(home, [
      'trust',
      './protocol.md',
      '--digest',
      first.digest,
      '--store',
      join(home.work, 'other.db'),
    ]);
    await protocolFile(home, protocol('b'));
    const { stdout } = await kairos(home, ['trust', './protocol.md']);
    expect(stdout).toContain('this store does not have it, so the changes cannot be shown.');
  });

  it('is revoked by digest, slug, URI or file', async () => {
    const { digest } = await protocolFile(home, protocol('a'));
    await kairos(home, ['mint', 'protocol.md']);
    const [shown] = (await kairosJson(home, ['show', 'publish-the-site'])).objects as [
      { chains: { uri: string }[] },
    ];
    for (const name of [digest, 'publish-the-site', shown.chains[0]!.uri, './protocol.md']) {
      await kairos(home, ['trust', './protocol.md', '--digest', digest]);
      expect(await trusted()).toHaveLength(1);
      expect(await kairosJson(home, ['trust', name, '--revoke'])).toMatchObject({
        code: 0,
        objects: [{ revoked: [digest] }],
      });
      expect(await trusted()).toEqual([]);
    }
    expect(await kairos(home, ['trust', digest, '--revoke'])).toMatchObject({ code: 1, stdout: '' });
  });

  it('revokes trust in every content of a protocol, including old ones', async () => {
    const digests: string[] = [];
    for (const cmd of ['a', 'b']) {
      const { digest } = await protocolFile(home, protocol(cmd));
      await kairos(home, ['trust', './protocol.md', '--digest', digest]);
      digests.push(digest);
    }
    const { revoked } = firstObject<{ revoked: string[] }>(
      await kairosJson(home, ['trust', 'publish-the-site', '--revoke']),
    );
    expect(revoked.sort()).toEqual(digests.sort());
  });

  it('lists what is trusted', async () => {
    expect(await kairos(home, ['trust', '--list'])).toMatchObject({
      code: 0,
      stdout: 'Nothing is trusted here yet.\n',
    });
    const { digest } = await protocolFile(home, protocol('a'));
    await kairos(home, ['trust', './protocol.md', '--digest', digest]);
    const { stdout } = await kairos(home, ['trust', '--list']);
    expect(stdout).toMatch(new RegExp(`^DIGEST .*\n${digest} {2}publish-the-site `));
  });

  it.each([[[]], [['x', '--list']], [['x', '--list', '--revoke']], [['x', '--revoke', '--digest', 'y']]])(
    'does not guess: %j',
    async (flags) => {
      expect(await kairos(home, ['trust', ...flags])).toMatchObject({ code: 2, stdout: '' });
    },
  );

  it('names each chain of a file, and trusts only the ones repeated', async () => {
    writeFileSync(
      join(home.work, 'two.md'),
      `${protocol('a')}\n${protocol('b').replace('Publish the site', 'Tear it down')}`,
    );
    const [shown] = (await kairosJson(home, ['show', './two.md'])).objects as [
      { chains: { digest: string; slug: string }[] },
    ];
    const second = shown.chains[1]!;
    const given = await kairosJson(home, ['trust', './two.md', '--digest', second.digest]);
    expect(given).toMatchObject({ code: 0, objects: [{ trusted: [{ slug: 'tear-it-down' }] }] });
    expect(await trusted()).toHaveLength(1);
  });
});
