import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';

/** Several authors, each in a process of their own, on one store at the same moment. */
let home: CliHome;
beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());

const AUTHORS = [1, 2, 3, 4, 5, 6];
const document = (title: string, words: string) =>
  `# ${title}\n\n${AUTHORS.map((at) => `## Step ${at}\n\nWords of ${words}.\n`).join('\n')}`;
const together = (args: (author: number) => string[]) =>
  Promise.all(AUTHORS.map((author) => kairos(home, args(author), { timeoutMs: 60_000 })));
const codes = (ends: { code: number | null; stderr: string }[]) =>
  ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr));

async function mintAll(title: string, words: string): Promise<string[]> {
  writeFileSync(join(home.work, 'it.md'), document(title, words));
  const minted = await kairosJson(home, ['mint', 'it.md', '--force']);
  return firstObject<{ items: { uri: string }[] }>(minted).items.map(({ uri }) => uri);
}

describe('six authors at the same time', () => {
  it('each store a revision of one protocol', async () => {
    await mintAll('All of it', 'nobody');
    for (const author of AUTHORS)
      writeFileSync(join(home.work, `${author}.md`), document('All of it', `author ${author}`));
    expect(codes(await together((author) => ['mint', `${author}.md`, '--force']))).toEqual(
      AUTHORS.map(() => 0),
    );
    const [listed] = (await kairosJson(home, ['list'])).objects as [{ chains: { revision: number }[] }];
    expect(listed.chains.map(({ revision }) => revision)).toEqual([1 + AUTHORS.length]);
  });

  it('each change another step, and nothing is lost', async () => {
    const uris = await mintAll('Step by step', 'nobody');
    const ends = await together((author) => ['update', uris[author - 1]!, '--text', `Words of ${author}.`]);
    expect(codes(ends)).toEqual(AUTHORS.map(() => 0));
    const { stdout } = await kairos(home, ['dump', 'step-by-step']);
    expect(stdout.match(/Words of .*/g)).toEqual(AUTHORS.map((author) => `Words of ${author}.`));
  });
});
