import { policyCasesJsonSchema, policyJsonSchema } from '../src/operations/json-schemas.ts';

type JsonSchema = Record<string, unknown>;

/** The reference of policies and their cases, from the schemas' own descriptions. */
export function policyPage(): string {
  const tables = new Map<string, string[]>();
  collect(policyJsonSchema(), 'policy', tables);
  const cases = new Map<string, string[]>();
  collect(policyCasesJsonSchema(), 'file', cases);
  return `${[HEAD, ...sections(ORDER, tables), CASES, ...sections(CASE_ORDER, cases), TAIL].join('\n\n')}\n`;
}

export type Order = readonly (readonly [name: string, title: string, about: string])[];

const HEAD = `# The policy: reference

<!-- Written by scripts/format-docs.mjs from the schemas. Do not edit. -->

\`kairos.policy.yaml\` is in your own configuration folder. [gate.md](gate.md) describes how the gate uses it, [format.md](format.md) has
the template that a step sets (\`proposal\`). Unknown keys are errors. \`kairos policy check\` reads a policy as the gate does,
\`kairos schema policy\` prints its JSON Schema for editors.

\`\`\`sh
kairos policy check
kairos policy test team.cases.yaml
kairos policy explain RUN
kairos policy explain --action delete --resource-type database --resource-id main --domain prod.example
\`\`\`

\`kairos policy explain\` shows how each rule judges a proposal of a run, or an action that the options name, and which rule decides.
Of a used proposal it explains how it was decided when its permit was given.

## What is refused

\`policy check\` prints the path of a wrong value, what is expected and what it found, as in \`rules.0.threshold.n: Expected at least 1,
not 0.\` It is also checked whenever the policy is loaded: nothing begins, continues or is approved with such a policy
(\`POLICY_UNUSABLE\`).

| refused | what to do |
|---|---|
| a key or value that the tables below don't have | write what is expected |
| an approver, group or rule name that is unknown or there twice | choose another name |
| a certificate, a line that isn't a public key, one key of two people | list each person's own public key |
| \`approval_class\` next to a \`threshold\`, \`dual\` or \`single\` with another number of people | a threshold sets the class: write only the threshold |
| a quorum that the usable keys can't fill: too few people, revoked keys, keys of the wrong kind | add people or keys, or ask for fewer |
| a quorum whose keys have expired, from that moment on | add a key that is valid; \`policy check\` shows each approver's usable keys |
| a pattern that RE2 can't read, or that no text matches | correct it |
| a name that looks like a pattern without \`~\`, or that has blanks around it or hidden characters | begin a pattern with \`~\`, or write the name out |
| an effect that is allowed and forbidden, a window that never opens, an unknown time zone | remove one of the two, or correct it |
| two rules whose windows, actors or effects exclude each other for the same action | narrow \`match\` of one of them |
| a file or folder that others can write to, a link, a file below the project or the run's folders | move it to your configuration folder, mode 600 |

\`policy check FILE\` checks the content of a file wherever it is. If kairos would not use the file from there, the row \`not usable
here\` shows why (with \`--json\`: \`refused_here\`).`;

const ORDER: Order = [
  ['policy', 'Policy', 'The keys of the file.'],
  ['approvers', 'approvers', 'One item a person.'],
  ['keys', 'approvers.keys', 'One item a key.'],
  ['approvals', 'approvals', 'For every approval.'],
  ['rules', 'rules', 'One item a rule. The gate denies an action without a matching rule.'],
  ['match', 'rules.match', 'Every key that is set has to fit.'],
  ['threshold', 'rules.threshold', 'A quorum.'],
  [
    'windows',
    'rules.windows',
    'One item a window; one that is open is enough. A window past midnight is written as two.',
  ],
  ['tools', 'tools', 'One item a tool.'],
  ['target', 'tools.target', 'What the tool acts on.'],
  ['constraints', 'constraints', 'Under the name of the constraint.'],
];

const CASES = `## Cases

\`kairos policy test FILE...\` asks the gate about each case of a file and compares the decision with the expected one. It records
nothing and needs no store. Exit 0: every case passes; 1: a case fails; 2: a file or its policy is invalid. Rules that no case is
covered by are named. Approvals count as if they were signed. A case has the same answer on every machine and day.`;

const CASE_ORDER: Order = [
  ['file', 'File of cases', 'YAML or JSON.'],
  ['cases', 'cases', 'One item a case. `defaults` has the same keys except `name` and `expect`.'],
  ['evidence', 'cases.evidence', 'One item a proof.'],
  ['approvals', 'cases.approvals', 'One item an answer.'],
  ['expect', 'cases.expect', 'What the gate has to decide.'],
];

const TAIL = `## Examples

Each has its cases next to it; \`kairos policy test\` passes on all of them.

| policy | for | cases |
|---|---|---|
| [solo](examples/policies/solo.policy.yaml) | one person with agents | [cases](examples/policies/solo.cases.yaml) |
| [team](examples/policies/team.policy.yaml) | a team of four with owners | [cases](examples/policies/team.cases.yaml) |
| [change board](examples/policies/change-board.policy.yaml) | a board, windows and hardware keys | [cases](examples/policies/change-board.cases.yaml) |`;

/** One table a mapping. */
export function sections(order: Order, tables: ReadonlyMap<string, string[]>): string[] {
  return order.map(([name, title, about]) => {
    const rows = tables.get(name) ?? [];
    const head = ['| key | type | default | meaning | example |', '|---|---|---|---|---|'];
    return [`### ${title}`, about, [...head, ...rows].join('\n')].join('\n\n');
  });
}

/** An example of each key in YAML, by the key of its mapping and its own. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'policy.version': '1',
  'policy.approvers': '[{name: ada, keys: [{key: ssh-ed25519 AAAA… ada}]}]',
  'policy.groups': '{dba: [ada, bob]}',
  'policy.approvals': '{ttl_ms: 900000}',
  'policy.rules': '[{match: {action_types: delete}, approval_class: dual}]',
  'policy.tools': '[{tool_name: drop_table, action_type: delete, target: {resource_type: table}}]',
  'policy.constraints': '{region: {value: {enum: [eu, us]}}}',
  'approvers.name': 'ada',
  'approvers.actors': '[ada, ci-ada]',
  'approvers.keys': '[{key: ssh-ed25519 AAAA… ada}]',
  'keys.key': 'ssh-ed25519 AAAA… ada',
  'keys.valid_from': '2026-01-01T00:00:00Z',
  'keys.valid_until': '2027-01-01T00:00:00Z',
  'keys.revoked': 'true',
  'approvals.ttl_ms': '900000',
  'approvals.terminal': 'true',
  'approvals.hardware_keys': 'true',
  'rules.name': 'deletes-in-production',
  'rules.match': '{action_types: delete, domain: prod.example}',
  'rules.approval_class': 'dual',
  'rules.threshold': '{n: 2, of: [dba]}',
  'rules.actors': '[ada, deploy-bot]',
  'rules.allowed_effects': '[table_dropped]',
  'rules.forbidden_effects': '[data_loss]',
  'rules.windows': '[{days: [sat], from: "22:00", time_zone: Europe/Vienna}]',
  'rules.freshness_ms': '600000',
  'rules.evidence_assurance': 'observed',
  'rules.evidence_optional': 'true',
  'match.action_types': '[write, delete]',
  'match.resource_type': 'database',
  'match.resource_id': '~orders-.*',
  'match.domain': 'prod.example',
  'threshold.n': '2',
  'threshold.of': '[ada, dba]',
  'threshold.groups': '{dba: 1}',
  'windows.days': '[sat, sun]',
  'windows.from': '"22:00"',
  'windows.until': '"24:00"',
  'windows.time_zone': 'Europe/Vienna',
  'tools.tool_name': 'drop_table',
  'tools.action_type': 'delete',
  'tools.target': '{resource_type: table}',
  'target.resource_type': 'table',
  'target.resource_id': 'orders',
  'target.domain': 'prod.example',
  'target.constraints': '{region: eu}',
  'constraints.value': '{enum: [eu, us]}',
  'constraints.parameters': '{type: object, required: [region]}',
  'file.policy': 'team.policy.yaml',
  'file.defaults': '{actor: deploy-bot}',
  'file.cases': '[{name: a delete waits, expect: {decision: HOLD}}]',
  'cases.name': 'a delete in production waits for two',
  'cases.now': '2026-03-07T23:00:00Z',
  'cases.actor': 'deploy-bot',
  'cases.proposal': '{action_type: delete}',
  'cases.template': '{approval_class: single}',
  'cases.proof_of_work': '{type: comment}',
  'cases.evidence': '[{step: 1, fields: {exit_code: 0}}]',
  'cases.approvals': '[{approver: ada}]',
  'cases.expect': '{decision: HOLD, needed: 2}',
  'evidence.step': '2',
  'evidence.type': 'user_input',
  'evidence.assurance': 'client',
  'evidence.at': '2026-01-05T11:00:00Z',
  'evidence.fields': '{confirmation: yes}',
  'approvals.approver': 'ada',
  'approvals.decision': 'deny',
  'approvals.via': 'terminal',
  'approvals.key': '2',
  'approvals.at': '2026-01-05T11:30:00Z',
  'expect.decision': 'HOLD',
  'expect.codes': '[K-PROP-140]',
  'expect.rules': '[deletes-in-production]',
  'expect.needed': '2',
  'expect.given': '1',
  'answers file.answers': '{1: done, 3.answer: blue, input.TARGET_HOST: lb2, closing: All of it went well.}',
  'answers.answer': '3.answer: blue',
  'answers.comment': '2.comment: Looked at every page of it.',
  'answers.phrase': '4.phrase: run it',
  'answers.proposal': '5.proposal: {action_type: delete}',
  'answers.result': `6.result: '{"state": "merged"}'`,
  'answers.run': '4.run: "yes"',
  'answers.sampling': `7.sampling: '{"verdict": "clear"}'`,
  'inputs file.NAME': 'TARGET_HOST: lb2',
  'hold list.holds': '[{match: {command: git push}, protocol: release}]',
  'holds.match': '{command: git push}',
  'holds.protocol': 'release',
  'holds.step': '4',
  'holds.allow_when': 'attested',
  'holds.else': 'ask',
  'match.command': 'npm publish --tag latest',
  'match.tool': 'github/merge_pull_request',
  'match.arguments': '{repo: acme/*}',
};

/** Adds a row of each key of a schema to the table of its mapping. */
export function collect(schema: unknown, name: string, tables: Map<string, string[]>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, required, ...rest } = schema as JsonSchema;
  for (const [key, value] of Object.entries((properties ?? {}) as Record<string, JsonSchema>)) {
    const rows = tables.get(name) ?? [];
    tables.set(name, rows);
    const row = rowOf(name, key, value, Array.isArray(required) && required.includes(key));
    if (!rows.some((each) => each.startsWith(`| \`${key}\` `))) rows.push(row);
    // What cases share is described once, with the cases.
    if (key !== 'defaults') collect(value, key, tables);
  }
  for (const key of ['items', 'anyOf', 'additionalProperties'])
    for (const each of [rest[key]].flat()) collect(each, name, tables);
}

function rowOf(name: string, key: string, schema: JsonSchema, isRequired: boolean): string {
  const example = EXAMPLES[`${name}.${key}`];
  if (example === undefined) throw new Error(`no example of the key ${name}.${key} in policy-page.ts`);
  const fallback =
    schema.default === undefined
      ? isRequired
        ? 'required'
        : 'optional'
      : `\`${JSON.stringify(schema.default)}\``;
  const cells = [`\`${key}\``, typeOf(schema), fallback, String(schema.description ?? ''), `\`${example}\``];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(schema: JsonSchema): string {
  const words = (schema.enum ?? (schema.const === undefined ? undefined : [schema.const])) as
    | unknown[]
    | undefined;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (Array.isArray(schema.anyOf))
    return [...new Set(schema.anyOf.map((one) => typeOf(one as JsonSchema)))].join(' or ');
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return types.map((type) => typeOf({ ...schema, type })).join(', ');
  }
  switch (schema.type) {
    case 'number':
      return 'number';
    case 'string':
      return schema.format === 'date-time' ? 'instant' : 'text';
    case 'integer':
      return 'whole number';
    case 'boolean':
      return 'true or false';
    case 'array': {
      const items = typeOf(schema.items as JsonSchema);
      return items === 'mapping' ? 'list' : `list of ${items === 'text' ? 'texts' : items}`;
    }
    case 'object':
      return 'mapping';
    default:
      return 'any JSON';
  }
}
