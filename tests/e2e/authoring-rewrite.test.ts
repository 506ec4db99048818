import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digest } from '../../src/protocol/identity.ts';
import { openStore } from '../../src/store/open.ts';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const put = (name: string, text: string) => writeFileSync(join(home.work, name), text);
const get = (name: string) => readFileSync(join(home.work, name), 'utf8');

const LOOSE =
  '# Ship\n\n## Test\n\nRun them.\n\n```json\n{"challenge":{"shell":{"timeout_seconds":5,"cmd":"true"}}}\n```\n';
const TIDY = `# Ship

## Test

Run them.

\`\`\`json
{
  "proof_of_work": {
    "type": "shell",
    "shell": {
      "cmd": "true",
      "timeout_seconds": 5
    }
  }
}
\`\`\`
`;
const MIGRATED = '# Ship\n\n## Test\n\nRun them.\n\n```sh proof timeout=5s\ntrue\n```\n';
const OLD = '# Ship\n\n## Test\n\nRun them.\n\nPROOF OF WORK: timeout 5 true\n';
const BROKEN = '# Ship\n\n## Test\n\n```json\n{"proof_of_work": {"type": "shell"\n```\n';
const PROSE = '# Notes\n\nNothing to prove.\n';

describe('kairos fmt', () => {
  it('writes files in place, and has nothing to do the second time', async () => {
    put('a.md', LOOSE);
    put('prose.md', PROSE);
    expect(await kairos(home, ['fmt'])).toMatchObject({
      code: 0,
      stdout: 'formatted a.md\n',
      stderr: '1 protocol looked at, 1 file of prose skipped.\n',
    });
    expect([get('a.md'), get('prose.md')]).toEqual([TIDY, PROSE]);
    expect(await kairos(home, ['fmt', '--check', 'a.md'])).toMatchObject({ code: 0, stdout: '' });
  });

  it('writes nothing with --check or --diff', async () => {
    put('a.md', LOOSE);
    expect(await kairos(home, ['fmt', '--check', '*.md'])).toMatchObject({
      code: 1,
      stdout: 'would format a.md\n',
    });
    const diff = await kairos(home, ['fmt', '--diff']);
    expect(diff).toMatchObject({ code: 0 });
    expect(diff.stdout).toMatch(/^--- a\/a\.md\n\+\+\+ b\/a\.md\n@@ /);
    expect(await kairos(home, ['fmt', '--diff', '--check'])).toMatchObject({ code: 1, stdout: diff.stdout });
    expect(get('a.md')).toBe(LOOSE);
  });

  it('is a filter with -', async () => {
    expect(await kairos(home, ['fmt', '-'], { stdin: LOOSE })).toMatchObject({ code: 0, stdout: TIDY });
    expect(await kairos(home, ['fmt', '-'], { stdin: BROKEN })).toMatchObject({ code: 2, stdout: BROKEN });
    expect(await kairos(home, ['fmt', '--check', '-'], { stdin: LOOSE })).toMatchObject({ code: 1 });
  });

  it('leaves a document with errors alone, formats the others, and ends with 2', async () => {
    put('a.md', LOOSE);
    put('b.md', BROKEN);
    const result = await kairos(home, ['fmt']);
    expect(result).toMatchObject({ code: 2, stdout: 'formatted a.md\n' });
    expect(result.stderr).toMatch(/^error: b\.md: not formatted:\n {2}\d+:\d+ {2}/);
    expect([get('a.md'), get('b.md')]).toEqual([TIDY, BROKEN]);
  });

  it.each([
    ['a pattern that matches nothing', ['fmt', 'none/*.md']],
    ['an unknown option', ['fmt', '--chek']],
    ['- beside files', ['fmt', '-', 'a.md']],
    ['a name for standard input without -', ['fmt', '--stdin-filename', 'a.md']],
  ])('ends with 2 for %s', async (_name, args) => {
    put('a.md', LOOSE);
    expect(await kairos(home, args)).toMatchObject({ code: 2, stdout: '' });
    expect(get('a.md')).toBe(LOOSE);
  });

  it('leaves out what ignore files and the configuration leave out', async () => {
    put('.gitignore', 'a.md\n');
    put('kairos.config.json', '{"lint": {"ignore": ["drafts/"]}}');
    mkdirSync(join(home.work, 'drafts'));
    put('a.md', LOOSE);
    put('drafts/b.md', LOOSE);
    put('c.md', TIDY);
    const { objects, code } = await kairosJson(home, ['fmt', 'a.md', 'c.md', 'drafts']);
    expect({ code, objects }).toEqual({
      code: 0,
      objects: [{ changed: [], failures: [], protocols: 1, prose: 0, ignored: 2 }],
    });
    // All that was asked for is left out: nothing was looked at, which is no success.
    expect(await kairos(home, ['fmt', 'drafts'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('every markdown file there (1) is ignored'),
    });
  });
});

describe('kairos migrate', () => {
  it('shows what it would do, does it with --write, and is done then', async () => {
    put('old.md', OLD);
    const shown = await kairos(home, ['migrate']);
    expect(shown).toMatchObject({ code: 1 });
    expect(shown.stdout).toContain('-PROOF OF WORK: timeout 5 true\n+```sh proof timeout=5s\n');
    expect(shown.stderr).toContain('Nothing was written; kairos migrate --write does it.');
    expect(get('old.md')).toBe(OLD);
    expect(await kairos(home, ['migrate', '--write'])).toMatchObject({ code: 0, stdout: '' });
    expect(get('old.md')).toBe(MIGRATED);
    expect(await kairos(home, ['migrate'])).toMatchObject({ code: 0, stdout: '' });
  });

  it('names what a human must decide, and ends with 1 as long as there is any', async () => {
    put(
      'old.md',
      '# Ship\n\n## Look\n\nProof of work: the team has seen the plan.\n\n## Send\n\nProof of work: cat <name>\n',
    );
    const { code, objects } = await kairosJson(home, ['migrate', '--write']);
    expect({ code, objects }).toEqual({
      code: 1,
      objects: [
        {
          changed: ['old.md'],
          written: ['old.md'],
          decisions: [
            expect.objectContaining({ path: 'old.md', line: 5, column: 1, code: 'not-a-command' }),
            expect.objectContaining({ path: 'old.md', line: 9, column: 1, code: 'placeholder' }),
          ],
          failures: [],
        },
      ],
    });
  });

  it('filters standard input with --write', async () => {
    expect(await kairos(home, ['migrate', '--write', '-'], { stdin: OLD })).toMatchObject({
      code: 0,
      stdout: MIGRATED,
    });
  });

  it('ends with 2 for a pattern that matches nothing, and for --stored with paths', async () => {
    expect(await kairos(home, ['migrate', 'none.md'])).toMatchObject({ code: 2 });
    expect(await kairos(home, ['migrate', '--stored', 'x.md'])).toMatchObject({ code: 2 });
  });
});

describe('kairos migrate --stored', () => {
  /** As another program might have stored it: the old line is text, and demands nothing. */
  async function storeOld(): Promise<void> {
    const content = {
      slug: 'ship',
      title: 'Ship',
      version: null,
      tags: ['release'],
      description: '',
      triggers: null,
      completion_rule: null,
      steps: [
        { label: 'Test', body: 'Run them.\n\nPROOF OF WORK: timeout 5 true', block: null },
        { label: 'Look', body: 'At it.', block: null },
      ],
    };
    const { items } = firstObject<{ items: { uri: string }[] }>(
      await kairosJson(home, ['mint', '-'], { stdin: '# Ship\n\n## Test\n\nx\n\n## Look\n\ny\n' }),
    );
    expect(items).toHaveLength(2);
    const store = await openStore({ location: null, dataDir: home.data });
    const head = (await store.headBySlug('default', 'ship'))!;
    await store.putRevision(
      { ...head, digest: digest(content), content, listed: true, weakened: null },
      head.digest,
    );
    await store.close();
  }

  it('makes a new revision under the same URIs', async () => {
    await storeOld();
    const before = firstObject<{ chains: { uri: string; digest: string }[] }>(
      await kairosJson(home, ['show', 'ship']),
    );
    expect(await kairos(home, ['migrate', '--stored'])).toMatchObject({ code: 1 });
    expect(firstObject(await kairosJson(home, ['show', 'ship']))).toEqual(before);
    const { code, objects } = await kairosJson(home, ['migrate', '--stored', '--write']);
    expect({ code, objects }).toEqual({
      code: 0,
      objects: [{ changed: ['ship'], written: ['ship'], decisions: [], failures: [] }],
    });
    const { stdout } = await kairos(home, ['dump', 'ship', '--protocol']);
    expect(stdout).toContain('```sh proof timeout=5s\ntrue\n```');
    expect(stdout).not.toContain('PROOF OF WORK');
    const after = firstObject<{ chains: { uri: string; digest: string }[] }>(
      await kairosJson(home, ['show', 'ship']),
    );
    expect(after.chains[0]!.digest).not.toBe(before.chains[0]!.digest);
    expect(after.chains.map(({ uri }) => uri)).toEqual(before.chains.map(({ uri }) => uri));
    expect(await kairos(home, ['migrate', '--stored'])).toMatchObject({ code: 0, stdout: '' });
  });
});
