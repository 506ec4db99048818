import { escapeForTerminal } from '../../../base/escape.ts';
import { userFolders } from '../../../host/files/paths.ts';
import { diagnose } from '../../../operations/doctor/doctor.ts';
import type { DoctorFinding, Health } from '../../../operations/doctor/runtime.ts';
import type { Handler } from '../../command.ts';
import { type CliIo, EXIT } from '../../io.ts';
import { decideColor, type Output } from '../../output.ts';
import { decideBackEnd } from '../../terminal/choose-prompter.ts';
import { editorCommand } from '../../terminal/editor.ts';
import { measureFor, pad } from '../../terminal/layout.ts';

const PROMPTS = {
  rich: 'questions are asked with menus',
  plain: 'questions are asked in plain lines',
  answers: 'answers come from a file',
  none: 'questions cannot be asked',
} as const;

/** What the terminal can do, and how kairos would ask questions in it. */
function terminalFinding({ stdin, stdout, stderr, env }: CliIo): DoctorFinding {
  const isTerminal = (stream: { isTTY?: boolean }) => stream.isTTY === true;
  const backEnd = decideBackEnd({
    stdin: isTerminal(stdin),
    stdout: isTerminal(stdout),
    stderr: isTerminal(stderr),
    env,
    platform: process.platform,
    flags: {},
  });
  const color = decideColor({ flag: 'auto', env, terminal: isTerminal(stdout) });
  const parts = [
    isTerminal(stdout)
      ? `${env.TERM || 'unnamed'}, ${stdout.columns ?? 80} columns`
      : 'standard output is not a terminal',
    color ? 'colours' : 'no colours',
    PROMPTS[backEnd],
    `editor: ${editorCommand(env) ?? 'none (set EDITOR)'}`,
  ];
  return { name: 'terminal', health: 'ok', detail: parts.join('; '), hint: null };
}

/** `kairos doctor`. With `--json`: `{healthy, findings[] {name, health, detail, hint}}`. */
export const doctorCommand: Handler<[], unknown> = async ({ io, options, output }) => {
  const input = { io, folders: userFolders(io.env), store: options.store };
  const { healthy, findings } = await diagnose(input, terminalFinding(io));
  if (output.json) output.object({ healthy, findings });
  else output.print(await view(findings, output));
  return healthy ? EXIT.ok : EXIT.failed;
};

async function view(findings: readonly DoctorFinding[], { color }: Output): Promise<string> {
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
