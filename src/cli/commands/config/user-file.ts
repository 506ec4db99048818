import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programName } from '../../../base/command-line.ts';
import { KairosError, meantOrAll } from '../../../base/errors.ts';
import type { UserFolders } from '../../../host/files/paths.ts';
import { ensurePrivateFolder, readPrivateFile, replaceFile } from '../../../host/files/private-files.ts';
import { embeddingSettings } from '../../../host/settings/model-settings.ts';
import { loadUserSettings } from '../../../host/settings/user-settings.ts';
import { checkActor } from '../../../host/system.ts';
import { checkSpace } from '../../../protocol/identity.ts';

const KEYS = [
  'store',
  'space',
  'actor',
  'notify',
  'embedding_provider',
  'embedding_model',
  'embedding_url',
  'embedding_api_key',
] as const;
type Key = (typeof KEYS)[number];

/** The user's configuration file: the one that is read, else the one that would be made. */
export function userFile({ config }: Pick<UserFolders, 'config'>): string {
  const [yaml, json] = ['kairos.config.yaml', 'kairos.config.json'].map((name) => join(config, name)) as [
    string,
    string,
  ];
  return !existsSync(yaml) && existsSync(json) ? json : yaml;
}

/**
 * Writes one value of the user's file, or removes it (null); comments and other keys stay. Throws USAGE for a key that
 * cannot be set, INVALID_INPUT for a value that cannot be used.
 */
export async function writeSetting(
  folders: UserFolders,
  name: string,
  value: string | null,
): Promise<string> {
  const key = settableKey(name);
  if (value === '')
    throw new KairosError('INVALID_INPUT', `${key} is empty`, {
      hint: `${programName()} config unset ${key}`,
    });
  if (key === 'actor' && value !== null) checkActor(value, key);
  if (key === 'space' && value !== null) checkSpace(value);
  if (key === 'embedding_provider' && value !== null)
    embeddingSettings({}, { KAIROS_EMBEDDING_PROVIDER: value });
  // A file that cannot be relied on is not written to, either.
  await loadUserSettings(folders);
  const file = userFile(folders);
  try {
    await ensurePrivateFolder(folders.config);
    const before = (await readPrivateFile(file, 'readable')) ?? '';
    const { changeYaml } = await import('../../../formats/yaml.ts');
    const change = file.endsWith('.json') ? changeJson : changeYaml;
    await replaceFile(file, change(before, key, value));
  } catch (cause) {
    throw new KairosError('FILE_UNWRITABLE', `${file} cannot be written: ${(cause as Error).message}`, {
      hint: 'Check its permissions and those of its folder.',
      cause,
    });
  }
  return file;
}

function settableKey(name: string): Key {
  const key = KEYS.find((known) => known === name);
  if (key !== undefined) return key;
  throw new KairosError('USAGE', `${JSON.stringify(name)} cannot be set in your own file`, {
    hint: meantOrAll(name, 'Keys', KEYS),
  });
}

function changeJson(text: string, key: Key, value: string | null): string {
  const { [key]: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return `${JSON.stringify(value === null ? rest : { ...rest, [key]: value }, null, 2)}\n`;
}
