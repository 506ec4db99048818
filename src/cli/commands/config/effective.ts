import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type UserFolders, userFolders } from '../../../host/files/paths.ts';
import { nameOf } from '../../../host/notify.ts';
import { embeddingSettings } from '../../../host/settings/model-settings.ts';
import { loadUserSettings, storeLocation, type UserSettings } from '../../../host/settings/user-settings.ts';
import { osCaller } from '../../../host/system.ts';
import { elicitationSettings, userElicitation } from '../../../mcp/elicitation/settings.ts';
import { configurationsFor } from '../../../operations/lint/lint.ts';
import type { Call } from '../../command.ts';

/** A setting that counts, and what set it. */
export interface Setting {
  key: string;
  /** Null: nothing is set, and nothing is assumed. */
  value: string | null;
  /** An option, a variable of the environment, a file, or `default`. */
  source: string;
}

/** Every setting that counts for a call here, strongest source first: option, environment, project, user, default. */
export async function effectiveSettings({
  options,
  io,
}: Pick<Call<unknown[]>, 'options' | 'io'>): Promise<Setting[]> {
  const { env, cwd } = io;
  const folders = userFolders(env);
  const settings = await loadUserSettings(folders);
  const file = userFile(folders);
  const caller = osCaller(env);
  const variable = (name: string, fallback: string) => (env[name] ? name : fallback);
  const project = await configurationsFor({}, cwd).forFolder(cwd);
  return [
    {
      key: 'store',
      value: hidden(storeLocation(options.store, env, settings, cwd) ?? join(folders.data, 'kairos.db')),
      source: storeSource(options.store, env, settings, file),
    },
    {
      key: 'space',
      value: options.space ?? (env.KAIROS_SPACE || settings.space || 'default'),
      source: spaceSource(options.space, env, settings, file),
    },
    {
      key: 'actor',
      value: settings.actor ?? caller.actor,
      source: settings.actor !== undefined ? file : caller.actorOrigin === 'sudo' ? 'SUDO_USER' : 'default',
    },
    { key: 'session', value: env.KAIROS_SESSION || null, source: variable('KAIROS_SESSION', 'default') },
    {
      key: 'data',
      value: folders.data,
      source: variable('KAIROS_DATA_DIR', variable('XDG_DATA_HOME', 'default')),
    },
    {
      key: 'config',
      value: folders.config,
      source: variable('KAIROS_CONFIG_DIR', variable('XDG_CONFIG_HOME', 'default')),
    },
    {
      key: 'project',
      value: project.file,
      source: project.file === null ? 'default' : 'found from here upwards',
    },
    {
      key: 'notify',
      value: settings.notify === undefined ? null : [settings.notify].flat().map(nameOf).join(', '),
      source: settings.notify === undefined ? 'default' : file,
    },
    ...embeddingKeys(settings, env, file),
    ...elicitationKeys(settings, env, file),
    ...verifierKeys(settings, env, file),
    ...[...project.severities].map(
      ([rule, level]): Setting => ({
        key: `lint.rules.${rule}`,
        value: level,
        source: project.file ?? 'default',
      }),
    ),
  ];
}

function embeddingKeys(settings: UserSettings, env: NodeJS.ProcessEnv, file: string): Setting[] {
  const { provider, model, url, apiKey } = embeddingSettings(settings, env);
  const values = { provider, model, url, api_key: apiKey === null ? null : '***' } as const;
  return Object.entries(values).map(([name, value]) => {
    const variable = `KAIROS_EMBEDDING_${name.toUpperCase()}`;
    const key = `embedding_${name}` as keyof UserSettings;
    const source = env[variable] ? variable : settings[key] === undefined ? 'default' : file;
    return { key, value, source };
  });
}

/** The values unchecked: `kairos serve` reports those that can't be used. */
function verifierKeys(settings: UserSettings, env: NodeJS.ProcessEnv, file: string): Setting[] {
  const names = ['url', 'model', 'api_key', 'timeout_seconds'] as const;
  return names.map((name) => {
    const variable = `KAIROS_VERIFIER_${name.toUpperCase()}`;
    const key = `verifier_${name}` as const;
    const value = env[variable] || settings[key]?.toString() || null;
    const source = env[variable] ? variable : settings[key] === undefined ? 'default' : file;
    return { key, value: value === null ? null : name === 'api_key' ? '***' : hidden(value), source };
  });
}

/** Of `kairos serve`, whose flags go before all of these. */
function elicitationKeys(settings: UserSettings, env: NodeJS.ProcessEnv, file: string): Setting[] {
  const { driver, serverDriver, samplingDriver, timeoutMs, allowAutoSampling } = elicitationSettings(
    {},
    env,
    userElicitation(settings),
  );
  const rows: [keyof UserSettings, string, string | null][] = [
    ['user_input_driver', 'KAIROS_USER_INPUT_DRIVER', driver],
    ['enable_user_input_server_driver', 'KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER', String(serverDriver)],
    ['sampling_driver', 'KAIROS_SAMPLING_DRIVER', samplingDriver],
    ['user_input_timeout_seconds', 'KAIROS_USER_INPUT_TIMEOUT_SECONDS', String(timeoutMs / 1000)],
    ['allow_auto_sampling', 'KAIROS_ALLOW_AUTO_SAMPLING', allowAutoSampling.join(', ') || null],
  ];
  return rows.map(([key, variable, value]) => {
    const source = env[variable] ? variable : settings[key] === undefined ? 'default' : file;
    return { key, value, source };
  });
}

function storeSource(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
  settings: UserSettings,
  file: string,
): string {
  if (flag !== undefined) return '--store';
  if (env.KAIROS_STORE) return 'KAIROS_STORE';
  if (env.QDRANT_URL) return 'QDRANT_URL';
  return settings.store === undefined ? 'default' : file;
}

function spaceSource(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
  settings: UserSettings,
  file: string,
): string {
  if (flag !== undefined) return '--space';
  if (env.KAIROS_SPACE) return 'KAIROS_SPACE';
  return settings.space === undefined ? 'default' : file;
}

/** An address without its credentials. */
function hidden(location: string): string {
  return location.replace(/\/\/[^@/]*@/, '//***@');
}

/** The user's configuration file: the one that is read, else the one that would be made. */
export function userFile({ config }: Pick<UserFolders, 'config'>): string {
  const [yaml, json] = ['kairos.config.yaml', 'kairos.config.json'].map((name) => join(config, name)) as [
    string,
    string,
  ];
  return !existsSync(yaml) && existsSync(json) ? json : yaml;
}
