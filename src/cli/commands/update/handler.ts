import { KairosError } from '../../../base/errors.ts';
import type { UpdateInput } from '../../../operations/schemas.ts';
import { update } from '../../../operations/update.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import type { CliIo } from '../../io.ts';
import { readSource, requireOneStdin } from '../../read-source.ts';
import { tellResults } from '../outcomes.ts';

/** `kairos update`. All files are read before anything is changed. */
export const updateCommand: Handler<[string[]], UpdateOptions> = async (call) => {
  const [uris] = call.args;
  const change = await readChange(call.options, call.io);
  return withContext(call, {}, async (ctx) =>
    tellResults(await update(ctx, { uris, ...change }), call.output),
  );
};

async function readChange(
  { file, label, text, tags }: UpdateOptions,
  io: CliIo,
): Promise<Pick<UpdateInput, 'markdown_doc' | 'updates'>> {
  const fields = [label, text, tags].some((value) => value !== undefined);
  if ((file === undefined) === !fields) {
    throw new KairosError('USAGE', 'give either --file, or --label, --text or --tags', {
      hint: 'kairos update URI --file new.md, or kairos update URI --label "New heading"',
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
