import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { discover } from '../../../src/lint/files/walk.ts';
import { makeFolder } from './support.ts';

const removals: (() => void)[] = [];
afterEach(() => {
  for (const remove of removals.splice(0)) remove();
});

function folder(files: Record<string, string>): string {
  const { path, remove } = makeFolder(files);
  removals.push(remove);
  return path;
}

async function names(args: string[], cwd: string): Promise<string[]> {
  const { targets } = await discover(args, cwd);
  return targets.map(({ name, isNamed }) => (isNamed ? `${name} (named)` : name));
}

describe('discover', () => {
  it('searches folders for markdown files, including hidden folders', async () => {
    const cwd = folder({
      'b.md': '',
      'a/deep/c.MD': '',
      '.hidden/d.md': '',
      'a/x.txt': '',
      'node_modules/p/readme.md': '',
      '.git/e.md': '',
    });
    expect(await names(['.'], cwd)).toEqual(['.hidden/d.md', 'a/deep/c.MD', 'b.md']);
    expect(await names(['a'], cwd)).toEqual(['a/deep/c.MD']);
  });

  it('knows what was named and what was met, each file once', async () => {
    const cwd = folder({ 'a.md': '', 'b.md': '' });
    expect(await names(['.', './b.md', join(cwd, 'b.md'), '*.md'], cwd)).toEqual(['a.md', 'b.md (named)']);
  });

  it('accepts any file that is named', async () => {
    const cwd = folder({ 'runbook.txt': '' });
    expect(await names(['runbook.txt'], cwd)).toEqual(['runbook.txt (named)']);
  });

  it('expands patterns, and prefers a file of that very name', async () => {
    const cwd = folder({ 'docs/a.md': '', 'docs/b/c.md': '', 'docs/x.txt': '', '[x].md': '', 'x.md': '' });
    expect(await names(['docs/**/*.md'], cwd)).toEqual(['docs/a.md', 'docs/b/c.md']);
    expect(await names(['docs/*'], cwd)).toEqual(['docs/a.md']);
    expect(await names(['[x].md'], cwd)).toEqual(['[x].md (named)']);
    expect(await names(['{x,y}.md'], cwd)).toEqual(['x.md']);
  });

  it('calls files outside of the working directory by their whole path', async () => {
    const cwd = folder({ 'in/': '', 'out/a.md': '' });
    expect(await names(['../out'], join(cwd, 'in'))).toEqual([join(cwd, 'out/a.md')]);
  });

  it.each([
    [['missing.md'], 'missing.md matches no markdown file'],
    [['*.mdx'], '*.mdx matches no markdown file'],
    [['a.md', 'empty'], 'empty contains no markdown file'],
    [['ignored'], 'ignored: every markdown file there (1) is ignored'],
    [['ignored/*.md'], 'ignored/*.md: every markdown file there (1) is ignored'],
  ])('refuses %j', async (args, message) => {
    const cwd = folder({ 'a.md': '', 'empty/': '', 'ignored/x.md': '', '.kairosignore': 'ignored/*.md\n' });
    await expect(discover(args, cwd)).rejects.toMatchObject({ code: 'USAGE', message });
  });

  it('hears ignore files at every level', async () => {
    const cwd = folder({
      '.gitignore': 'build/\n*.tmp.md\n/top.md\n',
      'top.md': '',
      'a.md': '',
      'a.tmp.md': '',
      'build/x.md': '',
      'docs/top.md': '',
      'docs/.kairosignore': 'drafts\n!keep.tmp.md\n',
      'docs/drafts/y.md': '',
      'docs/keep.tmp.md': '',
      'docs/lost.tmp.md': '',
      'docs/deep/.gitignore': '*\n!z.md\n',
      'docs/deep/z.md': '',
      'docs/deep/w.md': '',
    });
    const { targets, ignored } = await discover(['.'], cwd);
    expect(targets.map(({ name }) => name)).toEqual([
      'a.md',
      'docs/deep/z.md',
      'docs/keep.tmp.md',
      'docs/top.md',
    ]);
    expect(ignored).toBe(4);
  });

  it('skips an ignored file that is named, also below an ignored folder', async () => {
    const cwd = folder({
      '.gitignore': 'build/\n',
      'build/.gitignore': '!x.md\n',
      'build/x.md': '',
      'a.md': '',
    });
    expect(await names(['build/x.md', 'a.md'], cwd)).toEqual(['a.md (named)']);
    expect(await discover(['build/x.md'], cwd)).toMatchObject({ targets: [], ignored: 1 });
  });

  it('looks for ignore files up to the root of the repository and no further', async () => {
    const cwd = folder({
      '.gitignore': '*.md\n',
      'repo/.git/HEAD': '',
      'repo/.gitignore': 'no.md\n',
      'repo/docs/no.md': '',
      'repo/docs/yes.md': '',
    });
    expect(await names(['.'], join(cwd, 'repo/docs'))).toEqual(['yes.md']);
  });

  it('follows links, never in a circle and never to the same document twice', async () => {
    const cwd = folder({ 'project/real/a.md': '', 'project/c.md': '' });
    symlinkSync('.', join(cwd, 'project/self'));
    symlinkSync('real', join(cwd, 'project/linked'));
    symlinkSync('..', join(cwd, 'project/real/up'));
    symlinkSync('c.md', join(cwd, 'project/again.md'));
    symlinkSync('project', join(cwd, 'named'));
    expect(await names(['project'], cwd)).toEqual(['project/c.md', 'project/real/a.md']);
    expect(await names(['named'], cwd)).toEqual(['named/c.md', 'named/real/a.md']);
  });

  it('reads nothing outside of the folder that is named, and names the links', async () => {
    const cwd = folder({ 'other/b.md': '', 'project/c.md': '', 'project/in/d.md': '', 'project-2/e.md': '' });
    symlinkSync('..', join(cwd, 'project/up'));
    symlinkSync('../other', join(cwd, 'project/linked'));
    symlinkSync('../project-2', join(cwd, 'project/next'));
    symlinkSync('../../other/b.md', join(cwd, 'project/in/zz.md'));
    symlinkSync('../../c.md', join(cwd, 'project/in/gone.md'));
    const skippedOf = (root: string) => [
      { name: 'project/in/gone.md', what: 'a broken link' },
      ...['in/zz.md', 'linked', 'next', 'up'].map((name) => ({
        name: `project/${name}`,
        what: `a link that leads out of ${root}`,
      })),
    ];
    for (const [arg, root] of [
      ['project', 'project'],
      [join(cwd, 'project'), join(cwd, 'project')],
    ] as const) {
      expect(await names([arg], cwd)).toEqual(['project/c.md', 'project/in/d.md']);
      const { skipped } = await discover([arg], cwd);
      expect(skipped.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(skippedOf(root));
    }
    const pattern = await discover(['project/**/*.md'], cwd);
    expect(pattern.targets.map(({ name }) => name)).toEqual(['project/c.md', 'project/in/d.md']);
    expect(pattern.skipped.map(({ name }) => name).sort()).toEqual(
      ['in/zz.md', 'linked', 'next', 'up'].map((name) => `project/${name}`),
    );
    expect(await discover(['project/**/[z]*.md'], cwd).catch((error: Error) => error.message)).toBe(
      `project/**/[z]*.md contains no markdown file but ${join(cwd, 'project/in/zz.md')}: a link that leads out of project/`,
    );
    // A link that is named is followed.
    expect(await names(['project/linked', 'project/in/zz.md'], cwd)).toEqual(['project/in/zz.md (named)']);
    expect(await names(['project/next/*.md'], cwd)).toEqual(['project/next/e.md']);
  });

  it('knows a document by all of its names', async () => {
    const cwd = folder({ 'real/a.md': '' });
    symlinkSync('real/a.md', join(cwd, 'link.md'));
    expect(await names(['.', 'link.md', '*.md'], cwd)).toEqual(['link.md (named)']);
  });

  it('comes to an end on patterns that meet a circle of links', async () => {
    const cwd = folder({ 'a/b.md': '' });
    symlinkSync('..', join(cwd, 'a/up'));
    symlinkSync('.', join(cwd, 'a/self'));
    expect((await names(['**/*.md'], cwd)).length).toBe(1);
  });

  it('skips broken links', async () => {
    const cwd = folder({ 'a.md': '' });
    symlinkSync('gone.md', join(cwd, 'b.md'));
    symlinkSync('gone', join(cwd, 'c'));
    symlinkSync('round.md', join(cwd, 'round.md'));
    expect(await names(['.'], cwd)).toEqual(['a.md']);
    expect(await discover(['.'], cwd)).toMatchObject({
      failures: [],
      skipped: [
        { name: 'b.md', what: 'a broken link' },
        { name: 'round.md', what: 'a circle of links' },
      ],
    });
  });

  it.skipIf(process.getuid?.() === 0)('continues when a folder cannot be listed', async () => {
    const cwd = folder({ 'a.md': '', 'locked/b.md': '' });
    chmodSync(join(cwd, 'locked'), 0);
    const { targets, failures } = await discover(['.'], cwd);
    chmodSync(join(cwd, 'locked'), 0o700);
    expect(targets.map(({ name }) => name)).toEqual(['a.md']);
    expect(failures.map(({ name, cause }) => [name, (cause as NodeJS.ErrnoException).code])).toEqual([
      ['locked', 'EACCES'],
    ]);
  });
});

it.each(['.', 'a.md', 'docs/*.md'])('names a working directory that was removed: %s', async (arg) => {
  const cwd = join(folder({ 'a.md': '' }), 'gone');
  await expect(discover([arg], cwd)).rejects.toMatchObject({
    code: 'USAGE',
    message: `the working directory ${cwd} no longer exists`,
  });
  expect(await names([join(cwd, '..', 'a.md')], cwd)).toHaveLength(1);
});
