import type { LintRule } from '../rule.ts';

export const brokenLink: LintRule = {
  id: 'broken-link',
  family: 'reference',
  severity: 'warning',
  summary: 'A relative link leads to a file that exists.',
  why: "In the middle of a procedure there is no time to search for a moved page. The rule doesn't check paths without an extension, or pages that a site generator makes from a file next to them.",
  check(context) {
    for (const { path, start, end } of context.links) {
      if (context.exists(path) !== false || isPage(path, (other) => context.exists(other) === true)) continue;
      context.report({
        place: context.place(start, end),
        reason: `${path} does not exist next to this document. Correct the path, or remove the link.`,
      });
    }
  },
};

/**
 * Whether a path that doesn't exist may still lead somewhere: a page that a site generator makes from a source file next to it, a
 * path without an extension (a page, a label, a part of the forge such as `../../issues`), or one of a web application.
 */
function isPage(path: string, exists: (path: string) => boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = /[^.]\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return true;
  if (!PAGES.has(extension)) return false;
  const stem = path.slice(0, -extension.length - 1);
  const bases = name.startsWith('index.')
    ? [stem, stem.replace(/index$/, 'README')]
    : [stem, `${stem}/index`];
  return bases.some((base) => SOURCES.some((source) => exists(`${base}.${source}`)));
}

const PAGES: ReadonlySet<string> = new Set(['html', 'htm', 'xhtml', 'php', 'aspx']);
const SOURCES = ['md', 'markdown', 'mdx', 'rst', 'adoc', 'txt', 'org', 'ipynb'];
