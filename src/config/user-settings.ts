import { join } from 'node:path';
import { KairosError } from '../base/errors.ts';
import type { UserFolders } from './paths.ts';
import { readPrivateFile } from './private-files.ts';

/** What a user can set once for all calls. A project cannot: its configuration never says where things are kept. */
export interface UserSettings {
  store?: string;
  space?: string;
}

const FILES = ['kairos.config.yaml', 'kairos.config.json'] as const;
const OWN_KEYS = ['store', 'space'] as const;
/** Read elsewhere; they may stand in the same file. */
const OTHER_KEYS = ['lint', 'format', 'display'];

/**
 * The user's configuration file in the configuration folder; empty when there is none. Throws INVALID_INPUT for
 * what is not understood in it, FILE_UNREADABLE for a file that others may write to.
 */
export async function loadUserSettings({ config }: Pick<UserFolders, 'config'>): Promise<UserSettings> {
  for (const name of FILES) {
    const path = join(config, name);
    const text = await readPrivateFile(path, 'readable').catch((cause: unknown) => {
      throw new KairosError('FILE_UNREADABLE', `${path} cannot be relied on: ${(cause as Error).message}`, {
        hint: 'Let nobody but yourself write to it (chmod 600).',
        cause,
      });
    });
    if (text !== null) return settingsOf(await parse(path, text), path);
  }
  return {};
}

async function parse(path: string, text: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return JSON.parse(text);
    const { parseYaml } = await import('./parse-yaml.ts');
    return parseYaml(text) ?? {};
  } catch (cause) {
    throw invalid(path, (cause as Error).message, cause);
  }
}

function settingsOf(value: unknown, path: string): UserSettings {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(path, 'it is not a mapping');
  }
  const settings: UserSettings = {};
  for (const [key, item] of Object.entries(value)) {
    const own = OWN_KEYS.find((known) => known === key);
    if (own === undefined) {
      if (OTHER_KEYS.includes(key)) continue;
      throw invalid(
        path,
        `${JSON.stringify(key)} is not known; known are ${[...OWN_KEYS, ...OTHER_KEYS].join(', ')}`,
      );
    }
    if (typeof item !== 'string' || item === '') throw invalid(path, `${key} must be a text`);
    settings[own] = item;
  }
  return settings;
}

function invalid(path: string, reason: string, cause?: unknown): KairosError {
  return new KairosError('INVALID_INPUT', `the configuration ${path} cannot be used: ${reason}`, {
    hint: 'For example: store: /home/me/kairos.db',
    cause,
  });
}
