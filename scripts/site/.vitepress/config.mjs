// `npm run docs`: builds README, docs and protocols into static pages in `site/`. The sidebar is docs/README.md.
import { cpSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** The sections and links of docs/README.md. */
function sidebar() {
  const index = readFileSync(`${root}docs/README.md`, 'utf8');
  const links = (text) =>
    [...text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title, path]) => ({
      text: title[0].toUpperCase() + title.slice(1),
      link: new URL(path, 'file:///docs/').pathname.replace(/README\.md$/, 'index.md').replace(/\.md$/, ''),
    }));
  const [start, ...sections] = index.split(/^## /m);
  return [
    { text: 'Start', items: links(start) },
    ...sections.map((section) => ({ text: section.split('\n')[0], collapsed: false, items: links(section) })),
  ];
}

/** Files that pages link to and that are no pages themselves. */
const FILES = [
  'docs/examples',
  'editors/neovim',
  'editors/emacs',
  'editors/helix',
  'editors/kakoune',
  'LICENSE',
];
const EXTENSIONS = ['yaml', 'json', 'lua', 'toml', 'el', 'kak'];
// Without this, VitePress would append `.html` to a link to one of them.
process.env.VITE_EXTRA_EXTENSIONS = EXTENSIONS.join(',');

export default defineConfig({
  title: 'kairos',
  description: 'Procedures that people and agents really follow, and can prove that they followed.',
  lang: 'en',
  srcDir: root,
  srcExclude: [
    '**/node_modules/**',
    'tests/**',
    'editors/**',
    'bench/**',
    'scripts/**',
    'site/**',
    'AGENTS.md',
    'src/**',
    'dist/**',
  ],
  outDir: `${root}site`,
  cacheDir: `${root}node_modules/.cache/vitepress`,
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  cleanUrls: false,
  buildEnd({ outDir }) {
    for (const path of FILES) cpSync(`${root}${path}`, `${outDir}/${path}`, { recursive: true });
  },
  // VitePress looks only for pages; these are the files above.
  ignoreDeadLinks: [RegExp(`\\.(?:${EXTENSIONS.join('|')})$`), /LICENSE$/],
  markdown: { config: plainText, languageAlias: { node: 'js' } },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'All pages', link: '/docs/index' },
      { text: `Version ${version}`, link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});

/** Pages are markdown, not Vue: `{{NAME}}` and `<name>` are text. */
function plainText(md) {
  md.set({ html: false });
  // Without HTML, the comment at the top of a generated page would be text.
  md.core.ruler.after('normalize', 'no-comments', (state) => {
    state.src = state.src.replace(/^<!-- Written by .* -->$/m, '');
  });
  md.core.ruler.push('no-templates', ({ tokens }) => {
    for (const token of tokens)
      if (token.type.endsWith('_open') && token.level === 0) token.attrSet('v-pre', '');
  });
  const { link_open: open } = md.renderer.rules;
  md.renderer.rules.link_open = (tokens, at, options, env, self) => {
    const href = tokens[at].attrGet('href');
    if (href !== null && !/^[a-z]+:/.test(href))
      tokens[at].attrSet('href', href.replace(/README\.(html|md)/, 'index.$1'));
    return open === undefined ? self.renderToken(tokens, at, options) : open(tokens, at, options, env, self);
  };
}
