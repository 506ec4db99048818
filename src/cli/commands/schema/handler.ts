import { jsonSchemaOf, SCHEMAS } from '../../../operations/json-schemas.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';

/** `kairos schema`: the schema, indented, or with `--json` in one line; without a name, the list of names. */
export const schemaCommand: Handler<[string | undefined], unknown> = async ({ args: [name], output }) => {
  if (name === undefined) {
    const names = Object.entries(SCHEMAS).map(([key, { summary }]) => [key, summary] as const);
    if (output.json) output.object({ schemas: names.map(([key, summary]) => ({ name: key, summary })) });
    else output.print(await keyValues(names, { color: output.color }));
    return EXIT.ok;
  }
  const schema = jsonSchemaOf(name);
  if (output.json) output.object(schema);
  else output.document(`${JSON.stringify(schema, null, 2)}\n`, { json: true });
  return EXIT.ok;
};
