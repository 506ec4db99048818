import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { programName } from '../../../base/command-line.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { userFolders } from '../../../host/files/paths.ts';
import { loadHolds } from '../../../host/hold-files.ts';
import { makeRedactor } from '../../../host/secrets/redact.ts';
import { diagnose } from '../../../operations/doctor/doctor.ts';
import { type DoctorFinding, type Health, ok, warning } from '../../../operations/doctor/runtime.ts';
import type { Handler } from '../../command.ts';
import { type CliIo, EXIT } from '../../io.ts';
import { decideColor, type Output } from '../../output.ts';
import { decideBackEnd } from '../../terminal/choose-prompter.ts';
import { editorCommand } from '../../terminal/editor.ts';
import { measureFor, pad } from '../../terminal/layout.ts';
import { INSTALL_CLIENTS, type InstallClient } from '../install/clients.ts';
import { gatewaysIn } from '../install/gateways-config.ts';
import {
  disabledBy,
  HOOK_SETTINGS,
  type HookClientId,
  hookSettings,
  installedHook,
} from '../install/hold.ts';
import { otherFolder } from '../install/server-start.ts';

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

/** What is held, and for each client with hooks of kairos whether they would start. */
async function holdFindings(io: CliIo): Promise<DoctorFinding[]> {
  const { holds, unreadable } = await loadHolds(userFolders(io.env), io.env);
  const hooks: DoctorFinding[] = [];
  for (const client of Object.keys(HOOK_SETTINGS) as HookClientId[]) {
    const { userFile, projectFile, localFile } = hookSettings(client)!;
    const user = userFile({ env: io.env, platform: process.platform });
    const inProject = [projectFile, localFile].flatMap((file) =>
      file === undefined ? [] : [join(io.cwd, file)],
    );
    const texts = new Map<string, string>();
    for (const file of [user, ...inProject]) {
      const text = await readFile(file, 'utf8').catch(() => null);
      if (text !== null) texts.set(file, text);
    }
    for (const [file] of texts) {
      const finding = await hookFinding(client, { file, isProject: file !== user, texts }, io);
      if (finding !== null) hooks.push(finding);
    }
  }
  const names = [...new Set(holds.map(({ hold }) => hold.match.command ?? `tool ${hold.match.tool}`))];
  const list = names.length === 0 ? 'nothing is held' : `held: ${names.join(', ')}`;
  return [
    ...unreadable.map(({ path, reason }) =>
      warning(
        'hold list',
        `${path}: ${reason}`,
        'Correct it. Until then hooks refuse everything that it names.',
      ),
    ),
    ...(names.length === 0 && unreadable.length > 0
      ? []
      : names.length > 0 && hooks.length === 0
        ? [
            warning(
              'hold list',
              `${list}, but no client has hooks of kairos`,
              `Run ${programName()} install CLIENT --hold.`,
            ),
          ]
        : [ok('hold list', list)]),
    ...hooks,
    ...(await gatewayFindings(io)),
  ];
}

/** For each client the servers that are behind the gateway, whether its program is there, and whether it uses the same folders. */
async function gatewayFindings(io: CliIo): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const [id, client] of Object.entries<InstallClient>(INSTALL_CLIENTS)) {
    const { title, userFile, projectFile } = client;
    const project = projectFile === null ? [] : [join(io.cwd, projectFile)];
    for (const file of new Set([userFile({ env: io.env, platform: process.platform }), ...project])) {
      const text = await readFile(file, 'utf8').catch(() => null);
      const gateways = text === null ? [] : gatewaysIn(text, client);
      if (gateways.length === 0) continue;
      const isProject = project.includes(file);
      const faults = gateways.map(({ program, ...start }) =>
        isAbsolute(program) && !existsSync(program)
          ? `${program} does not exist`
          : otherFolder({ ...start, isProject }, io.env),
      );
      const fault = faults.find((each) => each !== null);
      const names = `${file}: ${gateways.map(({ name }) => name).join(', ')}`;
      const again = `Run ${programName()} install ${id} --uninstall --gateway, then ${programName()} install ${id} --gateway.`;
      findings.push(
        fault === undefined
          ? ok(`gateway of ${title}`, names)
          : warning(`gateway of ${title}`, `${names}: ${fault}`, again),
      );
    }
  }
  return findings;
}

/** Null for a file without hooks of kairos. The settings of each file, by its path, can turn the hooks of all off. */
async function hookFinding(
  client: HookClientId,
  { file, isProject, texts }: { file: string; isProject: boolean; texts: ReadonlyMap<string, string> },
  io: CliIo,
): Promise<DoctorFinding | null> {
  const hook = installedHook(client, texts.get(file)!);
  if (hook === null) return null;
  const name = `hooks of ${INSTALL_CLIENTS[client].title}`;
  const again = `Run ${programName()} install ${client} --hold again.`;
  const other = otherFolder({ words: hook.command, isProject }, io.env);
  if (other !== null) return warning(name, `${file}: ${other}`, again);
  const failure = await tryHook(hook.command, io);
  if (failure !== null) return warning(name, `${file}: the hook does not start: ${failure}`, again);
  for (const [other, text] of texts) {
    const setting = disabledBy(text);
    if (setting !== null) return warning(name, `${other}: ${setting} turns hooks off`, `Remove ${setting}.`);
  }
  if (hook.stale !== null) return warning(name, `${file}: ${hook.stale}`, again);
  return ok(name, `${file}: the hook starts${hook.note === null ? '' : `. ${hook.note}`}`);
}

const TRY_MS = 10_000;

/** Starts a hook with an event that it ignores. Null if it answers, else what went wrong. */
function tryHook(command: string | string[], { env, cwd }: CliIo): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { env, cwd, stdio: 'pipe', timeout: TRY_MS } as const;
    const child =
      typeof command === 'string'
        ? spawn(command, { ...options, shell: true })
        : spawn(command[0]!, command.slice(1), options);
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      const answer = Buffer.concat(out).toString('utf8').trim();
      const reason = Buffer.concat(errors).toString('utf8').trim().split('\n')[0];
      if (code === 0 && answer.startsWith('{')) resolve(null);
      else resolve(reason || (code === 0 ? 'it prints no answer' : `it ended with ${signal ?? code}`));
    });
    child.stdin.end('{}');
  });
}

/** `kairos doctor`. With `--json`: `{healthy, findings[] {name, health, detail, hint}}`. */
export const doctorCommand: Handler<[], unknown> = async ({ io, options, output }) => {
  const input = { io, folders: userFolders(io.env), store: options.store };
  const found = [terminalFinding(io), ...(await holdFindings(io))];
  const { healthy, findings: all } = await diagnose(input, found);
  const { redact } = makeRedactor(io.env);
  // Faults of a file quote it, in several lines.
  const findings = all.map(({ detail, hint, ...rest }) => ({
    ...rest,
    detail: redact(detail).replace(/\s*\n\s*/g, ' '),
    hint: hint === null ? null : redact(hint),
  }));
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
