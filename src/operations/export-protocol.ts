import { mkdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { hereCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { writeFileAtomically } from '../host/files/write-file.ts';
import { chainId, digest, stepUri } from '../protocol/identity.ts';
import { demandLines, oneLine, parameterItem } from '../protocol/import/parameters.ts';
import type { ChainContent, StepContent } from '../protocol/model.ts';
import { headingSource } from '../protocol/outline.ts';
import { lineIndex } from '../protocol/position.ts';
import { renderChain } from '../protocol/render.ts';
import { scan } from '../protocol/scan/scan.ts';
import type { FileChain } from './target.ts';

/** What a protocol is exported as. */
export type ExportKind = 'skill' | 'sop';

/** A file of an export, its path relative to the folder of the export. */
interface ExportedFile {
  path: string;
  text: string;
}

/** Limit of the Agent Skills specification. */
const MAX_DESCRIPTION = 1024;

/** The key and comment that point from an export to the protocol next to it. */
const EXPORT_POINTER = 'kairos-protocol';

const POINTER = new RegExp(`^(?:[ ]{2}|<!-- )${EXPORT_POINTER}: "?([^\\s"]+)"?(?: -->)?\\r?$`, 'm');

/** The path of the protocol that the export in `file` points to; null if it isn't an export or can't be read. */
export function protocolOfExport(file: string, read: () => string): string | null {
  if (!/(?:^|[\\/])SKILL\.md$|\.sop\.md$/i.test(file)) return null;
  try {
    const [, path] = POINTER.exec(read().slice(0, 4096)) ?? [];
    return path === undefined ? null : resolve(dirname(file), path);
  } catch {
    // What can't be read is reported when the document's turn comes.
    return null;
  }
}

/** Writes an export below a folder and returns the paths. Throws FILE_EXISTS unless `force`. */
export async function writeExport(
  chain: FileChain,
  kind: ExportKind,
  { out = '.', force, cwd }: { out?: string | undefined; force: boolean; cwd: string },
): Promise<string[]> {
  const paths: string[] = [];
  for (const { path, text } of await exportProtocol(chain, kind)) {
    const file = resolve(cwd, out, path);
    mkdirSync(dirname(file), { recursive: true });
    await writeFileAtomically(file, text, force);
    paths.push(join(out, path));
  }
  return paths;
}

/**
 * A protocol as other tools read it, with the protocol itself next to it: `SLUG/SKILL.md` of the Agent Skills specification, or
 * `SLUG.sop.md` of agent SOPs. The text points to kairos first, because only kairos records proofs.
 */
export async function exportProtocol(
  { content, chainId, digest }: FileChain,
  kind: ExportKind,
): Promise<ExportedFile[]> {
  const uri = stepUri(chainId, 1);
  const protocol = renderChain(content);
  if (kind === 'skill') {
    return [
      { path: join(content.slug, 'SKILL.md'), text: await skillText(content, uri, digest) },
      { path: join(content.slug, 'references', 'protocol.md'), text: protocol },
    ];
  }
  return [
    { path: `${content.slug}.sop.md`, text: await sopText(content) },
    { path: join('protocols', `${content.slug}.md`), text: protocol },
  ];
}

/** Throws PROTOCOL_INVALID if the text of an export in `file` and the protocol next to it in `original` differ: one was changed. */
export async function requireSameText(
  text: string,
  content: ChainContent,
  file: string,
  original: string,
): Promise<void> {
  const kind = /\.sop\.md$/i.test(file) ? 'sop' : 'skill';
  const differences = await differencesOf(text, content, kind);
  if (differences.length === 0) return;
  const folder = dirname(file);
  const out = kind === 'sop' ? folder : dirname(folder);
  const lines = [
    `${basename(file)} and its protocol ${relative(folder, original)} differ, because one of them was changed after the export:`,
    ...differences.slice(0, 4).map((each) => `  ${each}`),
    ...(differences.length > 4 ? [`  and ${differences.length - 4} more`] : []),
    `If the protocol is right, store it: ${hereCommand(['mint', original])}. If the text is right, change the protocol first.`,
    `Then write both again: ${hereCommand(['export', `--${kind}`, original, '--out', out, '--force'])}`,
  ];
  throw new KairosError('PROTOCOL_INVALID', lines.join('\n'));
}

async function differencesOf(text: string, content: ChainContent, kind: ExportKind): Promise<string[]> {
  const now = digest(content);
  const chain = { content, chainId: chainId('default', content.slug), digest: now };
  const [file] = await exportProtocol(chain, kind);
  // The URI depends on the space, and keys that others added to the frontmatter are theirs.
  const rowsOf = (source: string) =>
    source
      .replace(/^\ufeff/, '')
      .split(/\r?\n/)
      .map((row) => (/^ {2}kairos-(?:uri|digest):/.test(row) ? '' : oneLine(row)));
  const [written, wanted] = [rowsOf(text), rowsOf(file!.text)];
  const head = kind === 'skill' ? written.indexOf('---', 1) : -1;
  const then = /^ {2}kairos-digest: "(.*)"\r?$/m.exec(text)?.[1] ?? 'no digest';
  const isOther = kind === 'skill' && then !== now;
  const own = written.map((row, at) => (at > head || wanted.includes(row) ? row : ''));
  const onlyIn = (rows: readonly string[], others: readonly string[], where: string) =>
    rows.flatMap((row, at) =>
      row === '' || others.includes(row) ? [] : [`only in the ${where}, line ${at + 1}: ${row}`],
    );
  const found = [
    ...(isOther ? [`the export was made of ${then}, and the protocol is ${now}`] : []),
    ...onlyIn(own, wanted, 'text'),
    ...onlyIn(wanted, own, 'export of the protocol'),
  ];
  const isSame = own.filter((row) => row !== '').join('\n') === wanted.filter((row) => row !== '').join('\n');
  return found.length === 0 && !isSame ? ['the text has its lines in another order'] : found;
}

async function skillText(content: ChainContent, uri: string, digest: string): Promise<string> {
  const { slug, title, version, description, steps } = content;
  const metadata = {
    [EXPORT_POINTER]: 'references/protocol.md',
    'kairos-uri': uri,
    'kairos-digest': digest,
    ...(version === null ? {} : { version }),
  };
  const head = [
    `name: ${JSON.stringify(slug)}`,
    `description: ${JSON.stringify(await whatAndWhen(content))}`,
    'metadata:',
    ...Object.entries(metadata).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
  ];
  return join2([
    `---\n${head.join('\n')}\n---`,
    headingSource(1, title),
    description,
    pointerText(slug, 'references/protocol.md'),
    inputList(content).length === 0 ? '' : `## Inputs\n\n${inputList(content).join('\n')}`,
    '## Steps',
    ...(await stepTexts(steps, (lines) => lines)),
    ruleText(content),
  ]);
}

async function sopText(content: ChainContent): Promise<string> {
  const { slug, title, description, steps } = content;
  const file = `protocols/${slug}.md`;
  return join2([
    headingSource(1, title),
    '## Overview',
    `<!-- ${EXPORT_POINTER}: ${file} -->`,
    description,
    pointerText(slug, file).replace(/^## /, '### '),
    inputList(content).length === 0 ? '' : `## Parameters\n\n${inputList(content).join('\n')}`,
    '## Steps',
    ...(await stepTexts(steps, (lines) => [
      '**Constraints:**',
      ...lines.map((line) => `- You MUST do this: ${line.replace(/\n(?=.)/g, '\n  ')}`),
      ...(lines.length === 0 ? ['- You MUST do the whole step.'] : []),
    ])),
    ruleText(content),
  ]);
}

/** Each step: its number and label as an H3, its text with headings below that, and what shows that it is done. */
async function stepTexts(
  steps: readonly StepContent[],
  demand: (lines: string[]) => string[],
): Promise<string[]> {
  const texts = steps.map(async (step, at) => [
    headingSource(3, step.label).replace(/^###/, `### ${at + 1}.`),
    await deeper(step.body),
    ...demand(demandLines(step)),
  ]);
  return (await Promise.all(texts)).flat();
}

/** The text of a step with its headings one level deeper, because the step has an H3 here. */
async function deeper(body: string): Promise<string> {
  // A blank row before the text, where no row of dashes is frontmatter.
  const text = `\n${body}`;
  const rows = text.split('\n');
  for (const { type, first } of (await scan(text, lineIndex(text))).blocks)
    if (type === 'heading') rows[first] = rows[first]!.replace(/^( {0,3}#{3,5})(?=[ \t]|$)/, '$1#');
  return rows.slice(1).join('\n');
}

function join2(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function ruleText({ completion_rule: rule }: ChainContent): string {
  return rule === null ? '' : `## When it is done\n\n${rule}`;
}

function pointerText(slug: string, file: string): string {
  return `## Run it with kairos

This procedure is a kairos protocol. Don't do its steps from this text alone, because only kairos records that they were done.

1. With the tools of kairos: call \`kairos_begin\` with \`{"key": "${slug}"}\`, then follow \`next_action\` until it is null.
2. In a terminal: \`kairos run ${file}\`. To store it for \`kairos_begin\`: \`kairos mint ${file}\`.
3. Without kairos: do the steps below in order, and report that no proof was recorded.`;
}

/**
 * What it does (title, and what the description begins with) and when it is used (its triggers, else its title): in at most
 * 1,024 characters and without tags, as the specification wants it.
 */
async function whatAndWhen({ title, description, triggers }: ChainContent): Promise<string> {
  const rows = description.split('\n');
  const { blocks } = await scan(description, lineIndex(description));
  const about = blocks.find(({ type }) => type === 'paragraph');
  const first = about === undefined ? '' : rows.slice(about.first, about.last + 1).join(' ');
  const lines = (triggers ?? '').split('\n').map((row) => row.replace(/^[ \t]*[-*+][ \t]+/, ''));
  const phrases = lines
    .map((line) => shown(line).replace(/^["'“”]|["'“”]$/g, ''))
    .filter((line) => line !== '');
  const own = phrases.length === 0 ? [shown(title)] : phrases;
  const count = own.findIndex((_, at) => own.slice(0, at + 1).join('; ').length > MAX_DESCRIPTION / 2);
  const asked = shortened(
    own.slice(0, count === -1 ? own.length : Math.max(count, 1)).join('; '),
    MAX_DESCRIPTION / 2,
  );
  const when = `Use it when the request is like this: ${sentence(asked)}`;
  const what = [title, first].map((text) => sentence(shown(text))).filter((text) => text !== '');
  return `${shortened(what.join(' '), MAX_DESCRIPTION - [...when].length - 1)} ${when}`;
}

/** On one line, without what looks like a tag. */
function shown(text: string): string {
  return oneLine(text.replace(/[<>]/g, ' '));
}

function sentence(text: string): string {
  return text === '' || /[.!?…。！？]$/u.test(text) ? text : `${text}.`;
}

function shortened(text: string, limit: number): string {
  const letters = [...text];
  return letters.length <= limit ? text : `${letters.slice(0, limit - 1).join('')}…`;
}

function inputList({ inputs = {} }: ChainContent): string[] {
  return Object.entries(inputs).map(([name, input]) => parameterItem(name, input));
}
