import { commands, type ExtensionContext, window, workspace } from 'vscode';
import { LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';

let client: LanguageClient | null = null;

/** Starts `kairos lsp`; runs and shows runs in a terminal. */
export async function activate(context: ExtensionContext): Promise<void> {
  await start();
  context.subscriptions.push(
    commands.registerCommand('kairos.restart', async () => {
      await client?.stop();
      await start();
    }),
  );
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(): Promise<void> {
  const settings = workspace.getConfiguration('kairos');
  const command = settings.get<string>('path') || 'kairos';
  const args = ['lsp', ...settings.get<string[]>('arguments', [])];
  client = new LanguageClient('kairos', 'kairos', { command, args }, options());
  try {
    await client.start();
  } catch (error) {
    void window.showErrorMessage(
      `kairos can't be started as "${command}": ${String(error)}. Set kairos.path.`,
    );
  }
}

/** The YAML files that kairos knows by their names. */
const FILES = [
  '**/*policy.{yaml,yml}',
  '**/hold.{yaml,yml}',
  '**/*.cases.{yaml,yml}',
  '**/kairos.config.{yaml,json}',
  '**/{,*.}{answers,inputs}.{yaml,yml,json}',
];

function options(): LanguageClientOptions {
  return {
    documentSelector: [
      { scheme: 'file', language: 'markdown' },
      { scheme: 'untitled', language: 'markdown' },
      ...FILES.map((pattern) => ({ scheme: 'file', pattern })),
    ],
    synchronize: {
      fileEvents: workspace.createFileSystemWatcher(
        '**/{kairos.config.yaml,kairos.config.json,package.json}',
      ),
    },
    middleware: {
      executeCommand: async (command, args, next) => {
        const result = (await next(command, args)) as { command?: string | null } | null;
        if (command !== 'kairos.lint' && typeof result?.command === 'string') inTerminal(result.command);
        return result;
      },
    },
  };
}

function inTerminal(line: string): void {
  const open = window.terminals.find(({ name, exitStatus }) => name === 'kairos' && exitStatus === undefined);
  const terminal = open ?? window.createTerminal('kairos');
  terminal.show();
  // Ctrl-U removes a command of before that was not run; PowerShell has no such key.
  if (open !== undefined && process.platform !== 'win32') terminal.sendText('\u0015', false);
  // Typed, not run: a person reads the command first and presses Enter.
  terminal.sendText(line, false);
}
