import { answersSchema, inputsFileSchema, jsonSchemaOf } from '../src/operations/json-schemas.ts';
import { collect, type Order, sections } from './policy-page.ts';

/** The reference of the files that people write next to protocols, from the schemas' own descriptions. */
export function filesPage(): string {
  const tables = new Map<string, string[]>();
  collect(answersSchema(), 'answers file', tables);
  const { additionalProperties } = inputsFileSchema();
  collect({ properties: { NAME: additionalProperties } }, 'inputs file', tables);
  collect(jsonSchemaOf('hold'), 'hold list', tables);
  return `${[HEAD, ...sections(ORDER, tables).map((section) => section.replace(/^### /, '## ')), TAIL].join('\n\n')}\n`;
}

const HEAD = `# Answers, inputs and hold lists: reference

<!-- Written by scripts/format-docs.mjs from the schemas. Do not edit. -->

\`kairos schema answers\`, \`kairos schema inputs\` and \`kairos schema hold\` print the JSON Schemas for editors. Policies and their cases
have [their own page](policy.md), protocols [theirs](format.md). Unknown keys are errors. All files are YAML or JSON, at most 1 MiB,
without anchors, aliases and tags.`;

const ORDER: Order = [
  [
    'answers file',
    'Answers file',
    `For \`kairos run --answers FILE\`. A key under \`answers\` is the number of a step, its label, the slug of its label, or the id of a
question. \`kairos run --no-input\` prints the ids. Texts are kept as written.

\`\`\`yaml
answers:
  1: The load balancer is empty
  Check the dashboard: { answer: healthy }
  input.TARGET_HOST: lb2
  closing: Drained lb2 and checked the dashboard.
\`\`\`

Errors, before the first step: \`missing\` for a question without an answer, \`unknown\` for a key that no question has, \`ambiguous\` for a
key of several questions, \`not accepted\` with what is expected (exit 2, \`INVALID_INPUT\`).`,
  ],
  [
    'answers',
    'Questions of a step',
    `Under the id of the question (\`3.answer\`), or in a mapping under the step (\`3: {answer: blue}\`). A step with one question needs no
name: \`3: blue\`. Two ids belong to no step: \`closing\`, the comment at the end, and \`input.NAME\`, the value of an input.`,
  ],
  [
    'inputs file',
    'Inputs file',
    `For \`--inputs FILE\` of \`kairos run\` and \`kairos begin\`: the [inputs](format.md) that the protocol declares. \`--input NAME=VALUE\`
comes first, then the file, then the environment with \`--inputs-from-env\`.

\`\`\`yaml
TARGET_HOST: lb2
RETRIES: 3
\`\`\`

Errors, before the first step: \`X is not an input of this protocol\`, \`TARGET_HOST is "a b". Expected: a text that matches [a-z0-9.-]+.\`
(exit 2, \`INVALID_INPUT\`). The value of a secret input is never in an error. Missing inputs are asked for, or exit 3.`,
  ],
  [
    'hold list',
    'Hold list',
    `\`hold.yaml\` in your configuration folder or in \`/etc/kairos\`, never in a project. [holding.md](holding.md) describes how calls are
compared. A hook refuses every command and tool that a list with an error names, and \`kairos hold list\` prints the path of the error, such
as \`holds.0.match: must name either a command or a tool\`.

\`\`\`yaml
holds:
  - match: { command: npm publish }
    protocol: release-npm-package
  - match: { tool: github/merge_pull_request, arguments: { repo: acme/* } }
    protocol: review-pull-request
    allow_when: attested
    else: ask
\`\`\``,
  ],
  ['holds', 'Each hold', 'One item of `holds`.'],
  ['match', 'Its match', 'Either a command or a tool.'],
];

const TAIL = `Examples of whole protocols with answers: [verify-fresh-install](../protocols/verify-fresh-install.md) and its
[answers](../protocols/verify-fresh-install.answers.yaml).`;
