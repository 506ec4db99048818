import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type InitializeParams,
  type InitializeResult,
  MessageType,
  ShowMessageNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { KairosError } from '../../../base/errors.ts';
import { VERSION } from '../../../base/package-root.ts';
import { helpAt, suggestions } from '../../../operations/editor/assist.ts';
import {
  checkFile,
  type EditorFinding,
  type EditorReading,
  readForEditor,
} from '../../../operations/editor/check.ts';
import { lensesOf, namesOf, outlineOf } from '../../../operations/editor/outline.ts';
import type { Handler } from '../../command.ts';
import { openHost } from '../../context.ts';
import { answerQuestions, type LspCall, type LspOptions, type LspSession } from './answers.ts';
import { openConnection } from './connection.ts';
import { diagnosticOf, documentKind, pathOf } from './messages.ts';

/** Findings of a document, for the version of its text that they are about. */
interface Checked {
  version: number;
  findings: EditorFinding[];
}

/** How long after the last keystroke a document is checked at least, in milliseconds; longer for a slow one. */
const PAUSE = 120;
/** How long after a document is opened it is checked: what the editor asks with it is answered first. */
const FIRST_PAUSE = 20;
/** How long a server without a document waits before it warms up. */
const IDLE = 40;

/** V8 optimises a function eight times later: a first reading gets no faster by it, and waits for it (PERFORMANCE.md). */
const FLAGS = ['--interrupt-budget=1000000'];

/** `kairos lsp`: serves one editor on standard input and output. Ends with 0 after `shutdown`, else with 1. */
export const lspCommand: Handler<[], LspOptions> = async (call) => {
  const { io } = call;
  io.setEngineFlags?.(FLAGS);
  const { space } = await openHost(call);
  return new Promise<number>((resolve) => {
    const watchDog = { shutdownReceived: false, initialize: () => undefined, exit: () => end() };
    let isOver = false;
    const connection = openConnection(io, watchDog, () => isOver);
    const documents = new TextDocuments(TextDocument);
    const session = openSession(call, connection, documents, space);
    const end = () => {
      isOver = true;
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
    connection.onInitialized(() => session.practise());
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
      // Every editor must support this one.
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
      completionProvider: { triggerCharacters: ['"', ':', ' ', '{', '$', '`', '='] },
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
): LspSession & { practise(): void; close(): void } {
  const timers = new Map<string, NodeJS.Timeout>();
  const checked = new Map<string, Checked>();
  const complained = new Set<string>();
  let isClosed = false;
  const readings = new WeakMap<TextDocument, { version: number; reading: Promise<EditorReading> }>();
  const read = (document: TextDocument): Promise<EditorReading> => {
    const { uri, version } = document;
    const known = readings.get(document);
    if (known?.version === version) return known.reading;
    const text = document.getText();
    const reading = answered().then(() => readForEditor({ text, path: pathOf(uri) }));
    readings.set(document, { version, reading });
    return reading;
  };
  const newest = (document: TextDocument) => readings.get(document)?.reading ?? read(document);
  const check = async (document: TextDocument): Promise<EditorFinding[]> => {
    const { uri, version } = document;
    const known = checked.get(uri);
    if (known?.version === version) return known.findings;
    const path = pathOf(uri);
    const kind = documentKind(document);
    let findings: EditorFinding[] = [];
    try {
      if (kind === 'protocol') {
        const { parsed } = await read(document);
        // Questions that wait for the same reading are answered before its findings are looked for.
        await answered();
        const file = { text: parsed.document.source, path, parsed };
        findings = await checkFile(file, kind, call.options, call.io.cwd);
      } else if (kind !== null)
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
    later(document, checked.has(document.uri) ? Math.max(PAUSE, 2 * took) : FIRST_PAUSE),
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
  let practice: NodeJS.Timeout | undefined;
  const practise = () => {
    const isIdle = () => !isClosed && documents.keys().length === 0;
    practice = setTimeout(() => void practiseWhile(isIdle, call.io.cwd), IDLE);
  };
  const close = () => {
    isClosed = true;
    clearTimeout(practice);
    for (const timer of timers.values()) clearTimeout(timer);
  };
  return {
    ...{ call, connection, documents, space, resolvesEdits: false },
    ...{ read, newest, check, publish, practise, close },
  };
}

/** Turns of the event loop in which an answer is written, and others that have arrived are computed. */
const TURNS = 8;

/** Waits until the answers that need no reading are sent. */
async function answered(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}

/** A small protocol with what most have. Its texts differ by the number, because what is known of a text isn't computed again. */
const sample = (at: number) => `---
slug: practice-${at}
inputs:
  TARGET_${at}:
    description: Host ${at}
---
# Practice ${at}

Its text is *short*,${at % 4 === 3 ? '\t' : ' '}see [the notes](https://example.com/${at}).

## Natural Language Triggers

- "practise ${at}"

${Array.from({ length: 12 }, (_, step) => part(at, step)).join('\n')}`;

const part = (at: number, step: number) => `## Part ${step} of ${at}

Do part ${step} with {{TARGET_${at}}} and read **what** it prints.

- one point of it
- another point of it

${
  step % 2 === 0
    ? `\`\`\`sh proof timeout=5m\ntest -e "part-${at}-${step}" && echo "$TARGET_${at}" | grep -q ${step}`
    : `\`\`\`json\n{"proof_of_work": {"type": "shell", "shell": {"cmd": "test -e part-${at}-${step}", "timeout_seconds": 60}}}`
}
\`\`\`
`;

const PRACTICES = 24;

/** Reads and checks small protocols while the server has no document: code that ran often answers quickly. */
async function practiseWhile(isIdle: () => boolean, cwd: string): Promise<void> {
  for (let at = 0; at < PRACTICES && isIdle(); at += 1) {
    const text = sample(at);
    const reading = await readForEditor({ text, path: null });
    const { parsed } = reading;
    await nextTurn();
    await checkFile({ text, path: null, parsed }, 'protocol', { config: false }, cwd);
    await nextTurn();
    const names = async () => namesOf(parsed);
    for (const word of ['slug:', 'proof timeout', 'TARGET_', '"type"', '"cmd"']) {
      const offset = text.lastIndexOf(word) + 1;
      await helpAt(text, offset, 'protocol', names);
      await suggestions(text, offset, 'protocol', names);
    }
    outlineOf(parsed);
    lensesOf(parsed);
    await nextTurn();
  }
}
