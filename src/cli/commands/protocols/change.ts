import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readSource, requireOneStdin } from '../../../host/files/read-source.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { deleteChains } from '../../../operations/delete.ts';
import { uriOf } from '../../../operations/target.ts';
import { type UpdateInput, update } from '../../../operations/update.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { type CliIo, EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';

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
