import { basename, dirname } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { isProtocol } from '../../lint/analyse.ts';
import { fixText } from '../../lint/fix.ts';
import type { Fix, LintMessage } from '../../lint/message.ts';
import { formatSource } from '../../lint/rewrite/format-source.ts';
import type { ParseResult } from '../../protocol/model.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { type LintConfigOptions, lint } from '../lint/lint.ts';

/** A document as an editor's answers need it. */
export interface EditorReading {
  parsed: ParseResult;
  /** Prose gets no lenses and is never formatted. */
  isProtocol: boolean;
}

export async function readForEditor({ text, path }: EditorFile): Promise<EditorReading> {
  const parsed = await parseProtocol(text, path === null ? {} : { path });
  return { parsed, isProtocol: isProtocol(parsed) };
}

/** What kairos knows a file as. */
export type EditorFileKind =
  | 'protocol'
  | 'policy'
  | 'policy-cases'
  | 'hold'
  | 'config'
  | 'answers'
  | 'inputs';

/** What is wrong at a place, for an editor. Offsets of the text. */
export interface EditorFinding {
  range: [from: number, to: number];
  severity: 'error' | 'warning' | 'info';
  rule: string;
  message: string;
  /** The rule's page. */
  url: string | null;
  fix: Fix | null;
}

/** A file as an editor has it open. */
export interface EditorFile {
  text: string;
  /** Absolute; null for a text that isn't on disk. */
  path: string | null;
  /** Of the same text, where it was parsed before. */
  parsed?: ParseResult;
}

/** What a file is, by its name; null for a file that kairos doesn't read. */
export function fileKind(path: string): EditorFileKind | null {
  const name = basename(path).toLowerCase();
  if (/\.(?:md|markdown|mdc)$/.test(name)) return 'protocol';
  if (/^hold\.ya?ml$/.test(name)) return 'hold';
  if (/^kairos\.config\.(?:ya?ml|json)$/.test(name)) return 'config';
  if (/(?:^|\.)(?:kairos\.)?policy\.ya?ml$/.test(name)) return 'policy';
  if (/\.cases\.ya?ml$/.test(name)) return 'policy-cases';
  const [, kind] = /(?:^|\.)(answers|inputs)\.(?:ya?ml|json)$/.exec(name) ?? [];
  return (kind as 'answers' | 'inputs' | undefined) ?? null;
}

/**
 * The findings of a file: of a markdown document those of `kairos lint`, by the same configuration and directives; of a policy or
 * hold list what `kairos` would refuse. Prose has none. Throws KairosError for a configuration that can't be used.
 */
export async function checkFile(
  file: EditorFile,
  kind: EditorFileKind,
  options: LintConfigOptions,
  cwd: string,
): Promise<EditorFinding[]> {
  if (kind === 'policy' || kind === 'hold') {
    const { checkSettings } = await import('./in-yaml.ts');
    const rule = kind === 'policy' ? 'policy-unusable' : 'hold-unusable';
    return (await checkSettings(file.text, kind)).map(
      (fault): EditorFinding => ({ ...fault, severity: 'error', rule, url: null, fix: null }),
    );
  }
  if (kind !== 'protocol') return [];
  const messages = await lintText(file, options, cwd);
  return messages.map(({ place, severity, ruleId, reason, note, url, fix = null }) => ({
    range: [place.start.offset, place.end.offset],
    severity,
    rule: ruleId,
    message: note === undefined ? reason : `${reason}\n${note}`,
    url,
    fix,
  }));
}

async function lintText(
  { text, path, parsed }: EditorFile,
  options: LintConfigOptions,
  cwd: string,
): Promise<LintMessage[]> {
  const document = { name: path ?? undefined, file: path, isNamed: false, read: () => text };
  const documents = [parsed === undefined ? document : { ...document, parsed }];
  const input = { documents, ignored: 0, failures: [], notices: [], folders: [], stdin: null };
  const settings = { ...options, inlineConfig: true, fingerprints: false, fix: null };
  try {
    const { report } = await lint(input, settings, path === null ? cwd : dirname(path));
    return report.results[0]?.messages ?? [];
  } catch (error) {
    // A file that the configuration ignores.
    if (error instanceof KairosError && error.code === 'USAGE') return [];
    throw error;
  }
}

/** A file with every safe fix; the text itself without one. */
export async function fixFile(file: EditorFile, options: LintConfigOptions, cwd: string): Promise<string> {
  const { text } = await fixText(
    file.text,
    (each) => lintText({ text: each, path: file.path }, options, cwd),
    { unsafe: false },
  );
  return text;
}

/** A protocol in its canonical form; null for a document with errors, which is left alone. `turn`: see `formatSource`. */
export async function formatProtocol(
  parsed: ParseResult,
  turn: () => Promise<unknown>,
): Promise<string | null> {
  if (parsed.messages.some(({ severity }) => severity === 'error')) return null;
  return formatSource(parsed, turn);
}
