import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import { userFolders } from '../../../host/files/paths.ts';
import { loadSealingKey, SEALING_KEY_FILE } from '../../../host/keys/sealing-key.ts';
import { configFiles, readServers } from '../../../host/mcp-client/find-server.ts';
import { loadPolicy, policyPath } from '../../../host/settings/policy-file.ts';
import { loadUserSettings } from '../../../host/settings/user-settings.ts';
import { fileTrustStore } from '../../../host/trust/trust-store.ts';
import { configurationFinder } from '../../../lint/config/configuration.ts';
import { LINT_RULES } from '../../../lint/rules/index.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { decideColor, type Output } from '../../output.ts';
import { decideBackEnd } from '../../terminal/choose-prompter.ts';
import { editorCommand } from '../../terminal/editor.ts';
import { measureFor, pad } from '../../terminal/layout.ts';
import {
  broken,
  checkRuntime,
  type DoctorCheck,
  type DoctorFinding,
  type Health,
  ok,
  type Surroundings,
  warning,
} from './check.ts';
import { checkSearch } from './search.ts';
import { checkStore } from './store.ts';

const PROMPTS = {
  rich: 'questions are asked with menus',
  plain: 'questions are asked in plain lines',
  answers: 'answers come from a file',
  none: 'questions cannot be asked',
} as const;

/** What the terminal can do, and how kairos would ask questions in it. */
const checkTerminal: DoctorCheck = async ({ io }) => {
  const { stdin, stdout, stderr, env } = io;
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
  return [ok('terminal', parts.join('; '))];
};

/** The user's and the project's configuration, and whether they are valid. */
const checkConfiguration: DoctorCheck = async (surroundings) => [
  await userFinding(surroundings),
  await projectFinding(surroundings),
];

async function userFinding({ folders }: Surroundings): Promise<DoctorFinding> {
  try {
    const settings = await loadUserSettings(folders);
    const file = ['kairos.config.yaml', 'kairos.config.json']
      .map((name) => join(folders.config, name))
      .find((path) => existsSync(path));
    if (file === undefined) return ok('user configuration', `none (${folders.config})`);
    const keys = Object.keys(settings);
    return ok('user configuration', keys.length === 0 ? file : `${file}, sets ${keys.join(', ')}`);
  } catch (error) {
    return broken('user configuration', error);
  }
}

async function projectFinding({ io }: Surroundings): Promise<DoctorFinding> {
  try {
    const { file } = await configurationFinder({ rules: LINT_RULES, overrides: new Map() }).forFolder(io.cwd);
    return ok('project configuration', file ?? 'none');
  } catch (error) {
    return broken('project configuration', error);
  }
}

/** The stored trust, and the key that seals ledgers: files that other users must not be able to write. */
const checkOwnFiles: DoctorCheck = async (surroundings) => [
  await trustFinding(surroundings),
  await keyFinding(surroundings),
  await policyFinding(surroundings),
];

async function trustFinding({ folders }: Surroundings): Promise<DoctorFinding> {
  const folder = join(folders.data, 'trust');
  if (!existsSync(folder)) return ok('trust', 'none given yet');
  try {
    const { length } = await fileTrustStore(folder).list();
    return ok('trust', `${length} ${length === 1 ? 'digest is' : 'digests are'} trusted (${folder})`);
  } catch (error) {
    return broken('trust', error);
  }
}

/** Loading creates a missing key; checking doesn't. */
async function keyFinding({ folders, io }: Surroundings): Promise<DoctorFinding> {
  const path = join(folders.data, SEALING_KEY_FILE);
  if (!existsSync(path)) return ok('sealing key', 'made when the first run is sealed');
  try {
    await loadSealingKey(folders, io.cwd);
    return ok('sealing key', path);
  } catch (error) {
    return broken('sealing key', error);
  }
}

/** The policy in force, or that there is none. */
async function policyFinding({ folders, io }: Surroundings): Promise<DoctorFinding> {
  const source = { folders, cwd: io.cwd };
  try {
    const loaded = await loadPolicy(source);
    const path = policyPath(source);
    if (loaded === null)
      return ok('policy', `none (${path}); proposals need evidence, and no approval can be given`);
    const { rules, approvers } = loaded.policy;
    return ok(
      'policy',
      `${path}: ${rules.length} rules, ${approvers.length} approvers, ${loaded.digest.slice(0, 12)}`,
    );
  } catch (error) {
    return broken('policy', error);
  }
}

/** The configuration files of MCP clients: their servers, and whether kairos is one of them. */
const checkClients: DoctorCheck = async ({ io }) => {
  const findings: DoctorFinding[] = [];
  for (const file of await configFiles({ cwd: io.cwd, env: io.env })) {
    try {
      const servers = await readServers(file);
      if (servers === null) continue;
      const names = Object.keys(servers);
      const listed = names.length === 0 ? 'no servers' : names.join(', ');
      const known = names.some((name) => isKairos(name, servers[name])) ? '; kairos is one of them' : '';
      findings.push(ok('mcp client', `${file.path}: ${listed}${known}`));
    } catch (error) {
      findings.push(
        warning('mcp client', (error as Error).message, 'Steps that call a tool cannot use this file.'),
      );
    }
  }
  return findings.length > 0 ? findings : [ok('mcp client', 'no configuration of an MCP client found')];
};

function isKairos(name: string, server: unknown): boolean {
  if (/\bkairos\b/.test(name)) return true;
  const { command, args } = (server ?? {}) as { command?: unknown; args?: unknown };
  return [command, ...(Array.isArray(args) ? args : [])].some(
    (word) => typeof word === 'string' && /\bkairos(?:\.js)?$/.test(word),
  );
}

/** Everything that `kairos doctor` checks, in the order of its report. */
const CHECKS: readonly DoctorCheck[] = [
  checkRuntime,
  checkStore,
  checkOwnFiles,
  checkConfiguration,
  checkClients,
  checkTerminal,
  checkSearch,
];

/** `kairos doctor`. With `--json`: `{healthy, findings[] {name, health, detail, hint}}`. */
export const doctorCommand: Handler<[], unknown> = async ({ io, options, output }) => {
  const surroundings = { io, folders: userFolders(io.env), store: options.store };
  const findings: DoctorFinding[] = [];
  for (const check of CHECKS) findings.push(...(await check(surroundings)));
  const healthy = findings.every(({ health }) => health !== 'broken');
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
