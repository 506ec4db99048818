import {
  createConnection,
  type InitializeParams,
  type InitializeResult,
  MessageType,
  ShowMessageNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { KairosError } from '../../../base/errors.ts';
import { VERSION } from '../../../base/package-root.ts';
import { checkFile, type EditorFinding } from '../../../operations/editor/check.ts';
import type { Handler } from '../../command.ts';
import { openHost } from '../../context.ts';
import { answerQuestions, type LspCall, type LspOptions, type LspSession } from './answers.ts';
import { diagnosticOf, documentKind, pathOf } from './convert.ts';

/** Findings of a document, for the version of its text that they are about. */
interface Checked {
  version: number;
  findings: EditorFinding[];
}

/** How long after the last keystroke a document is checked at least, in milliseconds; longer for a slow one. */
const PAUSE = 120;

/** `kairos lsp`: serves one editor on standard input and output. Ends with 0 after `shutdown`, else with 1. */
export const lspCommand: Handler<[], LspOptions> = async (call) => {
  const { io } = call;
  const { space } = await openHost(call);
  const reader = new StreamMessageReader(io.stdin);
  const writer = new StreamMessageWriter(io.stdout);
  return new Promise<number>((resolve) => {
    const watchDog = { shutdownReceived: false, initialize: () => undefined, exit: () => end() };
    const connection = createConnection(
      (logger) => createProtocolConnection(reader, writer, logger),
      watchDog,
    );
    const documents = new TextDocuments(TextDocument);
    const session = openSession(call, connection, documents, space);
    const end = () => {
      session.close();
      // An editor may keep the pipe open after `exit`; reading on would keep the process alive.
      io.stdin.pause();
      resolve(watchDog.shutdownReceived ? 0 : 1);
    };
    io.stdin.once('end', end);
    connection.onInitialize((params) => {
      const { codeAction } = params.capabilities.textDocument ?? {};
      session.resolvesEdits = codeAction?.resolveSupport?.properties.includes('edit') ?? false;
      return initialized(params);
    });
    answerQuestions(session);
    documents.listen(connection);
    connection.listen();
  });
};

function initialized({ capabilities }: InitializeParams): InitializeResult {
  const canLink = capabilities.textDocument?.definition !== undefined;
  return {
    serverInfo: { name: 'kairos', version: VERSION },
    capabilities: {
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
      completionProvider: { triggerCharacters: ['"', ':', ' ', '{', '$', '`'] },
      hoverProvider: true,
      documentSymbolProvider: true,
      documentFormattingProvider: true,
      codeActionProvider: { codeActionKinds: ['quickfix', 'source.fixAll.kairos'], resolveProvider: true },
      codeLensProvider: { resolveProvider: true },
      executeCommandProvider: { commands: ['kairos.run', 'kairos.lint', 'kairos.showLastRun'] },
      ...(canLink ? { definitionProvider: true } : {}),
    },
  };
}

function openSession(
  call: LspCall,
  connection: LspSession['connection'],
  documents: TextDocuments<TextDocument>,
  space: string,
): LspSession & { close(): void } {
  const timers = new Map<string, NodeJS.Timeout>();
  const checked = new Map<string, Checked>();
  const complained = new Set<string>();
  let isClosed = false;
  const check = async (document: TextDocument): Promise<EditorFinding[]> => {
    const { uri, version } = document;
    const known = checked.get(uri);
    if (known?.version === version) return known.findings;
    const path = pathOf(uri);
    const kind = documentKind(document);
    let findings: EditorFinding[] = [];
    try {
      if (kind !== null)
        findings = await checkFile({ text: document.getText(), path }, kind, call.options, call.io.cwd);
      complained.clear();
    } catch (error) {
      // A configuration that can't be used: the editor shows it once, and no findings.
      if (!(error instanceof KairosError)) throw error;
      const { message } = error;
      if (!complained.has(message))
        void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Error, message });
      complained.add(message);
    }
    if (documents.get(uri)?.version === version) checked.set(uri, { version, findings });
    return findings;
  };
  let took = 0;
  const publish = async (document: TextDocument) => {
    const begun = call.io.now();
    const findings = await check(document);
    took = call.io.now() - begun;
    if (isClosed || documents.get(document.uri)?.version !== document.version) return;
    const diagnostics = findings.map((finding) => diagnosticOf(document, finding));
    await connection.sendDiagnostics({ uri: document.uri, version: document.version, diagnostics });
  };
  const later = (document: TextDocument, pause: number) => {
    clearTimeout(timers.get(document.uri));
    const work = () =>
      publish(document).catch((error: Error) => {
        if (!isClosed) connection.console.error(String(error.stack));
      });
    timers.set(document.uri, setTimeout(work, pause));
  };
  documents.onDidChangeContent(({ document }) =>
    later(document, checked.has(document.uri) ? Math.max(PAUSE, 2 * took) : 0),
  );
  const again = () => {
    checked.clear();
    for (const document of documents.all()) later(document, 0);
  };
  // What is on disk decides too: the configuration, and what links lead to.
  documents.onDidSave(again);
  connection.onDidChangeWatchedFiles(again);
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(timers.get(uri));
    checked.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  const close = () => {
    isClosed = true;
    for (const timer of timers.values()) clearTimeout(timer);
  };
  return { call, connection, documents, space, resolvesEdits: false, check, publish, close };
}
