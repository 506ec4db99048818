// Checks the prose of comments, messages, test titles and docs against scripts/prose-words.yaml.
//   npm run prose                 fails on a finding that scripts/prose-exceptions.txt doesn't list
//   npm run prose -- FILE...      prints every finding of these files or folders
//   npm run prose -- --update     writes lower counts into the list of exceptions
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import ts from 'typescript';
import { unified } from 'unified';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const EXCEPTIONS = 'scripts/prose-exceptions.txt';
const HEADER = `# Findings of \`npm run prose\` that are not fixed yet: count, file. This list only shrinks.\n`;
const TITLED = new Set(['describe', 'test', 'it', 'bench']);

/**
 * The words to avoid, and the phrases to ignore.
 * @typedef {{words: {match: RegExp, instead: string}[], fixed: RegExp | null, data: Set<string>}} WordList
 * @typedef {{line: number, column: number, found: string, instead: string}} Finding
 */

/** @returns {WordList} */
export function readWords(yaml = readFileSync(`${root}scripts/prose-words.yaml`, 'utf8')) {
  const { words, fixed, data = [] } = parse(yaml);
  return {
    words: words.map(({ match, instead }) => ({ match: wholeWords(match), instead })),
    data: new Set(data),
    fixed: fixed?.length > 0 ? wholeWords(fixed.map(escapeRegExp).join('|')) : null,
  };
}

/** A word in capitals, such as the gate's HOLD. */
function isCode(found) {
  return found.length > 1 && found === found.toUpperCase();
}

/** Comment markers count as white space, so that a phrase is found across the lines of a comment. */
function wholeWords(source) {
  const spaced = source.replaceAll(' ', '[\\s*/>]+');
  return new RegExp(`(?<![\\w-])(?:${spaced})(?![\\w-])`, 'giu');
}

function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Finds the words to avoid in one file. `path` decides what counts as prose: all text of a markdown file, comments and
 * strings of several words in src, comments in scripts and bench, titles in tests.
 * @param {WordList} list
 * @returns {Finding[]}
 */
export function checkText(path, source, list) {
  const prose = path.endsWith('.md') ? markdownProse(source) : codeProse(path, source, !list.data.has(path));
  const text = list.fixed === null ? prose : prose.replace(list.fixed, blank);
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const findings = [];
  for (const { match, instead } of list.words) {
    for (const { 0: found, index } of text.matchAll(match)) {
      if (isCode(found)) continue;
      const line = starts.findLastIndex((start) => start <= index);
      findings.push({ line: line + 1, column: index - starts[line] + 1, found, instead });
    }
  }
  return findings.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** The source with everything but comments and prose strings blanked. */
function codeProse(path, source, hasMessages) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const literals = [];
  const strings = [];
  const visit = (node) => {
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node))
      literals.push([node.getStart(file), node.getEnd()]);
    if (hasMessages && isProseString(node, path)) strings.push(...stringRanges(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  const comments = path.startsWith('tests/') ? [] : commentRanges(source, literals);
  return keep(source, [...strings, ...comments]).replace(/`[^`\n]*`/g, blank);
}

/** Outside literals, `//` and a slash with a star always start a comment. */
function commentRanges(source, literals) {
  const code = keep(source, gaps(literals, source.length));
  return [...code.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)]
    .map(({ 0: comment, index }) => [index, index + comment.length])
    .filter(([start, end]) => !isDirective(source.slice(start, end)));
}

/** The ranges between `ranges`, which are in order. */
function gaps(ranges, length) {
  const edges = [0, ...ranges.flat(), length];
  return ranges.concat([[]]).map((_, index) => [edges[index * 2], edges[index * 2 + 1]]);
}

/** A comment that a tool reads. */
function isDirective(comment) {
  return /^\/[/*]\s*(?:biome-ignore|@ts-|@vite|\/ <)/.test(comment);
}

function isProseString(node, path) {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false;
  if (path.startsWith('tests/')) return isTitle(node);
  if (!path.startsWith('src/')) return false;
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent))
    return false;
  const text = plainText(node);
  if (isData(text)) return false;
  return (
    /[a-z] [a-z]/i.test(text) && !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|DROP)\s/.test(text)
  );
}

/** The text of a string or template. A letter replaces each placeholder. */
function plainText(node) {
  if (!ts.isTemplateExpression(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join('');
}

/** A regular expression, or a list of words: many of them without punctuation. */
function isData(text) {
  return /\\[bswd]/.test(text) || (text.split(/\s+/).length > 25 && !/[,.:;?!]/.test(text));
}

/** The first argument of `test`, `test.each(…)`, `describe` and so on. */
function isTitle(node) {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false;
  let callee = call.expression;
  while (!ts.isIdentifier(callee)) {
    if (
      !ts.isCallExpression(callee) &&
      !ts.isPropertyAccessExpression(callee) &&
      !ts.isTaggedTemplateExpression(callee)
    )
      return false;
    callee = ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression;
  }
  return TITLED.has(callee.text);
}

/** A template's placeholders are code. */
function stringRanges(node, file) {
  if (!ts.isTemplateExpression(node)) return [[node.getStart(file) + 1, node.getEnd() - 1]];
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => [
    part.getStart(file) + 1,
    part.getEnd() - 1,
  ]);
}

function markdownProse(source) {
  const tree = unified().use(remarkParse).use(remarkFrontmatter).use(remarkGfm).parse(source);
  const ranges = [];
  const visit = (node) => {
    if (node.type === 'text') ranges.push([node.position.start.offset, node.position.end.offset]);
    for (const child of node.children ?? []) visit(child);
  };
  visit(tree);
  return keep(source, ranges);
}

function keep(source, ranges) {
  let text = '';
  let end = 0;
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    if (from < end) continue;
    text += blank(source.slice(end, from)) + source.slice(from, to);
    end = to;
  }
  return text + blank(source.slice(end));
}

/** `¶` is not a word and not white space, so that no phrase is found across it. */
function blank(text) {
  return text.replace(/[^\s]/g, '¶');
}

/** @returns {Map<string, number>} file → count */
export function readExceptions(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => /^(\d+) (.+)$/.exec(line)).map(([, count, file]) => [file, Number(count)]),
  );
}

/**
 * Compares counts with the list of exceptions.
 * @returns {{file: string, count: number, listed: number}[]} every file whose count differs
 */
export function compare(counts, exceptions) {
  const files = [...new Set([...counts.keys(), ...exceptions.keys()])].sort();
  return files
    .map((file) => ({ file, count: counts.get(file) ?? 0, listed: exceptions.get(file) ?? 0 }))
    .filter(({ count, listed }) => count !== listed);
}

/** The new list, or null when it would allow more findings than the old one. */
export function updated(counts, exceptions) {
  const sum = (map) => [...map.values()].reduce((total, count) => total + count, 0);
  if (sum(counts) > sum(exceptions)) return null;
  const lines = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  return HEADER + lines.map(([file, count]) => `${count} ${file}\n`).join('');
}

function proseFiles() {
  const patterns = ['src/**/*.ts', 'scripts/*.mjs', 'scripts/*.ts', 'bench/**/*.mjs', 'tests/**/*.test.ts'];
  const docs = ['*.md', 'docs/**/*.md', 'protocols/README.md'];
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--'];
  const globs = [...patterns, ...docs].map((pattern) => `:(glob)${pattern}`);
  const files = execFileSync('git', [...args, ...globs], { cwd: root, encoding: 'utf8' }).split('\n');
  return [...new Set(files)].filter((file) => file !== '' && existsSync(root + file));
}

function print(file, findings) {
  for (const { line, column, found, instead } of findings)
    console.log(`${file}:${line}:${column}  "${found.replace(/[\s*/>]+/g, ' ')}": write ${instead}`);
}

function main(args) {
  const list = readWords();
  const only = args.filter((arg) => !arg.startsWith('--'));
  const files = proseFiles().filter(
    (file) =>
      only.length === 0 ||
      only.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)),
  );
  const found = new Map(
    files.map((file) => [file, checkText(file, readFileSync(root + file, 'utf8'), list)]),
  );
  if (only.length > 0) {
    for (const [file, findings] of found) print(file, findings);
    return;
  }

  const counts = new Map([...found].map(([file, findings]) => [file, findings.length]));
  const exceptions = readExceptions(
    existsSync(root + EXCEPTIONS) ? readFileSync(root + EXCEPTIONS, 'utf8') : '',
  );
  if (args.includes('--update')) {
    const text = updated(counts, exceptions);
    if (text === null) {
      console.error(`${EXCEPTIONS} would grow. Fix the new findings: run npm run prose to see them.`);
      process.exitCode = 1;
    } else writeFileSync(root + EXCEPTIONS, text);
    return;
  }
  const differing = compare(counts, exceptions);
  for (const { file, count, listed } of differing) {
    if (count > listed) print(file, found.get(file));
    console.log(
      count > listed
        ? `${file}: ${count} findings, ${listed} listed in ${EXCEPTIONS}`
        : `${file}: ${count} findings, but ${listed} listed. Run npm run prose -- --update.`,
    );
  }
  if (differing.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
