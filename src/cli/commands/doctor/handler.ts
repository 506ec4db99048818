import { escapeForTerminal } from '../../../base/escape.ts';
import { userFolders } from '../../../host/files/paths.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { pad } from '../../terminal/layout.ts';
import { measureFor } from '../../terminal/width.ts';
import type { Finding, Health } from './check.ts';
import { CHECKS } from './checks.ts';

/** `kairos doctor`. With `--json`: `{healthy, findings[] {name, health, detail, hint}}`. */
export const doctorCommand: Handler<[], unknown> = async ({ io, options, output }) => {
  const surroundings = { io, folders: userFolders(io.env), store: options.store };
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(...(await check(surroundings)));
  const healthy = findings.every(({ health }) => health !== 'broken');
  if (output.json) output.object({ healthy, findings });
  else output.print(await view(findings, output));
  return healthy ? EXIT.ok : EXIT.failed;
};

async function view(findings: readonly Finding[], { color }: Output): Promise<string> {
  const widthOf = await measureFor(findings.map(({ name }) => name));
  const width = Math.max(...findings.map(({ name }) => widthOf(name)));
  const paint: Record<Health, (text: string) => string> = {
    ok: color.green,
    warning: color.yellow,
    broken: color.red,
  };
  return findings
    .map(({ name, health, detail, hint }) => {
      const mark = paint[health](pad(health, 'warning'.length, widthOf));
      const line = `${mark}  ${pad(name, width, widthOf)}  ${escapeForTerminal(detail)}`;
      return hint === null
        ? line
        : `${line}\n${' '.repeat(width + 11)}${color.cyan(escapeForTerminal(hint))}`;
    })
    .join('\n');
}
