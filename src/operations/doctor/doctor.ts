import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { programName, shellQuote } from '../../base/command-line.ts';
import { loadSealingKey, SEALING_KEY_FILE } from '../../host/keys/sealing-key.ts';
import { REMOTE_KEYS } from '../../host/mcp-client/client-files.ts';
import { configFiles, readDefinition, readServers } from '../../host/mcp-client/find-server.ts';
import { resolveServer } from '../../host/mcp-client/resolve-server.ts';
import { loadPolicy, policyPath } from '../../host/settings/policy-file.ts';
import { loadUserSettings } from '../../host/settings/user-settings.ts';
import { fileTrustStore } from '../../host/trust/trust-store.ts';
import { configurationFinder } from '../../lint/config/configuration.ts';
import { LINT_RULES } from '../../lint/rules/index.ts';
import {
  broken,
  checkRuntime,
  type DoctorCheck,
  type DoctorFinding,
  type DoctorInput,
  ok,
  warning,
} from './runtime.ts';
import { checkSearch, checkStore } from './store.ts';

/** Checks an installation and changes nothing. `found`: what the interface found about itself and the clients. */
export async function diagnose(
  input: DoctorInput,
  found: readonly DoctorFinding[],
): Promise<{ healthy: boolean; findings: DoctorFinding[] }> {
  const findings: DoctorFinding[] = [];
  for (const check of CHECKS) findings.push(...(await check(input)));
  findings.push(...found, ...(await checkSearch(input)));
  return { healthy: findings.every(({ health }) => health !== 'broken'), findings };
}

/** The user's and the project's configuration, and whether they are valid. */
const checkConfiguration: DoctorCheck = async (input) => [
  await userFinding(input),
  await projectFinding(input),
];

async function userFinding({ folders }: DoctorInput): Promise<DoctorFinding> {
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

async function projectFinding({ io }: DoctorInput): Promise<DoctorFinding> {
  try {
    const { file } = await configurationFinder({ rules: LINT_RULES, overrides: new Map() }).forFolder(io.cwd);
    return ok('project configuration', file ?? 'none');
  } catch (error) {
    return broken('project configuration', error);
  }
}

/** The stored trust, and the key that seals ledgers: files that other users must not be able to write. */
const checkOwnFiles: DoctorCheck = async (input) => [
  await trustFinding(input),
  await keyFinding(input),
  await policyFinding(input),
];

async function trustFinding({ folders }: DoctorInput): Promise<DoctorFinding> {
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
async function keyFinding({ folders, io }: DoctorInput): Promise<DoctorFinding> {
  const path = join(folders.data, SEALING_KEY_FILE);
  if (!existsSync(path)) return ok('sealing key', 'made when the first run is sealed');
  try {
    await loadSealingKey(folders, io.cwd);
    return ok('sealing key', path);
  } catch (error) {
    return broken('sealing key', error);
  }
}

/** The policy in force, if any. */
async function policyFinding({ folders, io }: DoctorInput): Promise<DoctorFinding> {
  const source = { folders, cwd: io.cwd, now: io.now() };
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

/** The configuration files of MCP clients: their servers, and which program each will start for kairos. */
const checkClients: DoctorCheck = async ({ io }) => {
  const findings: DoctorFinding[] = [];
  const files = await configFiles({ cwd: io.cwd, env: io.env });
  // In the home folder, a project's file can be the user's own.
  const once = new Map(files.map((file) => [JSON.stringify([file.path, file.keys]), file]));
  for (const file of once.values()) {
    const place = `${file.client} (${file.path})`;
    try {
      const servers = await readServers(file);
      if (servers === null) continue;
      const names = Object.keys(servers);
      const own = names.filter((name) => isKairos(name, servers[name]));
      const others = names.filter((name) => !own.includes(name));
      // Claude Code keeps settings of every project: only those of this one.
      if (names.length === 0 && file.keys.length > 1) continue;
      if (others.length > 0 || own.length === 0)
        findings.push(ok('mcp client', `${place}: ${others.join(', ') || 'no servers'}`));
      for (const name of own) findings.push(startFinding(place, file, name, servers[name], io));
    } catch (error) {
      findings.push(
        warning('mcp client', (error as Error).message, 'Steps that call a tool cannot use this file.'),
      );
    }
  }
  return findings.length > 0 ? findings : [ok('mcp client', 'no configuration of an MCP client found')];
};

/** What a client starts for kairos, and whether it is there. */
function startFinding(
  place: string,
  { path, scope, folder }: { path: string; scope: 'project' | 'user'; folder: string },
  name: string,
  entry: unknown,
  { env }: DoctorInput['io'],
): DoctorFinding {
  const problem = (reason: string) =>
    warning('mcp client', `${place}: ${reason}`, `Run ${programName()} install again for this client.`);
  if (REMOTE_KEYS.some((key) => (entry as Record<string, unknown> | null)?.[key] !== undefined))
    return ok('mcp client', `${place}: ${name} is reached over HTTP`);
  let line: string;
  let missing: string | undefined;
  try {
    const definition = readDefinition(name, entry, path);
    const { command, args } = resolveServer({ definition, file: path, scope, folder }, env);
    line = [command, ...args].map(shellQuote).join(' ');
    const programs = [command, ...args.filter((word) => isAbsolute(word) && word.endsWith('kairos.js'))];
    missing = programs.find((program) => !isProgram(program, { folder, env }));
  } catch (error) {
    return problem((error as Error).message);
  }
  if (missing !== undefined) return problem(`${name} starts ${line}, but ${missing} does not exist`);
  if (/[\\/]_npx[\\/]/.test(line)) return problem(`${name} starts ${line}, in a cache that npx empties`);
  return ok('mcp client', `${place}: ${name} starts ${line}`);
}

function isProgram(program: string, { folder, env }: { folder: string; env: NodeJS.ProcessEnv }): boolean {
  if (/[\\/]/.test(program)) return existsSync(resolve(folder, program));
  return (env.PATH ?? '')
    .split(delimiter)
    .some((place) => ['', '.cmd', '.exe'].some((end) => existsSync(join(place, program + end))));
}

function isKairos(name: string, server: unknown): boolean {
  if (/\bkairos\b/.test(name)) return true;
  const { command, args } = (server ?? {}) as { command?: unknown; args?: unknown };
  return [command, args].flat().some((word) => typeof word === 'string' && /\bkairos(?:\.js)?$/.test(word));
}

/** What is checked before the terminal and search, in the order of the report. */
const CHECKS: readonly DoctorCheck[] = [
  checkRuntime,
  checkStore,
  checkOwnFiles,
  checkConfiguration,
  checkClients,
];
