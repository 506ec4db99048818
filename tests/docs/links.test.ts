import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function markdownIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const TOP = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
const PAGES = [...TOP, ...markdownIn('docs'), 'protocols/README.md', 'editors/README.md'].filter((page) =>
  existsSync(join(ROOT, page)),
);

/** The text without code: what looks like a link there is none. */
function prose(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
    .replace(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, '')
    .replace(/``[^`\n](?:[^\n]*?[^`\n])?``(?!`)|`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, '_'));
}

/** The anchors of a page, as GitHub and VitePress make them of headings. */
function anchors(page: string): Set<string> {
  const seen = new Map<string, number>();
  const found = new Set<string>();
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    found.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return found;
}

function brokenLinks(page: string): string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, inline, defined]) => inline ?? defined!,
  );
  return links.filter((link) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), decodeURI(path)));
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchors(target).has(anchor);
  });
}

describe('links', () => {
  it.each(PAGES)('of %s lead to files and headings that exist', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('lead from the index to every page', () => {
    const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
    const pages = markdownIn('docs').filter((page) => !/^docs\/(?:rules\/|README\.md$)/.test(page));
    const missing = pages.filter((page) => !index.includes(`(${relative('docs', page)})`));
    expect(missing).toEqual([]);
  });

  it('of pictures are to small files', () => {
    const folder = join(ROOT, 'docs/images');
    const large = existsSync(folder)
      ? readdirSync(folder).filter((name) => statSync(join(folder, name)).size > 150_000)
      : [];
    expect(large).toEqual([]);
  });
});
