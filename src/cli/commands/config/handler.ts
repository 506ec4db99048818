import { programName } from '../../../base/command-line.ts';
import { KairosError, meantOrAll } from '../../../base/errors.ts';
import { type UserFolders, userFolders } from '../../../host/files/paths.ts';
import { ensurePrivateFolder, readPrivateFile, replaceFile } from '../../../host/files/private-files.ts';
import { embeddingSettings } from '../../../host/settings/model-settings.ts';
import { loadUserSettings } from '../../../host/settings/user-settings.ts';
import { checkActor } from '../../../host/system.ts';
import { checkSpace } from '../../../protocol/identity.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { effectiveSettings, userFile } from './effective.ts';

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

/** `kairos config`. With `--json`: `{settings[] {key, value, source}}`. */
export const configCommand: Handler<[], unknown> = async (call) => {
  const { output } = call;
  const settings = await effectiveSettings(call);
  if (output.json) output.object({ settings });
  else {
    const rows = settings.map(({ key, value, source }) => [key, value ?? '-', source]);
    const columns = [{ head: 'setting' }, { head: 'value' }, { head: 'from' }];
    output.print(await table(columns, rows, { color: output.color }));
  }
  return EXIT.ok;
};

/** `kairos config get KEY`: the bare value; exit 1 without output if it isn't set. */
export const configGetCommand: Handler<[string], unknown> = async (call) => {
  const [key] = call.args;
  const settings = await effectiveSettings(call);
  const setting = settings.find((each) => each.key === key);
  if (setting === undefined)
    throw unknownKey(
      key,
      settings.map((each) => each.key),
    );
  if (call.output.json) call.output.object(setting);
  else if (setting.value !== null) call.output.document(`${setting.value}\n`);
  return setting.value === null ? EXIT.failed : EXIT.ok;
};

/** `kairos config set KEY VALUE`. */
export const configSetCommand: Handler<[string, string], unknown> = (call) =>
  change(call, call.args[0], call.args[1]);

/** `kairos config unset KEY`. */
export const configUnsetCommand: Handler<[string], unknown> = (call) => change(call, call.args[0], null);

/** `kairos config path`. */
export const configPathCommand: Handler<[], unknown> = async ({ io, output }) => {
  const path = userFile(userFolders(io.env));
  if (output.json) output.object({ path });
  else output.document(`${path}\n`);
  return EXIT.ok;
};

async function change({ io, output }: Call<string[]>, key: string, value: string | null): Promise<number> {
  const file = await writeSetting(userFolders(io.env), key, value);
  if (output.json) output.object({ key, value, file });
  else output.note(`wrote ${file}`);
  return EXIT.ok;
}

function unknownKey(key: string, known: readonly string[]): KairosError {
  return new KairosError('USAGE', `there is no setting ${JSON.stringify(key)}`, {
    hint: meantOrAll(key, 'Settings', known),
  });
}

/**
 * Writes one value of the user's file, or removes it (null); comments and other keys stay. Throws USAGE for a key that
 * cannot be set, INVALID_INPUT for a value that cannot be used.
 */
async function writeSetting(folders: UserFolders, name: string, value: string | null): Promise<string> {
  const key = settableKey(name);
  if (value === '')
    throw new KairosError('INVALID_INPUT', `${key} is empty`, {
      hint: `${programName()} config unset ${key}`,
    });
  if (key === 'actor' && value !== null) checkActor(value, key);
  if (key === 'space' && value !== null) checkSpace(value);
  if (key === 'embedding_provider' && value !== null)
    embeddingSettings({}, { KAIROS_EMBEDDING_PROVIDER: value });
  // Never write to a file that kairos can't rely on.
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
