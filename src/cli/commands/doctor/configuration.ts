import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadUserSettings } from '../../../host/settings/user-settings.ts';
import { configurationFinder } from '../../../lint/config/configuration.ts';
import { RULES } from '../../../lint/rules/index.ts';
import { broken, type Check, type Finding, ok, type Surroundings } from './check.ts';

/** The user's configuration and the project's, and whether they can be used. */
export const checkConfiguration: Check = async (surroundings) => [
  await userFinding(surroundings),
  await projectFinding(surroundings),
];

async function userFinding({ folders }: Surroundings): Promise<Finding> {
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

async function projectFinding({ io }: Surroundings): Promise<Finding> {
  try {
    const { file } = await configurationFinder({ rules: RULES, overrides: new Map() }).forFolder(io.cwd);
    return ok('project configuration', file ?? 'none');
  } catch (error) {
    return broken('project configuration', error);
  }
}
