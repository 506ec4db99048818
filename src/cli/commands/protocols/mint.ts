import { escapeForTerminal } from '../../../base/escape.ts';
import { readSource, requireOneStdin, sourceName } from '../../../host/files/read-source.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { mint } from '../../../operations/mint.ts';
import type { MintOutput } from '../../../operations/schemas.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { reportError } from '../../errors.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';

/**
 * `kairos mint`. Files are independent: a file that fails is reported and the others are still stored. With
 * `--json` the tool's object for each stored file, one a line.
 */
export const mintCommand: Handler<[string[]], MintOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const [paths] = call.args;
    requireOneStdin(paths);
    let worst: number = EXIT.ok;
    let stored = 0;
    for (const path of paths) {
      const code = await mintFile(ctx, call, path, paths.length === 1).catch((error: unknown) =>
        reportError(error, call.output, call.options.debug === true),
      );
      if (code === EXIT.ok) stored += 1;
      worst = Math.max(worst, code);
    }
    if (paths.length > 1 && !call.output.json) call.output.print(`${stored} of ${paths.length} files stored`);
    return worst;
  });

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

/** Of several files, only the first step is listed: it stands for the protocol. */
function tell({ items, warnings }: MintOutput, path: string, output: Output, alone: boolean): void {
  const name = escapeForTerminal(sourceName(path));
  for (const { severity, line, column, reason, ruleId } of warnings) {
    const text = escapeForTerminal(`${severity}: ${reason} (${ruleId})`);
    output.note(`${name}:${line}:${column}  ${text}`);
  }
  const lines = (alone ? items : items.slice(0, 1)).map(
    ({ uri, label }) => `  ${output.color.cyan(uri)}  ${escapeForTerminal(label)}`,
  );
  output.print([`${output.color.green('stored')}  ${name}`, ...lines].join('\n'));
}

export interface MintOptions {
  force?: boolean;
  model?: string;
  protocolVersion?: string;
}
