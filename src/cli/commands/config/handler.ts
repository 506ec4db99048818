import { KairosError, meantOrAll } from '../../../base/errors.ts';
import { userFolders } from '../../../host/files/paths.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { effectiveSettings } from './effective.ts';
import { userFile, writeSetting } from './user-file.ts';

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
