import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readSource, requireOneStdin, sourceName } from '../../../host/files/read-source.ts';
import type { FileFailure } from '../../../lint/report.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { deleteChains } from '../../../operations/delete.ts';
import { type MintOutput, mint } from '../../../operations/mint.ts';
import { uriOf } from '../../../operations/target.ts';
import { type UpdateInput, update } from '../../../operations/update.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { reportError } from '../../errors.ts';
import { type CliIo, EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';

/**
 * `kairos mint`. Files are independent: a file that fails is reported and the others are still stored. A folder
 * is searched as `kairos lint` does. With `--json` the tool's object for each stored file, one a line.
 */
export const mintCommand: Handler<[string[]], MintOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const [paths] = call.args;
    requireOneStdin(paths);
    const report = (error: unknown) => reportError(error, call.output, call.options.debug === true);
    let worst: number = EXIT.ok;
    let stored = 0;
    const { files, prose, failures } = await filesOf(paths, call);
    for (const { path, reason } of failures)
      worst = Math.max(
        worst,
        await report(
          new KairosError('FILE_UNREADABLE', reason.startsWith(path) ? reason : `${path}: ${reason}`, {
            hint: 'Check the path and its permissions.',
          }),
        ),
      );
    for (const path of files) {
      const code = await mintFile(ctx, call, path, files.length === 1).catch(report);
      if (code === EXIT.ok) stored += 1;
      worst = Math.max(worst, code);
    }
    const count = files.length + failures.length;
    if (!call.output.json && (count !== 1 || prose > 0)) {
      const skipped = prose === 0 ? '' : `, ${prose} ${prose === 1 ? 'file' : 'files'} of prose skipped`;
      call.output.print(`${stored} of ${count} files stored${skipped}`);
    }
    return worst;
  });

/** The files that the arguments name: those of a folder that are protocols, and every other argument itself. */
async function filesOf(paths: readonly string[], { io, output }: Call<[string[]], MintOptions>) {
  const files: string[] = [];
  const failures: FileFailure[] = [];
  let prose = 0;
  for (const path of paths) {
    if (path === '-' || !isFolder(resolve(io.cwd, path))) {
      files.push(path);
      continue;
    }
    const { visitProtocols } = await import('../../../operations/lint/visit-protocols.ts');
    try {
      const visited = await visitProtocols([path], {}, io, async ({ name }) => void files.push(name!));
      prose += visited.prose;
      failures.push(...visited.failures);
      if (!output.json) for (const notice of visited.notices) output.note(escapeForTerminal(notice));
    } catch (error) {
      if (!(error instanceof KairosError)) throw error;
      failures.push({ path, reason: error.message });
    }
  }
  return { files, prose, failures };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function mintFile(
  ctx: OperationContext,
  call: Call<[string[]], MintOptions>,
  path: string,
  alone: boolean,
): Promise<number> {
  const { options, io, output } = call;
  const source = await readSource(path, io);
  const answer = await mint(
    ctx,
    {
      markdown_doc: source,
      force_update: options.force ?? false,
      llm_model_id: options.model,
      protocol_version: options.protocolVersion,
    },
    sourceName(path),
  );
  if (output.json) output.object(answer);
  else tell(answer, path, output, alone);
  return EXIT.ok;
}

/** Of several files, each has one line. */
function tell({ items, warnings }: MintOutput, path: string, output: Output, alone: boolean): void {
  const name = escapeForTerminal(sourceName(path));
  for (const { severity, line, column, reason, ruleId } of warnings) {
    const text = escapeForTerminal(`${severity}: ${reason} (${ruleId})`);
    output.note(`${name}:${line}:${column}  ${text}`);
  }
  const stored = `${output.color.green('stored')}  ${name}`;
  if (!alone) {
    output.print(`${stored}  ${output.color.cyan(items[0]?.uri ?? '')}`);
    return;
  }
  const lines = items.map(({ uri, label }) => `  ${output.color.cyan(uri)}  ${escapeForTerminal(label)}`);
  output.print([stored, ...lines].join('\n'));
}

export interface MintOptions {
  force?: boolean;
  model?: string;
  protocolVersion?: string;
}

/** `kairos update`. All files are read before anything is changed. */
export const updateCommand: Handler<[string[]], UpdateOptions> = async (call) => {
  const change = await readChange(call.options, call.io);
  return withContext(call, {}, async (ctx) => {
    const uris = await urisOf(ctx, call.args[0], call.io);
    return reportResults(await update(ctx, { uris, ...change }), call.output);
  });
};

async function urisOf(ctx: OperationContext, names: readonly string[], io: CliIo): Promise<string[]> {
  const uris: string[] = [];
  for (const name of names) uris.push(await uriOf(ctx, name, io));
  return uris;
}

async function readChange(
  { file, label, text, tags }: UpdateOptions,
  io: CliIo,
): Promise<Pick<UpdateInput, 'markdown_doc' | 'updates'>> {
  const fields = [label, text, tags].some((value) => value !== undefined);
  if ((file === undefined) === !fields) {
    throw new KairosError('USAGE', 'give either --file, or --label, --text or --tags', {
      hint: `${programName()} update SLUG --file new.md, or ${programName()} update URI --label "New heading"`,
    });
  }
  if (file === undefined)
    return { updates: { label, text, tags: tags === undefined ? undefined : splitTags(tags) } };
  requireOneStdin(file);
  const texts: string[] = [];
  for (const path of file) texts.push(await readSource(path, io));
  return { markdown_doc: texts };
}

function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

export interface UpdateOptions {
  file?: string[];
  label?: string;
  text?: string;
  tags?: string;
}

/** `kairos delete`. */
export const deleteCommand: Handler<[string[]], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const uris = await urisOf(ctx, call.args[0], call.io);
    return reportResults(await deleteChains(ctx, { uris }), call.output);
  });

interface Results {
  results: readonly { uri: string; status: string; message: string }[];
  total_failed: number;
}

/** Prints the results of an operation on several items. Any failure ends with 1. */
function reportResults(answer: Results, output: Output): number {
  if (output.json) output.object(answer);
  else {
    const { color } = output;
    for (const { uri, status, message } of answer.results) {
      const mark = status === 'error' ? color.red(status) : color.green(status);
      output.print(
        `${mark}  ${escapeForTerminal(uri)}\n  ${escapeForTerminal(message, { keepNewlines: true })}`,
      );
    }
  }
  return answer.total_failed === 0 ? EXIT.ok : EXIT.failed;
}
