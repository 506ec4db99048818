import { KairosError } from '../../../base/errors.ts';
import { suggest } from '../../../base/suggest.ts';
import { frontmatterJsonSchema, stepBlockJsonSchema } from '../../../protocol/json-schema.ts';
import type { Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';

type JsonSchema = Record<string, unknown>;

/** Every schema that `kairos schema` prints, by name; each is made when it is asked for. */
const SCHEMAS: Readonly<Record<string, { summary: string; make: () => Promise<JsonSchema> }>> = {
  'step-block': {
    summary: 'what a step demands: the last fenced block of a step',
    make: async () => stepBlockJsonSchema(),
  },
  frontmatter: {
    summary: 'the frontmatter of a protocol, its inputs included',
    make: async () => frontmatterJsonSchema(),
  },
  config: {
    summary: 'the configuration of a project',
    make: async () => (await import('./config.ts')).configSchema(),
  },
  answers: {
    summary: 'an answers file for kairos run',
    make: async () => (await import('./config.ts')).answersSchema(),
  },
  'ledger-entry': {
    summary: 'a line of an exported ledger',
    make: async () => (await import('./config.ts')).ledgerEntrySchema(),
  },
  policy: {
    summary: 'the policy that proposals are judged by',
    make: async () => (await import('./config.ts')).policyJsonSchema(),
  },
  proposal: {
    summary: 'a proposal for a consequential step',
    make: async () => (await import('./config.ts')).proposalJsonSchema(),
  },
};

/** `kairos schema`: the schema, indented, or with `--json` in one line; without a name, the list of names. */
export const schemaCommand: Handler<[string | undefined], unknown> = async ({ args: [name], output }) => {
  if (name === undefined) {
    const names = Object.entries(SCHEMAS).map(([key, { summary }]) => [key, summary] as const);
    if (output.json) output.object({ schemas: names.map(([key, summary]) => ({ name: key, summary })) });
    else output.print(await keyValues(names, { color: output.color }));
    return EXIT.ok;
  }
  const entry = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (entry === undefined) throw unknown(name);
  const schema = await entry.make();
  if (output.json) output.object(schema);
  else output.document(`${JSON.stringify(schema, null, 2)}\n`, { json: true });
  return EXIT.ok;
};

function unknown(name: string): KairosError {
  const known = Object.keys(SCHEMAS);
  const meant = suggest(name, known);
  return new KairosError('USAGE', `there is no schema ${JSON.stringify(name)}`, {
    hint: meant === undefined ? `Schemas: ${known.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
