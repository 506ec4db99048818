import { chain, gatedExample, type RuleExamples, shellBlock, step } from './build.ts';

const schema = (...names: string[]) => ({
  parameters_schema: {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    additionalProperties: false,
  },
});
const TABLE_AND_OWNER = {
  parameters_schema: {
    type: 'object',
    properties: { table: { type: 'string' }, owner: { type: 'string' } },
    additionalProperties: false,
  },
};
const tableAnd = (more: object) => ({
  parameters_schema: { type: 'object', properties: { table: { type: 'string' } }, ...more },
});
const CMD = 'migrate "$KAIROS_PARAM_TABLE"';
/** Joined here so that no secret scanner reports it as a real one. */
const MADE_UP = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`;

/** Of rules about parameters and secrets. */
export const PARAMETER_EXAMPLES: RuleExamples = {
  'parameter-name-unusable': [
    {
      title: 'A hyphen',
      source: gatedExample(schema('table-name'), 'migrate "$KAIROS_PARAM_TABLE_NAME"'),
      findings: {
        '24:290':
          'The parameter "table-name" cannot become a variable of the command. Use letters, digits and _ only, no digit first.',
      },
    },
    {
      title: 'The same in capitals',
      source: gatedExample(schema('table', 'TABLE'), 'migrate "$KAIROS_PARAM_TABLE"'),
      findings: {
        '24:319':
          'The parameter "TABLE" becomes the same variable as "table". Give it a name that differs in more than capitals.',
      },
    },
    {
      title: 'Names that make variables',
      source: gatedExample(schema('table_name'), 'migrate "$KAIROS_PARAM_TABLE_NAME"'),
    },
  ],
  'parameter-not-declared': [
    {
      title: 'A step without a proposal',
      source: chain('Migrate', step('Migrate', 'Migrate it.', shellBlock('migrate "$KAIROS_PARAM_TABLE"'))),
      findings: {
        '8:10':
          'KAIROS_PARAM_TABLE is set by an accepted proposal only, and this step has none. Add a proposal with a parameters_schema, or declare an input and read that.',
      },
    },
    {
      title: 'A name that the schema does not have',
      source: gatedExample(schema('table'), 'migrate "$KAIROS_PARAM_TABEL"'),
      findings: {
        '24:416':
          'No parameter of this proposal becomes KAIROS_PARAM_TABEL, so it is empty. Declare it in parameters_schema; KAIROS_PARAM_TABLE is declared.',
      },
    },
    { title: 'A declared parameter', source: gatedExample(schema('table'), 'migrate "$KAIROS_PARAM_TABLE"') },
  ],
  'parameter-unused': [
    {
      title: 'One of two is used',
      source: gatedExample(TABLE_AND_OWNER, 'migrate "$KAIROS_PARAM_TABLE"'),
      findings: {
        '24:319':
          'The command does not use the parameter "owner". Use it as $KAIROS_PARAM_OWNER, or remove it from the schema.',
      },
    },
    {
      title: 'All are used',
      source: gatedExample(TABLE_AND_OWNER, 'migrate "$KAIROS_PARAM_TABLE" --owner "$KAIROS_PARAM_OWNER"'),
    },
    {
      title: 'A program that reads its variables itself',
      source: gatedExample(TABLE_AND_OWNER, './migrate.sh'),
    },
  ],
  'parameters-schema-not-object': [
    {
      title: 'A list of names',
      source: gatedExample({ parameters_schema: { type: 'array', items: { type: 'string' } } }),
      findings: {
        '24:256':
          'Parameters are an object, but this schema asks for "array". Write "type": "object" with the names under "properties".',
      },
    },
    {
      title: 'The properties without their object',
      source: gatedExample({ parameters_schema: { table: { type: 'string' } } }),
      findings: { '24:256': null },
    },
    {
      title: 'An object with its properties',
      source: gatedExample(
        {
          parameters_schema: {
            type: 'object',
            properties: { table: { type: 'string' } },
            additionalProperties: false,
          },
        },
        'migrate "$KAIROS_PARAM_TABLE"',
      ),
    },
  ],
  'parameters-schema-open': [
    {
      title: 'Any other parameter may be added',
      source: gatedExample(tableAnd({}), CMD),
      findings: {
        '24:256':
          'Parameters that this schema does not name may be added. Add "additionalProperties": false to it.',
      },
    },
    { title: 'A closed schema', source: gatedExample(tableAnd({ additionalProperties: false }), CMD) },
  ],
  'secret-in-text': [
    {
      title: 'A token in a command',
      source: chain(
        'Release',
        step('Publish', 'Upload it.', shellBlock(`GH_TOKEN=${MADE_UP} gh release create v1`)),
      ),
      findings: {
        '8:10':
          'This looks like a secret (github-token). Revoke it where it was issued, and let the command read a new one from an input with "secret": true.',
      },
    },
    {
      title: 'A password in a URL, anywhere in the text',
      source: chain('Restore', step('Connect', 'Use postgres://admin:hunter2secret@db/app for that.')),
      findings: { '5:22': null },
    },
    {
      title: 'Passwords in the usual places of commands',
      source: chain(
        'Restore',
        step('Load', 'Load it.', shellBlock('PGPASSWORD=kahvi7kuppi psql -h db -f dump.sql')),
        step('Ask', 'Call it.', shellBlock('curl -fsS -u admin:kahvi7kuppi https://db.test/api')),
        step('Copy', 'Copy it.', shellBlock('sshpass -p kahvi7kuppi scp dump.sql db:')),
      ),
      findings: { '8:12': null, '16:20': null, '24:12': null },
    },
    {
      title: 'Words of examples, code of programs',
      source: chain(
        'Call',
        step(
          'Ask',
          'Send `Authorization: Bearer your-jwt-token`. In Ruby it is `authorization = user.authorizations.first`; locally `postgresql://postgres:my-local-password@localhost/app` does.',
        ),
      ),
    },
    {
      title: 'Variables and placeholders instead of a secret',
      source: chain(
        'Restore',
        step(
          'Connect',
          'Use postgres://admin:$PASSWORD@db/app, or https://user:<password>@host, or `Authorization: Bearer …`. Not https://ada:lovelace@example.org either.',
        ),
        step(
          'Ask',
          'Call it.',
          shellBlock('curl -H "Authorization: Bearer $TOKEN" localhost', { env: ['TOKEN'] }),
        ),
      ),
    },
  ],
  'secret-reference': [
    {
      title: 'A password in a text',
      source: `---\ninputs:\n  DB_PASSWORD: { secret: true }\n---\n${chain('Restore', step('Connect', 'Connect with {{DB_PASSWORD}}.'))}`,
      findings: {
        '9:14':
          'DB_PASSWORD is secret, so the text shows the reference and not the value. Use "$DB_PASSWORD" in a command.',
      },
    },
    {
      title: 'A password in a command',
      source: `---\ninputs:\n  DB_PASSWORD: { secret: true }\n---\n${chain('Restore', step('Connect', 'Connect.\n\n```sh proof timeout=1m\nPGPASSWORD="$DB_PASSWORD" psql -c "select 1"\n```'))}`,
    },
  ],
};
