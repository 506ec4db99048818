import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolWith } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** A protocol is a file, URI, slug or digest, for every command alike. */
let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const shell = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd, timeout_seconds: 20 } } });

/** Two stored revisions, and a third that only a run of its file has kept; each has one finished run. */
async function stored() {
  const answers = answersFile(home, { closing: 'It was carried out and looked right.' });
  const run = (path: string, digest: string) =>
    kairos(home, ['run', path, '--yes', '--trust', digest, '--answers', answers]);
  const digests: string[] = [];
  for (const [name, cmd] of [
    ['first.md', 'test -d .'],
    ['second.md', 'test -d ..'],
    ['third.md', 'test -d /'],
  ] as const) {
    const { path, digest } = await protocolFile(home, protocolWith(shell(cmd), 'Look around'), name);
    if (name !== 'third.md') expect((await kairos(home, ['mint', path, '--force'])).code).toBe(0);
    expect((await run(path, digest)).code).toBe(0);
    digests.push(digest);
  }
  const [shown] = (await kairosJson(home, ['list'])).objects as { chains: { uri: string; slug: string }[] }[];
  const { uri, slug } = shown!.chains.find((each) => each.slug === 'look-around')!;
  return { uri, slug, digests: digests as [string, string, string] };
}

describe('a protocol', () => {
  it('is named by file, URI, slug or digest wherever one is read', async () => {
    const { uri, slug, digests } = await stored();
    const names = ['./first.md', uri, slug, digests[1]];
    for (const command of [['show'], ['graph'], ['log'], ['diff'], ['runs', 'stats'], ['dump'], ['begin']]) {
      for (const name of names.map((each) =>
        command[0] === 'begin' && each === './first.md' ? './second.md' : each,
      )) {
        const { code, stderr } = await kairos(home, [...command, name]);
        expect({ command, name, code, stderr: code === 0 ? '' : stderr }).toMatchObject({ code: 0 });
      }
    }
    const total = async (name: string) =>
      ((await kairosJson(home, ['runs', '--protocol', name, '--sealed'])).objects[0] as { total: number })
        .total;
    for (const name of ['./first.md', uri, slug]) expect(await total(name)).toBe(3);
    for (const digest of digests) expect(await total(digest)).toBe(1);
    expect(await kairos(home, ['runs', '--protocol', 'nosuch'])).toMatchObject({ code: 1, stdout: '' });
  });

  it('is named by the digest of an earlier or unlisted revision, or its beginning', async () => {
    const { digests } = await stored();
    for (const [at, digest] of digests.entries()) {
      const cmd = ['test -d .', 'test -d ..', 'test -d /'][at]!;
      for (const name of [digest, digest.slice(0, 12)]) {
        expect((await kairos(home, ['show', name])).stdout).toMatch(
          new RegExp(`${cmd.replaceAll('.', '[.]')}$`, 'm'),
        );
        expect((await kairos(home, ['graph', name])).code).toBe(0);
        expect((await kairos(home, ['trust', name, '--digest', digest])).code).toBe(0);
      }
    }
    // These work with the newest revision, and never with another than was named.
    for (const command of ['begin', 'dump', 'delete'])
      expect(await kairos(home, [command, digests[0]])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not the newest revision of look-around'),
      });
    expect(await kairos(home, ['begin', './first.md'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('differs from the stored protocol look-around'),
    });
  });
});
