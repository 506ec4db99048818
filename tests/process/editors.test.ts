import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { readToml } from '../../src/formats/toml.ts';
import { KAIROS_BIN, makeHome } from '../support/cli.ts';

const EDITORS = fileURLToPath(new URL('../../editors/', import.meta.url));
const DOCUMENT = `# Drain a host

Take a host out of service.

## Natural Language Triggers

- "drain the host"

## Drain it

Drain the host.

\`\`\`sh proof timeout=5m 
drain --host one
\`\`\`

## Look at it

Write down what you see.

\`\`\`json
{"challenge": {"type": "comment", "comment": {"min_length": 20}}}
\`\`\`

## Completion Rule

The host is out of service.
`;

interface Answers {
  fault?: string;
  findings: string[];
  completion: string[];
  hover: string;
  outline: string[];
  fixed: string;
  formatted: string;
  lenses: number;
  terminal: string;
}

const hasNeovim = spawnSync('nvim', ['--version']).status === 0;

it.skipIf(!hasNeovim)('serves Neovim with the configuration that ships for it', () => {
  const home = makeHome();
  try {
    const file = join(home.work, 'drain.md');
    writeFileSync(file, DOCUMENT);
    const command = JSON.stringify([process.execPath, KAIROS_BIN, 'lsp']);
    const setUp = [`let g:kairos_command=${command}`, `luafile ${EDITORS}neovim/kairos.lua`, 'filetype on'];
    const args = ['--headless', '-u', 'NONE', ...setUp.flatMap((each) => ['--cmd', each]), file];
    const output = execFileSync('nvim', [...args, '-c', `luafile ${EDITORS}neovim/session.lua`], {
      cwd: home.work,
      env: home.env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    const answers = JSON.parse(output) as Answers;
    expect(answers.fault).toBeUndefined();
    expect(answers.findings).toEqual(['legacy-challenge-key']);
    expect(answers.completion).toEqual(['exit=', 'workdir=', 'env=']);
    expect(answers.hover).toContain('Time limit in seconds');
    expect(answers.outline).toEqual([
      'Natural Language Triggers',
      '1. Drain it',
      '2. Look at it',
      'Completion Rule',
    ]);
    expect(answers.fixed).toContain('{"proof_of_work": {"type": "comment"');
    expect(answers.formatted).toContain('  "proof_of_work": {\n    "type": "comment"');
    expect(answers.lenses).toBe(3);
    expect(answers.terminal).toContain('Allow this content to run on this machine as you?');
  } finally {
    home.remove();
  }
});

const loadsEglot =
  '(let ((default-directory "/usr/share/emacs/site-lisp/elpa")) (if (file-directory-p default-directory) (normal-top-level-add-subdirs-to-load-path)) (require (quote eglot)))';
const hasEmacs = spawnSync('emacs', ['-Q', '--batch', '--eval', loadsEglot]).status === 0;

it.skipIf(!hasEmacs)('serves Emacs by Eglot with the configuration that ships for it', () => {
  const home = makeHome();
  try {
    const file = join(home.work, 'drain.md');
    writeFileSync(file, DOCUMENT);
    const command = [process.execPath, KAIROS_BIN, 'lsp'].join('\n');
    const output = execFileSync('emacs', ['-Q', '--batch', '-l', `${EDITORS}emacs/session.el`, file], {
      cwd: home.work,
      env: { ...home.env, KAIROS_COMMAND: command },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 100_000,
    });
    const answers = JSON.parse(output) as Answers;
    expect(answers).toEqual({
      findings: [expect.stringContaining('legacy-challenge-key')],
      completion: ['exit=', 'workdir=', 'env='],
      hover: expect.stringContaining('Time limit in seconds'),
      outline: [
        'Drain a host',
        '1. Drain it',
        '2. Look at it',
        'Natural Language Triggers',
        'Completion Rule',
      ],
      fixed: DOCUMENT.replace('challenge', 'proof_of_work'),
      formatted: expect.stringContaining('  "proof_of_work": {\n    "type": "comment"'),
    });
  } finally {
    home.remove();
  }
});

const hasKakoune = [
  ['kak', '-version'],
  ['kak-lsp', '--version'],
].every(([program, version]) => spawnSync(program!, [version!]).status === 0);

it.skipIf(!hasKakoune)(
  'serves Kakoune by kak-lsp with the configuration that ships for it',
  async () => {
    const home = makeHome();
    const file = join(home.work, 'drain.md');
    writeFileSync(file, DOCUMENT);
    const config = join(home.work, 'config/kak');
    mkdirSync(config, { recursive: true });
    writeFileSync(
      join(config, 'kakrc'),
      `evaluate-commands %sh{kak-lsp}\nsource ${EDITORS}kakoune/kairos.kak\nlsp-enable\n`,
    );
    // The configuration finds kairos on the PATH.
    writeFileSync(join(home.work, 'kairos'), `#!/bin/sh\nexec '${process.execPath}' '${KAIROS_BIN}' "$@"\n`, {
      mode: 0o755,
    });
    const env = {
      ...home.env,
      PATH: `${home.work}:${process.env.PATH}`,
      XDG_CONFIG_HOME: join(home.work, 'config'),
      XDG_RUNTIME_DIR: home.work,
    };
    const session = `kairos-${process.pid}`;
    const editor = spawn('kak', ['-s', session, '-ui', 'json', file], { cwd: home.work, env });
    let shown = '';
    editor.stdout.on('data', (piece: Buffer) => {
      shown += piece.toString();
    });
    const until = async <T>(find: () => T | null | undefined | false): Promise<T> => {
      for (;;) {
        const found = find();
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const command = (line: string) =>
      spawnSync('kak', ['-p', session], { env, input: `evaluate-commands -client client0 %{ ${line} }` });
    const press = (...keys: string[]) => {
      for (const key of keys)
        editor.stdin.write(JSON.stringify({ jsonrpc: '2.0', method: 'keys', params: [key] }));
    };
    /** The texts that the editor shows in a menu or box, of the first that has a text. */
    const shows = async (text: string, act: () => void): Promise<string[]> => {
      const from = shown.length;
      act();
      const line = await until(() =>
        shown
          .slice(from)
          .split('\n')
          .slice(0, -1)
          .find((each) => /"method": "(?:menu|info)_show"/.test(each) && each.includes(text)),
      );
      return Array.from(line.matchAll(/"contents": "((?:[^"\\]|\\.)*)"/g), ([, each]) => each!.trim());
    };
    const option = (name: string) => {
      const out = join(home.work, 'option');
      command(`nop %sh{ printf %s "$kak_opt_${name}" > '${out}' }`);
      return existsSync(out) ? readFileSync(out, 'utf8') : '';
    };
    try {
      await until(() => shown.includes('"draw"'));
      await until(() => option('lsp_diagnostic_warning_count') === '1');
      const hover = await shows('timeout=', () => command('select 13.14,13.14; lsp-hover'));
      expect(hover.join(' ')).toContain('Time limit in seconds');
      const completion = await shows('Keyword', () => press('1', '3', 'g', 'g', 'l', 'i', '<end>', 'e'));
      expect(completion).toEqual(['env=', 'Keyword', 'exit=', 'Keyword']);
      press('<backspace>', '<esc>');
      const actions = await shows('Fix ', () => command('select 22.5,22.5; lsp-code-actions'));
      expect(actions).toEqual([
        'Fix legacy-challenge-key',
        'Fix what can be fixed without changing the meaning',
      ]);
      press('<esc>');
      command('lsp-formatting-sync; write');
      const formatted = await until(
        () => readFileSync(file, 'utf8') !== DOCUMENT && readFileSync(file, 'utf8'),
      );
      expect(formatted).toContain('```sh proof timeout=5m\n');
      expect(formatted).toContain('  "proof_of_work": {\n    "type": "comment"');
    } finally {
      command('kill! 0');
      editor.kill();
      home.remove();
    }
  },
  100_000,
);

/** What Helix reads of a `languages.toml`; it refuses a file with another key in a server. */
interface HelixConfig {
  'language-server': Record<string, { command: string; args: string[] }>;
  language: { name: string; 'language-servers': string[] }[];
}

it('starts the server of the Helix configuration, for markdown and YAML', async () => {
  const read = readToml(readFileSync(`${EDITORS}helix/languages.toml`, 'utf8'));
  if (!('content' in read)) throw new Error(read.message);
  const { 'language-server': servers, language } = read.content as unknown as HelixConfig;
  expect(Object.keys(read.content).sort()).toEqual(['language', 'language-server']);
  expect(language.map(({ name }) => name)).toEqual(['markdown', 'yaml']);
  for (const { 'language-servers': names } of language) expect(names).toContain('kairos');
  expect(Object.keys(servers)).toEqual(['kairos']);
  expect(Object.keys(servers.kairos!).sort()).toEqual(['args', 'command']);
  expect(servers.kairos!.command).toBe('kairos');

  const home = makeHome();
  const server = spawn(process.execPath, [KAIROS_BIN, ...servers.kairos!.args], {
    cwd: home.work,
    env: home.env,
  });
  try {
    const connection = createProtocolConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin),
    );
    connection.listen();
    // As Helix asks: with its name, one folder and diagnostics by pushes.
    const { capabilities } = (await connection.sendRequest('initialize', {
      processId: process.pid,
      clientInfo: { name: 'helix', version: '25.07' },
      rootUri: pathToFileURL(home.work).href,
      workspaceFolders: [{ uri: pathToFileURL(home.work).href, name: 'work' }],
      capabilities: { general: { positionEncodings: ['utf-8', 'utf-32', 'utf-16'] } },
    })) as { capabilities: { positionEncoding?: string; hoverProvider: boolean } };
    // Without one, an editor counts in UTF-16, as kairos does.
    expect(capabilities.positionEncoding ?? 'utf-16').toBe('utf-16');
    expect(capabilities.hoverProvider).toBe(true);
    const published = new Promise<{ diagnostics: { code: string }[] }>((resolve) =>
      connection.onNotification('textDocument/publishDiagnostics', resolve),
    );
    const uri = pathToFileURL(join(home.work, 'drain.md')).href;
    const textDocument = { uri, languageId: 'markdown', version: 0, text: DOCUMENT };
    await connection.sendNotification('textDocument/didOpen', { textDocument });
    expect((await published).diagnostics.map(({ code }) => code)).toEqual(['legacy-challenge-key']);
  } finally {
    server.kill();
    home.remove();
  }
});

it('documents the Helix configuration that ships', () => {
  const shipped = readFileSync(`${EDITORS}helix/languages.toml`, 'utf8');
  const shown = /```toml\n([\s\S]*?)```/.exec(readFileSync(`${EDITORS}../docs/editors.md`, 'utf8'))![1]!;
  expect(shipped.startsWith(shown)).toBe(true);
});

const VSCODE = join(EDITORS, 'vscode');
const readJson = (name: string) =>
  JSON.parse(readFileSync(join(VSCODE, name), 'utf8')) as Record<string, unknown>;

it('locks what packages the Visual Studio Code extension', () => {
  const { name, version, devDependencies } = readJson('package.json');
  const { packages } = readJson('package-lock.json') as { packages: Record<string, Record<string, unknown>> };
  const { '': root, ...installed } = packages;
  expect(root).toMatchObject({ name, version, devDependencies });
  for (const [path, { resolved, integrity }] of Object.entries(installed))
    expect({ path, resolved, integrity }).toEqual({
      path,
      resolved: expect.stringMatching(/^https:\/\/registry\.npmjs\.org\//),
      integrity: expect.stringMatching(/^sha512-/),
    });
});

// After `npm ci` in the folder; .ci/run tries it.
it.skipIf(!existsSync(join(VSCODE, 'node_modules/@vscode/vsce')))(
  'packages the Visual Studio Code extension with the same bytes each time',
  () => {
    const home = makeHome();
    try {
      const pack = (name: string) => {
        const folder = join(home.work, name);
        cpSync(VSCODE, folder, {
          recursive: true,
          filter: (path) => !/node_modules|dist|\.vsix$/.test(path.slice(VSCODE.length)),
        });
        symlinkSync(join(VSCODE, 'node_modules'), join(folder, 'node_modules'));
        execFileSync('npm', ['run', 'package'], { cwd: folder, env: home.env, stdio: 'pipe' });
        return folder;
      };
      const [first, second] = [pack('first'), pack('second')];
      const bytes = readFileSync(join(first, 'kairos-protocols.vsix'));
      expect(bytes.equals(readFileSync(join(second, 'kairos-protocols.vsix')))).toBe(true);
      expect(namesIn(bytes)).toEqual([
        '[Content_Types].xml',
        'extension.vsixmanifest',
        'extension/LICENSE.txt',
        'extension/dist/THIRD_PARTY_NOTICES.txt',
        'extension/dist/extension.js',
        'extension/package.json',
        'extension/readme.md',
      ]);
      const notices = readFileSync(join(first, 'dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
      const bundled = Array.from(notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm), ([, name]) => name);
      expect(bundled).toEqual(expect.arrayContaining(['minimatch', 'semver', 'vscode-languageclient']));
      // The module of the editor, of which any member is there: enough to load the extension.
      const load = `const any = new Proxy(class {}, { get: (target, key) => (key === 'prototype' ? target.prototype : any), apply: () => any });
        const Module = require('module');
        const load = Module._load;
        Module._load = (name, ...rest) => (name === 'vscode' ? any : load(name, ...rest));
        console.log(Object.keys(require('./dist/extension.js')).sort().join());`;
      expect(execFileSync(process.execPath, ['-e', load], { cwd: first, encoding: 'utf8' })).toBe(
        'activate,deactivate\n',
      );
    } finally {
      home.remove();
    }
  },
);

/** The names in a zip archive, from its directory of files. */
function namesIn(zip: Buffer): string[] {
  const names: string[] = [];
  for (let at = zip.indexOf('PK\x01\x02'); at !== -1; at = zip.indexOf('PK\x01\x02', at + 46))
    names.push(zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28)));
  return names.sort();
}
