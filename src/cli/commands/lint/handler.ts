import { type FSWatcher, watch as watchFiles } from 'node:fs';
import { KairosError } from '../../../base/errors.ts';
import type { Call, Handler } from '../../command.ts';
import { reportError } from '../../errors.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { lintOnce } from './once.ts';
import { checkCombination, type LintOptions } from './settings.ts';

/**
 * `kairos lint`. Findings go to standard output, or to standard error when a fixed text or a diff is printed
 * there. Anything that prevents a check, internal faults included, ends with 2: 1 always means findings.
 */
export const lintCommand: Handler<[string[]], LintOptions> = async (call) => {
  try {
    return await lint(call);
  } catch (error) {
    await reportError(error, call.output, call.options.debug === true);
    return EXIT.usage;
  }
};

async function lint(call: Call<[string[]], LintOptions>): Promise<number> {
  const { args, options, io, output } = call;
  checkCombination(args[0], options);
  if (options.explain !== undefined) {
    await printRule(options.explain, output);
    return EXIT.ok;
  }
  if (options.printConfig !== undefined) {
    await printConfig(options.printConfig, options, io.cwd, output);
    return EXIT.ok;
  }
  return options.watch ? watch(call) : lintOnce(call);
}

/** Ends with 130 on Ctrl-C, 143 on SIGTERM. A call that can't run even once ends with its error. */
async function watch(call: Call<[string[]], LintOptions>): Promise<number> {
  const { watchSignals } = await import('../../terminal/interrupt.ts');
  const { output } = call;
  const interrupts = watchSignals(call.io.signals);
  let runs = 0;
  try {
    await interrupts.asking((signal) =>
      rerunOnChange(async (onFolders) => {
        runs += 1;
        try {
          await lintOnce(call, { onFolders });
        } catch (error) {
          if (runs === 1) throw error;
          await reportError(error, output, call.options.debug === true);
        }
        if (!output.json) output.note(output.noteColor.dim('Waiting for changes. Press Ctrl-C to end.'));
      }, signal),
    );
    return interrupts.exitCode ?? INTERRUPTED;
  } finally {
    interrupts.dispose();
  }
}

/** 128 + SIGINT. */
const INTERRUPTED = 130;

/** Milliseconds to wait for further changes, because editors write a file in several steps. */
const REST_MS = 100;

const NAMES = /\.md$|^\.gitignore$|^\.kairosignore$|^kairos\.config\.(?:yaml|json)$|^package\.json$/i;

/** Whether a change may change what is found: of a file that is read, or of what may be a folder that came or went. */
function matters(event: string, name: string | null): boolean {
  return name === null || NAMES.test(name) || (event === 'rename' && !name.includes('.', 1));
}

/**
 * Runs work, and runs it again whenever something changes in the folders that it names, until the signal is aborted. A change
 * that comes while it runs counts for the next time.
 */
async function rerunOnChange(
  work: (onFolders: (folders: readonly string[]) => void) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const watchers = new Map<string, FSWatcher>();
  let isDirty = false;
  let wake = () => {};
  const changed = () => {
    isDirty = true;
    wake();
  };
  signal.addEventListener('abort', () => wake(), { once: true });
  const sync = (folders: readonly string[]) => {
    for (const [folder, watcher] of watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) {
      if (!watchers.has(folder)) watchers.set(folder, watchFolder(folder, changed));
    }
  };
  try {
    while (!signal.aborted) {
      isDirty = false;
      await work(sync);
      while (!isDirty && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      await rest(signal);
    }
  } finally {
    for (const watcher of watchers.values()) watcher.close();
  }
}

function watchFolder(folder: string, changed: () => void): FSWatcher {
  try {
    const watcher = watchFiles(folder, (event, name) => {
      if (matters(event, name)) changed();
    });
    // A removed folder counts as a change.
    watcher.on('error', changed);
    return watcher;
  } catch (cause) {
    throw new KairosError('FILE_UNREADABLE', `${folder} cannot be watched: ${(cause as Error).message}`, {
      hint: 'Watch fewer folders, or raise the limit of the system (fs.inotify.max_user_watches on Linux).',
      cause,
    });
  }
}

async function rest(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, REST_MS);
    signal.addEventListener('abort', stop, { once: true });
  });
}

const FIX = {
  safe: 'can be fixed with --fix',
  unsafe: 'can be fixed with --fix --unsafe-fixes; check the changes',
  none: 'must be fixed by hand',
} as const;

/** Prints what a rule reports. Throws USAGE for an unknown rule. */
async function printRule(id: string, output: Output): Promise<void> {
  const { explainRule } = await import('../../../operations/lint/lint.ts');
  const rule = await explainRule(id);
  if (output.json) {
    output.object({ ...rule });
    return;
  }
  const { family, severity, summary, why, fixable, url, examples } = rule;
  const { color } = output;
  const lines = [
    `${color.bold(rule.id)}  ${color.dim(`${family}, ${severity} by default, ${FIX[fixable || 'none']}`)}`,
    '',
    summary,
    '',
    why,
  ];
  for (const { title, source, findings } of examples) {
    const mark = findings.length === 0 ? color.green('accepted') : color.red('found');
    lines.push('', `${mark}  ${title}`, '', ...indented(source));
  }
  lines.push('', color.dim(`See ${url}`));
  output.print(lines.join('\n'));
}

function indented(source: string): string[] {
  return source
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`));
}

/** Shows, as JSON, what is configured for a file, every rule included. */
async function printConfig(name: string, options: LintOptions, cwd: string, output: Output): Promise<void> {
  const { configurationOf } = await import('../../../operations/lint/lint.ts');
  const value = await configurationOf(name, options, cwd);
  if (output.json) output.object(value);
  else output.document(`${JSON.stringify(value, null, 2)}\n`, { json: true });
}
