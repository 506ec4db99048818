import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CodeAction,
  type CodeLens,
  type CompletionItem,
  createProtocolConnection,
  type Diagnostic,
  type DocumentSymbol,
  type Hover,
  type Location,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
} from 'vscode-languageserver/node';
import { type CliHome, kairos, type Launched, launchKairos, makeHome } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** An editor as a script: it opens documents, types, and asks. */
class Editor {
  readonly #connection: ProtocolConnection;
  readonly #published = new Map<string, Diagnostic[][]>();
  readonly #waiting: (() => void)[] = [];
  readonly messages: string[] = [];
  readonly server: Launched;
  #version = 1;

  constructor(server: Launched) {
    this.server = server;
    this.#connection = createProtocolConnection(
      new StreamMessageReader(server.output),
      new StreamMessageWriter(server.stdin),
    );
    this.#connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => {
      this.#published.set(uri, [...(this.#published.get(uri) ?? []), diagnostics]);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.#connection.onNotification('window/showMessage', ({ message }) => void this.messages.push(message));
    this.#connection.listen();
  }

  async start(textDocument: object = {}): Promise<Record<string, unknown>> {
    const capabilities = { textDocument: { definition: {}, ...textDocument } };
    const params = { processId: null, rootUri: null, capabilities };
    const { capabilities: can } = await this.ask<{ capabilities: Record<string, unknown> }>(
      'initialize',
      params,
    );
    this.tell('initialized', {});
    return can;
  }

  ask<T>(method: string, params: unknown): Promise<T> {
    return this.#connection.sendRequest(method, params) as Promise<T>;
  }

  tell(method: string, params: unknown): void {
    void this.#connection.sendNotification(method, params);
  }

  open(name: string, text: string): string {
    const uri = name.includes(':') ? name : pathToFileURL(join(home.work, name)).href;
    const languageId = name.endsWith('.yaml') ? 'yaml' : 'markdown';
    this.tell('textDocument/didOpen', { textDocument: { uri, languageId, version: this.#version, text } });
    return uri;
  }

  type(uri: string, line: number, character: number, text: string): void {
    this.#version += 1;
    const at = { line, character };
    const contentChanges = [{ range: { start: at, end: at }, text }];
    this.tell('textDocument/didChange', { textDocument: { uri, version: this.#version }, contentChanges });
  }

  /** The findings that were published last, once there are `count` publications of them. */
  async findings(uri: string, count = 1): Promise<Diagnostic[]> {
    while ((this.#published.get(uri)?.length ?? 0) < count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#published.get(uri)!.at(-1)!;
  }

  async end(): Promise<number | null> {
    await this.ask('shutdown', undefined);
    this.tell('exit', undefined);
    return (await this.server.exit).code;
  }
}

const DOCUMENT = `---
slug: drain-a-host
inputs:
  TARGET_HOST:
    description: Host to drain
---
# Drain a host

Take a host out of service.

## Natural Language Triggers

- "drain the host"

## Drain it

Drain {{TARGET_HOST}}.

\`\`\`sh proof timeout=5m
drain "$TARGET_HOST"
\`\`\`

## Look at it

Write down what you see.

\`\`\`json
{"proof_of_work": {"type": "comment", "comment": {"min_length": 20}}}
\`\`\`

## Completion Rule

The host is out of service.
`;

/** The document with a cursor where `before` ends, for a question at that place. */
function at(text: string, before: string, more = 0): { line: number; character: number } {
  const lines = text.slice(0, text.indexOf(before) + before.length + more).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)!.length };
}

async function openEditor(...args: string[]): Promise<Editor> {
  const editor = new Editor(await launchKairos(home, ['lsp', ...args]));
  await editor.start();
  return editor;
}

const labels = (items: CompletionItem[]) => items.map(({ label }) => label);

describe('kairos lsp', () => {
  it('lists what it can do and ends with 0 after shutdown, 1 without', async () => {
    const editor = new Editor(await launchKairos(home, ['lsp', '--stdio']));
    expect(await editor.start()).toMatchObject({
      textDocumentSync: { change: 2 },
      hoverProvider: true,
      definitionProvider: true,
      codeLensProvider: { resolveProvider: true },
    });
    expect(await editor.end()).toBe(0);
    const gone = await launchKairos(home, ['lsp']);
    gone.stdin.end();
    expect((await gone.exit).code).toBe(1);
  });

  it('publishes the findings of lint, again after each change, and none for prose', async () => {
    const editor = await openEditor();
    const uri = editor.open('a.md', DOCUMENT.replace('"min_length"', '"min_lenght"'));
    const [finding] = await editor.findings(uri);
    expect(finding).toMatchObject({
      source: 'kairos',
      code: 'block-unknown-key',
      severity: 1,
      range: { start: { line: 27 } },
      codeDescription: { href: expect.stringContaining('block-unknown-key') },
    });
    const { line, character } = finding!.range.start;
    const change = {
      start: { line, character },
      end: { line, character: character + '"min_lenght"'.length },
    };
    editor.tell('textDocument/didChange', {
      textDocument: { uri, version: 9 },
      contentChanges: [{ range: change, text: '"min_length"' }],
    });
    expect(await editor.findings(uri, 2)).toEqual([]);
    expect(await editor.findings(editor.open('prose.md', '# Notes\n\n## One\n\nText.\n'))).toEqual([]);
    const unsaved = editor.open('untitled:Untitled-1', DOCUMENT.replace('"min_length"', '"min_lenght"'));
    expect((await editor.findings(unsaved)).map(({ code }) => code)).toContain('block-unknown-key');
    await editor.end();
  });

  it('follows the configuration of the folder, and shows one that cannot be used', async () => {
    const text = DOCUMENT.replace('timeout=5m', '');
    writeFileSync(join(home.work, 'kairos.config.yaml'), 'lint: {rules: {timeout-missing: error}}\n');
    const editor = await openEditor();
    const uri = editor.open('a.md', text);
    expect(await editor.findings(uri)).toMatchObject([{ code: 'timeout-missing', severity: 1 }]);
    writeFileSync(join(home.work, 'kairos.config.yaml'), 'lint: {rules: {timeout-missing: off}}\n');
    editor.tell('textDocument/didSave', { textDocument: { uri } });
    expect(await editor.findings(uri, 2)).toEqual([]);
    writeFileSync(join(home.work, 'kairos.config.yaml'), 'lint: {rulez: {}}\n');
    editor.tell('workspace/didChangeWatchedFiles', { changes: [] });
    expect(await editor.findings(uri, 3)).toEqual([]);
    expect(editor.messages).toEqual([expect.stringContaining('did you mean rules?')]);
    await editor.end();
  });

  it('offers fixes that lint would make, one by one and all together', async () => {
    const text = DOCUMENT.replace(
      '{"proof_of_work": {"type": "comment", ',
      '{"challenge": {"type": "comment", ',
    );
    const editor = await openEditor();
    const uri = editor.open('a.md', text);
    const [finding] = await editor.findings(uri);
    const actions = await editor.ask<CodeAction[]>('textDocument/codeAction', {
      textDocument: { uri },
      range: finding!.range,
      context: { diagnostics: [finding] },
    });
    expect(actions.map(({ kind }) => kind)).toEqual(['quickfix', 'source.fixAll.kairos']);
    expect(actions[0]).toMatchObject({ title: 'Fix legacy-challenge-key', isPreferred: true });
    expect(actions[0]!.edit!.changes![uri]).toMatchObject([
      { newText: expect.stringContaining('proof_of_work') },
    ]);
    await editor.end();
  });

  it('leaves the edits of fixing everything to an editor that asks for them later', async () => {
    const text = DOCUMENT.replace('"proof_of_work"', '"challenge"');
    const editor = new Editor(await launchKairos(home, ['lsp']));
    await editor.start({ codeAction: { resolveSupport: { properties: ['edit'] } } });
    const uri = editor.open('a.md', text);
    const [finding] = await editor.findings(uri);
    const ask = (context: object) =>
      editor.ask<CodeAction[]>('textDocument/codeAction', {
        textDocument: { uri },
        range: finding!.range,
        context: { diagnostics: [], ...context },
      });
    const [, later] = await ask({});
    expect(later).toMatchObject({ kind: 'source.fixAll.kairos', data: { uri } });
    expect(later!.edit).toBeUndefined();
    const [now] = await ask({ only: ['source.fixAll'] });
    expect(now!.edit!.changes![uri]).toMatchObject([{ newText: expect.stringContaining('proof_of_work') }]);
    expect(await editor.ask('codeAction/resolve', later)).toEqual(now);
    expect(await ask({ only: ['refactor'] })).toEqual([]);
    await editor.end();
  });

  it('formats a protocol, and nothing else', async () => {
    const editor = await openEditor();
    const ask = (uri: string) =>
      editor.ask<TextEdit[]>('textDocument/formatting', {
        textDocument: { uri },
        options: { tabSize: 2, insertSpaces: true },
      });
    const [edit] = await ask(editor.open('a.md', DOCUMENT));
    expect(edit!.newText).toContain('"min_length": 20');
    const rejected = ask(editor.open('b.md', DOCUMENT.replace('"type"', '"tipe"')));
    await expect(rejected).rejects.toThrow('fix the errors first');
    expect(await ask(editor.open('prose.md', '# Notes\n\nText  \n'))).toEqual([]);
    await editor.end();
  });

  it.each([
    ['it formats a document', 'textDocument/formatting', ' '],
    // A tab makes remark read a section.
    ['remark reads a document', 'textDocument/documentSymbol', '\t'],
  ])('answers other questions while %s', async (_name, method, odd) => {
    const part = (at: number) =>
      `## Part ${at}\n\nDo${odd}it.\n\n\`\`\`json\n{"proof_of_work": {"type": "comment"}}\n\`\`\`\n\n`;
    const text = `# Long\n\n${Array.from({ length: 120 }, (_, at) => part(at)).join('')}`;
    const editor = await openEditor();
    const uri = editor.open('long.md', text);
    const order: string[] = [];
    const ask = async (asked: string, params: object) => {
      const answer = await editor.ask(asked, { textDocument: { uri }, ...params });
      order.push(asked);
      return answer;
    };
    const slow = ask(method, { options: { tabSize: 2, insertSpaces: true } });
    const hover = ask('textDocument/hover', { position: at(text, '"type": "comm') });
    expect(await hover).toMatchObject({ contents: { value: expect.stringContaining('Kind of the proof') } });
    expect(await slow).toEqual(expect.arrayContaining([expect.anything()]));
    expect(order).toEqual(['textDocument/hover', method]);
    await editor.end();
  });

  it('returns no edits for a text that changed while it was formatted', async () => {
    const editor = await openEditor();
    const uri = editor.open('a.md', DOCUMENT);
    const options = { tabSize: 2, insertSpaces: true };
    const rejected = editor.ask('textDocument/formatting', { textDocument: { uri }, options });
    editor.type(uri, 8, 0, 'Now ');
    await expect(rejected).rejects.toMatchObject({ code: -32_801 });
    await editor.end();
  });

  it.each([
    [
      'keys of a step block',
      '"comment", "comment": {',
      0,
      ['min_length'],
      DOCUMENT.replace('"min_length": 20', ''),
    ],
    ['kinds of a proof', '"type": "', 0, ['shell', 'mcp', 'user_input', 'comment'], DOCUMENT],
    [
      'words of the shorthand',
      'timeout=5m ',
      0,
      ['exit=', 'workdir=', 'env='],
      DOCUMENT.replace('=5m', '=5m '),
    ],
    [
      'keys of the frontmatter',
      'slug: drain-a-host\n',
      0,
      ['version', 'tags'],
      DOCUMENT.replace('a-host\n', 'a-host\n\n'),
    ],
    [
      'keys of an input',
      'Host to drain\n    ',
      0,
      ['pattern', 'choices', 'type', 'default', 'secret'],
      DOCUMENT.replace('to drain\n', 'to drain\n    \n'),
    ],
    ['inputs in text', 'Drain {{', 0, ['TARGET_HOST'], DOCUMENT],
    ['inputs in a command', 'drain "$', 0, ['TARGET_HOST'], DOCUMENT],
    [
      'languages of a fence',
      'what you see.\n\n```',
      0,
      ['sh proof', 'yaml', 'json'],
      DOCUMENT.replace('```json', '```'),
    ],
    ['nothing in text', 'Take a ', 0, [], DOCUMENT],
  ])('completes %s', async (_name, before, more, expected, text) => {
    const editor = await openEditor();
    const uri = editor.open('a.md', text);
    const position = at(text, before, more);
    const items = await editor.ask<CompletionItem[]>('textDocument/completion', {
      textDocument: { uri },
      position,
    });
    if (expected.length === 0) expect(items).toEqual([]);
    else expect(labels(items)).toEqual(expect.arrayContaining(expected));
    for (const { documentation } of items) expect(documentation).toMatchObject({ kind: 'markdown' });
    await editor.end();
  });

  it.each([
    ['kairos.policy.yaml', 'version: 1\nrules:\n  - ', 'approval_class'],
    ['hold.yaml', 'holds:\n  - match: {command: git push}\n    allow_when: ', 'attested'],
    ['hold.yaml', 'holds:\n  - match: {', 'tool'],
    ['kairos.config.yaml', 'lint:\n  rules:\n    step-without-proof: ', 'off'],
  ])('completes %s', async (name, text, expected) => {
    const editor = await openEditor();
    const uri = editor.open(name, text);
    const position = at(text, text);
    const items = await editor.ask<CompletionItem[]>('textDocument/completion', {
      textDocument: { uri },
      position,
    });
    expect(labels(items)).toContain(expected);
    await editor.end();
  });

  it('reports what makes a policy or hold list unusable, at its place', async () => {
    const editor = await openEditor();
    const hold = editor.open(
      'hold.yaml',
      'holds:\n  - match: {command: git push}\n    protocol: Not A Slug\n',
    );
    expect(await editor.findings(hold)).toMatchObject([
      { code: 'hold-unusable', range: { start: { line: 2 } }, message: expect.stringContaining('slug') },
    ]);
    const policy = editor.open('kairos.policy.yaml', 'version: 1\nrulez: []\n');
    expect(await editor.findings(policy)).toMatchObject(
      [{ code: 'policy-unusable', severity: 1 }, {}].slice(0, 1),
    );
    await editor.end();
  });

  it.each([
    ['a key', '"min_len', 'grapheme clusters'],
    ['a value of a list', '"type": "comm', 'Kind of the proof'],
    ['a word of the shorthand', 'proof time', 'Time limit in seconds'],
    ['a key of the frontmatter', '\nsl', 'Name of the protocol'],
    ['an input', 'Drain {{TARGET', 'Host to drain'],
  ])('explains %s', async (_name, before, expected) => {
    const editor = await openEditor();
    const uri = editor.open('a.md', DOCUMENT);
    const position = at(DOCUMENT, before);
    const hover = await editor.ask<Hover>('textDocument/hover', { textDocument: { uri }, position });
    expect(hover.contents).toMatchObject({ value: expect.stringContaining(expected) });
    await editor.end();
  });

  it('outlines a protocol and goes to what a name declares', async () => {
    const editor = await openEditor();
    const uri = editor.open('a.md', DOCUMENT);
    const [chain] = await editor.ask<DocumentSymbol[]>('textDocument/documentSymbol', {
      textDocument: { uri },
    });
    expect(chain!.name).toBe('Drain a host');
    expect(chain!.children!.map(({ name, detail }) => [name, detail])).toEqual([
      ['Natural Language Triggers', undefined],
      ['1. Drain it', 'shell'],
      ['2. Look at it', 'comment'],
      ['Completion Rule', undefined],
    ]);
    const position = at(DOCUMENT, 'drain "$TARG');
    const found = await editor.ask<Location>('textDocument/definition', { textDocument: { uri }, position });
    expect(found.range).toEqual({ start: { line: 3, character: 2 }, end: { line: 3, character: 13 } });
    await editor.end();
  });

  it('offers to run, lint and show the last run at each chain', async () => {
    const text =
      '# Note it\n\n## Say it\n\nSay what you saw.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```\n';
    const file = join(home.work, 'note.md');
    writeFileSync(file, text);
    const editor = await openEditor();
    const uri = editor.open('note.md', text);
    const lenses = await editor.ask<CodeLens[]>('textDocument/codeLens', { textDocument: { uri } });
    expect(lenses.map(({ command }) => command?.title)).toEqual(['Run', 'Lint', undefined]);
    const resolve = () => editor.ask<CodeLens>('codeLens/resolve', lenses[2]);
    expect((await resolve()).command?.title).toBe('Never run');
    const answers = join(home.work, 'answers.yaml');
    writeFileSync(
      answers,
      'answers: {1: The lamp on the left was dark at noon, closing: It is noted and read}\n',
    );
    await kairos(home, ['run', file, '--answers', answers, '--yes', '--no-input']);
    expect((await resolve()).command?.title).toMatch(/^Last run: (?:success|open)/);
    const perform = (command: string) =>
      editor.ask('workspace/executeCommand', { command, arguments: [uri, 'note-it'] });
    expect(await perform('kairos.run')).toEqual({ command: `kairos run ${file}` });
    expect(await perform('kairos.lint')).toEqual({ findings: expect.any(Number) });
    expect(await perform('kairos.showLastRun')).toEqual({
      command: expect.stringMatching(/^kairos runs show [0-9a-f-]{36}$/),
    });
    expect(editor.messages).toHaveLength(3);
    await expect(perform('kairos.erase')).rejects.toThrow('there is no command');
    await expect(
      editor.ask('workspace/executeCommand', { command: 'kairos.run', arguments: null }),
    ).rejects.toThrow('Save the protocol to a file first');
    await editor.end();
  });
});
