import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CompletionItem,
  CompletionItemKind,
  type DocumentSymbol,
  MarkupKind,
  type Range,
  SymbolKind,
  type TextEdit,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { packageFile } from '../../../base/package-root.ts';
import { type EditorFileKind, type EditorFinding, fileKind } from '../../../operations/editor/check.ts';
import type { OutlineEntry } from '../../../operations/editor/outline.ts';
import type { Suggestion } from '../../../operations/editor/region.ts';
import type { Place } from '../../../protocol/model.ts';

/** The path of a document; null for one that isn't a file of this machine. */
export function pathOf(uri: string): string | null {
  if (!uri.startsWith('file:')) return null;
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

/** What a document is: by its name, or a protocol if an editor calls a document without a file markdown. */
export function documentKind({ uri, languageId }: TextDocument): EditorFileKind | null {
  const path = pathOf(uri);
  return path === null && languageId === 'markdown' ? 'protocol' : fileKind(path ?? uri);
}

const SEVERITIES = { error: 1, warning: 2, info: 3 } as const;

export function diagnosticOf(document: TextDocument, finding: EditorFinding) {
  return {
    range: rangeOf(document, finding.range),
    severity: SEVERITIES[finding.severity],
    source: 'kairos',
    code: finding.rule,
    message: finding.message,
    ...(finding.url === null
      ? {}
      : { codeDescription: { href: pathToFileURL(packageFile(finding.url)).href } }),
  };
}

export function rangeOf(document: TextDocument, [from, to]: readonly [number, number]) {
  return { start: document.positionAt(from), end: document.positionAt(to) };
}

/** The range of a place: editors count lines and UTF-16 units from 0. */
export function rangeAt({ start, end }: Place): Range {
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}

const ITEM_KINDS = {
  key: CompletionItemKind.Property,
  value: CompletionItemKind.Value,
  word: CompletionItemKind.Keyword,
  name: CompletionItemKind.Variable,
};

export function completionItem(
  document: TextDocument,
  { label, kind, documentation, insert, range }: Suggestion,
): CompletionItem {
  return {
    label,
    kind: ITEM_KINDS[kind],
    documentation: { kind: MarkupKind.Markdown, value: documentation },
    // Editors compare with what is written, quotes included.
    filterText: insert,
    textEdit: { range: rangeOf(document, range), newText: insert },
  };
}

const SYMBOL_KINDS = { chain: SymbolKind.Class, section: SymbolKind.Property, step: SymbolKind.Method };

export function symbolOf({ name, detail, kind, place, labelPlace, children }: OutlineEntry): DocumentSymbol {
  return {
    name,
    ...(detail === undefined ? {} : { detail }),
    kind: SYMBOL_KINDS[kind],
    range: rangeAt(place),
    selectionRange: rangeAt(labelPlace),
    ...(children === undefined ? {} : { children: children.map(symbolOf) }),
  };
}

/** The smallest edit from one text to another; none where they are the same. */
export function editsBetween(document: TextDocument, before: string, after: string): TextEdit[] {
  if (before === after) return [];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const newText = after.slice(start, after.length - end);
  return [{ range: rangeOf(document, [start, before.length - end]), newText }];
}
