import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CodeAction,
  CodeActionKind,
  type CodeLens,
  type Connection,
  ErrorCodes,
  LSPErrorCodes,
  MarkupKind,
  MessageType,
  type Range,
  ResponseError,
  ShowMessageNotification,
  type TextDocuments,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { plainCommand } from '../../../base/command-line.ts';
import { helpAt, suggestions } from '../../../operations/editor/assist.ts';
import {
  type EditorFinding,
  type EditorReading,
  fixFile,
  formatProtocol,
} from '../../../operations/editor/check.ts';
import { declarationAt, lensesOf, namesOf, outlineOf } from '../../../operations/editor/outline.ts';
import type { LintConfigOptions } from '../../../operations/lint/lint.ts';
import type { Call } from '../../command.ts';
import { withContext } from '../../context.ts';
import { CANCELLED } from './connection.ts';
import {
  completionItem,
  diagnosticOf,
  documentKind,
  editsBetween,
  pathOf,
  rangeAt,
  rangeOf,
  symbolOf,
} from './messages.ts';

export interface LspOptions extends LintConfigOptions {
  /** Editors pass it. No other transport exists. */
  stdio?: boolean;
}

export type LspCall = Call<[], LspOptions>;

/** What the answers of a session are made from. */
export interface LspSession {
  call: LspCall;
  connection: Connection;
  documents: TextDocuments<TextDocument>;
  space: string;
  /** Whether the editor can ask for the edits of a code action when it is chosen. */
  resolvesEdits: boolean;
  /** A protocol's present text, parsed once for all answers. */
  read(document: TextDocument): Promise<EditorReading>;
  /** The newest reading of a protocol there is, of an earlier text too: an answer while typing doesn't wait for a whole document. */
  newest(document: TextDocument): Promise<EditorReading>;
  /** The findings of a document's present text. */
  check(document: TextDocument): Promise<EditorFinding[]>;
  /** Checks a document and sends its findings to the editor. */
  publish(document: TextDocument): Promise<void>;
}

/** Registers a handler for each question of an editor. */
export function answerQuestions(session: LspSession): void {
  const { connection, documents, space, read } = session;
  const open = (uri: string) => {
    const document = documents.get(uri);
    const kind = document === undefined ? null : documentKind(document);
    return document === undefined || kind === null ? null : { document, kind, text: document.getText() };
  };
  const names = (document: TextDocument, kind: string) => async () =>
    kind === 'protocol' ? namesOf((await session.newest(document)).parsed) : [];

  connection.onCompletion(async ({ textDocument, position }) => {
    const file = open(textDocument.uri);
    if (file === null) return [];
    const { document, kind, text } = file;
    const found = await suggestions(text, document.offsetAt(position), kind, names(document, kind));
    return found.map((each) => completionItem(document, each));
  });
  connection.onHover(async ({ textDocument, position }) => {
    const file = open(textDocument.uri);
    if (file === null) return null;
    const { document, kind, text } = file;
    const help = await helpAt(text, document.offsetAt(position), kind, names(document, kind));
    if (help === null) return null;
    const contents = { kind: MarkupKind.Markdown, value: help.markdown };
    return { contents, range: rangeOf(document, help.range) };
  });
  connection.onDocumentSymbol(async ({ textDocument }) => {
    const file = open(textDocument.uri);
    if (file?.kind !== 'protocol') return [];
    return outlineOf((await read(file.document)).parsed).map(symbolOf);
  });
  connection.onDefinition(async ({ textDocument, position }) => {
    const file = open(textDocument.uri);
    if (file?.kind !== 'protocol') return null;
    const { parsed } = await read(file.document);
    const found = declarationAt(parsed, file.document.offsetAt(position), space);
    return found === null ? null : { uri: textDocument.uri, range: rangeOf(file.document, found) };
  });
  connection.onDocumentFormatting(async ({ textDocument }, token) => {
    const file = open(textDocument.uri);
    if (file?.kind !== 'protocol') return [];
    const { document, text } = file;
    const { version } = document;
    const { parsed, isProtocol } = await read(document);
    if (!isProtocol) return [];
    const turn = async () => {
      await nextTurn();
      if (token.isCancellationRequested) throw CANCELLED;
      if (document.version !== version)
        throw new ResponseError(LSPErrorCodes.ContentModified, 'the document changed while it was formatted');
    };
    const after = await formatProtocol(parsed, turn);
    await turn();
    if (after === null) {
      const reason = 'kairos leaves a protocol with errors unchanged; fix the errors first';
      return new ResponseError(LSPErrorCodes.RequestFailed, reason);
    }
    return editsBetween(document, text, after);
  });
  connection.onCodeAction(async ({ textDocument, range, context: { only } }) => {
    const file = open(textDocument.uri);
    if (file === null) return [];
    const actions: CodeAction[] = [];
    const wants = (kind: string) =>
      only === undefined || only.some((each) => kind === each || kind.startsWith(`${each}.`));
    if (wants(CodeActionKind.QuickFix)) actions.push(...(await quickFixes(session, file.document, range)));
    const { document } = file;
    if (!wants(FIX_ALL) || file.kind !== 'protocol') return actions;
    if (!(await session.check(document)).some(({ fix }) => fix?.safe)) return actions;
    const title = 'Fix what can be fixed without changing the meaning';
    const action: CodeAction = { title, kind: FIX_ALL, data: { uri: document.uri } };
    // To fix everything, a document is checked more than once: an editor that can asks for it when it is chosen.
    actions.push(session.resolvesEdits && only === undefined ? action : await withEdits(session, action));
    return actions;
  });
  connection.onCodeActionResolve((action) => withEdits(session, action));
  connection.onCodeLens(async ({ textDocument }) => {
    const file = open(textDocument.uri);
    if (file?.kind !== 'protocol') return [];
    const { parsed, isProtocol } = await read(file.document);
    if (!isProtocol) return [];
    return lensesOf(parsed).map(({ action, slug, place }): CodeLens => {
      const lens = { range: rangeAt(place), data: { action, slug, uri: textDocument.uri } };
      return action === 'last-run'
        ? lens
        : { ...lens, command: lensCommand(action, [textDocument.uri, slug]) };
    });
  });
  connection.onCodeLensResolve(async (lens) => {
    const { slug, uri } = lens.data as { slug: string; uri: string };
    const { title } = await lastRun(session, slug);
    return { ...lens, command: { title, command: 'kairos.showLastRun', arguments: [uri, slug] } };
  });
  connection.onExecuteCommand(({ command, arguments: args }) => {
    const [uri = '', slug = ''] = (args ?? []).map(String);
    return perform(session, command, uri, slug);
  });
}

const FIX_ALL = 'source.fixAll.kairos';

/** The action that fixes everything, with its edits. */
async function withEdits({ call, documents }: LspSession, action: CodeAction): Promise<CodeAction> {
  const { uri } = action.data as { uri: string };
  const document = documents.get(uri);
  if (document === undefined) return action;
  const text = document.getText();
  const after = await fixFile({ text, path: pathOf(uri) }, call.options, call.io.cwd);
  return { ...action, edit: { changes: { [uri]: editsBetween(document, text, after) } } };
}

async function quickFixes(
  session: LspSession,
  document: TextDocument,
  { start, end }: Range,
): Promise<CodeAction[]> {
  const from = document.offsetAt(start);
  const to = document.offsetAt(end);
  return (await session.check(document))
    .filter(({ fix, range }) => fix !== null && range[0] <= to && from <= range[1])
    .map((finding): CodeAction => {
      const { fix, rule } = finding;
      const { range, replacement, safe } = fix!;
      return {
        title: safe ? `Fix ${rule}` : `Fix ${rule} (may change the meaning)`,
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnosticOf(document, finding)],
        isPreferred: safe,
        edit: { changes: { [document.uri]: [{ range: rangeOf(document, range), newText: replacement }] } },
      };
    });
}

function lensCommand(action: 'run' | 'lint', args: string[]) {
  return { title: action === 'run' ? 'Run' : 'Lint', command: `kairos.${action}`, arguments: args };
}

/** The newest run of a protocol in words, and the command that shows it. */
async function lastRun({ call }: LspSession, slug: string): Promise<{ title: string; line: string | null }> {
  const { listRuns } = await import('../../../operations/runs.ts');
  return withContext(call, { dryRun: true }, async (ctx) => {
    const [last] = await listRuns(ctx, { isOf: (run) => run.slug === slug, limit: 1 }, call.io.now());
    if (last === undefined) return { title: 'Never run', line: null };
    const { run, passed, steps } = last;
    const state = run.sealedAt === null ? `open, ${passed} of ${steps} steps` : String(run.outcome);
    const title = `Last run: ${state}, ${run.begunAt.slice(0, 16).replace('T', ' ')}`;
    return { title, line: ctx.commandLine(['runs', 'show', run.runId]) };
  });
}

/** A message to the person, which waits for no answer. */
function inform(connection: Connection, message: string): void {
  void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Info, message });
}

/** Commands of code lenses. An editor that has a terminal runs the returned command line there instead. */
async function perform(session: LspSession, command: string, uri: string, slug: string): Promise<unknown> {
  const { connection, documents } = session;
  const document = documents.get(uri);
  if (command === 'kairos.lint' && document !== undefined) {
    await session.publish(document);
    const count = (await session.check(document)).length;
    inform(connection, count === 0 ? 'kairos found nothing.' : `Findings of kairos: ${count}.`);
    return { findings: count };
  }
  if (command === 'kairos.run') {
    const path = pathOf(uri);
    if (path === null && slug === '')
      return new ResponseError(
        LSPErrorCodes.RequestFailed,
        'Save the protocol to a file first, and run that.',
      );
    const chains = document === undefined ? [] : (await session.read(document)).parsed.document.chains;
    const isOne = path !== null && chains.length < 2;
    const line = plainCommand(['run', path ?? slug, ...(path === null || isOne ? [] : ['--chain', slug])]);
    inform(connection, `Run it in a terminal: ${line}`);
    return { command: line };
  }
  if (command === 'kairos.showLastRun') {
    const { title, line } = await lastRun(session, slug);
    inform(connection, line === null ? title : `${title}: ${line}`);
    return { command: line };
  }
  return new ResponseError(ErrorCodes.InvalidParams, `there is no command ${command} for ${uri}`);
}
