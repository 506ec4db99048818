import { resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import { resolveCommand } from '../../../host/commands/shell-step.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { isTrusted } from '../../../operations/run/trusted.ts';
import { stationsOf } from '../../../run/stations.ts';
import type { Revision } from '../../../store/port.ts';
import type { Call } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { heading, keyValues } from '../../terminal/layout.ts';
import { renderMarkdown } from '../../terminal/markdown.ts';
import { demandRows } from '../../views/demand.ts';
import type { WalkOptions } from './options.ts';

/** One step as a real run would meet it; commands are resolved, nothing runs. */
interface PlannedStep {
  index: number;
  label: string;
  content: string;
  demands: { type: string; required: boolean; command?: object; problem?: string }[];
}

/** `--dry-run`: every step, resolved command, timeout, directory and environment names. `--json`: one object. */
export async function dryRun(
  ctx: OperationContext,
  call: Call<[string], WalkOptions>,
  revision: Revision,
): Promise<number> {
  const { output, io } = call;
  const root = resolve(io.cwd, call.options.workdir ?? '.');
  const trusted = await isTrusted(ctx, revision);
  const { content, digest } = revision;
  const stations = stationsOf(content);
  const steps: PlannedStep[] = [];
  if (!output.json) {
    output.print(heading(content.title, { color: output.color }));
    output.print(
      await keyValues(
        [
          ['digest', digest],
          ['trusted', trusted ? 'yes' : 'no'],
        ],
        { color: output.color },
      ),
    );
  }
  for (const [at, step] of content.steps.entries()) {
    const planned: PlannedStep = { index: at + 1, label: step.label, content: step.body, demands: [] };
    steps.push(planned);
    if (!output.json) {
      output.print('');
      output.print(heading(step.label, { place: `${at + 1}/${content.steps.length}`, color: output.color }));
      if (step.body !== '')
        output.print(await renderMarkdown(step.body, { width: output.width, color: output.color }));
    }
    for (const station of stations) {
      if (station.step !== at + 1 || station.kind === 'none') continue;
      const { demand, block } = station;
      const resolved =
        demand.type === 'shell'
          ? await resolveCommand({ root, env: io.env }, demand.shell).catch((error: Error) => error)
          : null;
      planned.demands.push({
        type: station.kind === 'closing' ? 'closing' : demand.type,
        required: demand.required,
        ...(resolved === null
          ? {}
          : resolved instanceof Error
            ? { problem: resolved.message }
            : { command: { ...resolved.info, missing_environment: resolved.missing } }),
      });
      if (output.json) continue;
      const { proof_of_work: _, ...beside } = block;
      const rows = [...demandRows({ ...demand, ...beside })];
      if (resolved instanceof Error) rows.push(['problem', resolved.message]);
      else if (resolved !== null) {
        rows.push(['runs in', resolved.info.cwd]);
        if (resolved.missing.length > 0) rows.push(['not set', resolved.missing.join(', ')]);
        if (resolved.info.danger !== null) rows.push(['careful', resolved.info.danger]);
      }
      if (station.kind === 'closing') rows.unshift(['at the end', 'the closing comment']);
      output.print(await keyValues(rows, { color: output.color, indent: 2 }));
    }
  }
  if (output.json) output.object({ title: content.title, slug: content.slug, digest, trusted, steps });
  else output.print(`\n${escapeForTerminal('Nothing was run.')}`);
  return EXIT.ok;
}
