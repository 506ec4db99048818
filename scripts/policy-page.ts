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

type Order = readonly (readonly [name: string, title: string, about: string])[];

const HEAD = `# The policy: reference

<!-- Written by scripts/format-docs.mjs from the schemas. Do not edit. -->

\`kairos.policy.yaml\` lies in your own configuration folder. [gate.md](gate.md) describes how the gate uses it, [format.md](format.md) has
the template that a step sets (\`proposal\`). Unknown keys are errors. \`kairos policy check\` reads a policy as the gate does,
\`kairos schema policy\` prints its JSON Schema for editors.

\`\`\`sh
kairos policy check
kairos policy test team.cases.yaml
kairos policy explain RUN
kairos policy explain --action delete --resource-type database --resource-id main --domain prod.example
\`\`\`

\`kairos policy explain\` shows how each rule judges a proposal of a run, or to an action that the options name, and which rule decides.`;

const ORDER: Order = [
  ['policy', 'Policy', 'The keys of the file.'],
  ['approvers', 'approvers', 'One item a person.'],
  ['keys', 'approvers.keys', 'One item a key.'],
  ['approvals', 'approvals', 'For every approval.'],
  ['rules', 'rules', 'One item a rule. What no rule covers is denied.'],
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

function sections(order: Order, tables: ReadonlyMap<string, string[]>): string[] {
  return order.map(([name, title, about]) => {
    const rows = tables.get(name) ?? [];
    const head = ['| key | type | default | meaning |', '|---|---|---|---|'];
    return [`### ${title}`, about, [...head, ...rows].join('\n')].join('\n\n');
  });
}

function collect(schema: unknown, name: string, tables: Map<string, string[]>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, required, ...rest } = schema as JsonSchema;
  for (const [key, value] of Object.entries((properties ?? {}) as Record<string, JsonSchema>)) {
    const rows = tables.get(name) ?? [];
    tables.set(name, rows);
    const row = rowOf(key, value, Array.isArray(required) && required.includes(key));
    if (!rows.some((each) => each.startsWith(`| \`${key}\` `))) rows.push(row);
    // What cases share is described once, with the cases.
    if (key !== 'defaults') collect(value, key, tables);
  }
  for (const key of ['items', 'anyOf', 'additionalProperties'])
    for (const each of [rest[key]].flat()) collect(each, name, tables);
}

function rowOf(key: string, schema: JsonSchema, isRequired: boolean): string {
  const fallback =
    schema.default === undefined
      ? isRequired
        ? 'required'
        : 'optional'
      : `\`${JSON.stringify(schema.default)}\``;
  const cells = [`\`${key}\``, typeOf(schema), fallback, String(schema.description ?? '')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(schema: JsonSchema): string {
  const words = (schema.enum ?? (schema.const === undefined ? undefined : [schema.const])) as
    | unknown[]
    | undefined;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (Array.isArray(schema.anyOf))
    return [...new Set(schema.anyOf.map((one) => typeOf(one as JsonSchema)))].join(' or ');
  switch (schema.type) {
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
