import {
  frontmatterJsonSchema,
  holdJsonSchema,
  type JsonSchema,
  stepBlockJsonSchema,
} from '../src/protocol/json-schema.ts';
import { KEY_DOCS } from '../src/protocol/key-docs.ts';
import { INTERPRETERS, PROOF_TYPES } from '../src/protocol/terms.ts';

/** The reference of the format, from the schemas' own descriptions. */
export function formatPage(): string {
  const tables = new Map<string, string[]>();
  collect(frontmatterJsonSchema(), 'frontmatter', tables);
  collect(stepBlockJsonSchema(), 'block', tables);
  collect(holdJsonSchema(), 'list', tables);
  const sections = ORDER.map(([name, title, about]) => {
    const rows = tables.get(name) ?? [];
    return [
      `## ${title}`,
      about,
      ['| key | type | default | meaning | example | errors |', '|---|---|---|---|---|---|', ...rows].join(
        '\n',
      ),
    ].join('\n\n');
  });
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

const FENCE = '```';

const HEAD = `# The format of a protocol

<!-- Written by scripts/format-docs.mjs from the schemas. Do not edit. -->

A protocol is a markdown document. Each \`#\` heading is a protocol, each \`##\` heading under it a step. \`## Natural Language
Triggers\` and \`## Completion Rule\` describe the protocol and aren't steps. A document with a step block, a proof line or one of those
two headings is a protocol; any other document is prose.

## Shorthand

A fenced block is a step block when its info string is an interpreter's name and the word \`proof\`. The text is the command.

${FENCE}\`markdown
${FENCE}sh proof timeout=10m env=CI,GITHUB_TOKEN
npm test
${FENCE}
${FENCE}\`

| word | meaning | full form |
|---|---|---|
| first word | interpreter: ${INTERPRETERS.join(', ')}; \`python\` means \`python3\` | \`interpreter\` |
| \`timeout=\` | time limit in s, m, h or d; seconds without a unit | \`timeout_seconds\` |
| \`exit=\` | expected exit code | \`expect_exit_code\` |
| \`workdir=\` | directory, without spaces | \`workdir\` |
| \`env=\` | names of variables with commas | \`env\` |

Anything more needs the full form: the last fenced block of the step, tagged \`json\` or \`yaml\`.

${FENCE}\`markdown
${FENCE}yaml
proof_of_work:
  type: shell
  shell:
    cmd: npm test
    timeout_seconds: 600
    stdout_matches: '0 failed'
${FENCE}
${FENCE}\`

Both forms of one demand have the same digest. A block that can't be used (unreadable, not the last one, in a list, quote or comment) is
an error with its position. Unknown keys are errors: [block-unknown-key](rules/block-unknown-key.md),
[block-invalid](rules/block-invalid.md).

## Inputs and captures

Inputs and captures reach commands as environment variables: \`"$HOST"\`. Text uses them as \`{{HOST}}\`: step bodies, prompts,
choices, \`mcp.arguments\`, \`expected_result\`, \`outputs.path\` and \`equals\`. A reference in a command or pattern is an error
([reference-in-command](rules/reference-in-command.md)), and so is a name that doesn't exist at that step
([reference-unknown](rules/reference-unknown.md)). Anywhere else, such as in titles and the description, a reference stays unchanged
([reference-not-replaced](rules/reference-not-replaced.md)). A capture can be used by the steps after its own.

An argument, an expected result or an \`equals\` that is one reference and nothing else, such as \`count: '{{COUNT}}'\`, gets the number or boolean of
an input with that \`type\`. A number that JSON readers would change stays a text.

${FENCE}yaml
inputs:
  TARGET_HOST:
    description: Load balancer to drain
    pattern: '[a-z0-9.-]+'
    default: lb1
  DB_PASSWORD: { description: Password of the replica, secret: true }
${FENCE}

Names have capital letters, digits and underscores, begin with a letter and have at most 64 characters. Names of variables that are
always passed, that decide which programs run or that begin with \`KAIROS_\`, \`LD_\`, \`DYLD_\`, \`BASH_\`, \`GIT_CONFIG\` or \`NPM_CONFIG_\` are refused
([frontmatter-bad-inputs](rules/frontmatter-bad-inputs.md), [capture-unusable](rules/capture-unusable.md)).

A command gets every value unchanged. A value has at most 131000 bytes and no NUL or DEL character, and a secret has at least 6
characters. Otherwise kairos refuses an input before the first step, and a capture fails its step (\`CAPTURE_FAILED\`). So does a capture
that is empty.

kairos treats a value that looks like a secret (a token of a known shape, the password of an address, the value of a variable such as
\`DEPLOY_TOKEN\`) like one with \`secret: true\`, and reports that. Only its [keyed digest](ledger.md#digests-of-secrets) is recorded, so a
resumed run asks for it again. A text that is only shown has \`[redacted:NAME]\` in its place. Where a step has \`{{NAME}}\` in what it calls,
accepts or checks, such a value is refused. So is a value with a wildcard in \`outputs.path\`.

\`stdout_matches\` and captures from \`stdout\` read the whole output, up to 8 MiB, although the record keeps only the first and the last
64 KiB. \`stdout_matches\` searches the redacted output, and captures read the output itself. The step fails if the output is longer, or if
it was cut before kairos got it (\`stdout_bytes\` is then larger): let the command print less. kairos doesn't show the standard output of a
step that captures a secret from it. A hook or the gateway reports a redacted result. If a step captures a secret, the agent gives the
result itself, as \`claimed\`.`;

/** The objects of the format in the order of the page. */
const ORDER: readonly (readonly [name: string, title: string, about: string])[] = [
  [
    'frontmatter',
    'Frontmatter',
    'YAML between two lines of three hyphens, at the beginning of the document.',
  ],
  ['inputs', 'An input', 'Under its name in `inputs`. At most one of pattern, choices and type.'],
  [
    'holds',
    'A hold',
    'One item a call that agents may make only in this protocol. It counts once a person has trusted the protocol. See [holding.md](holding.md).',
  ],
  ['match', 'The match of a hold', 'Exactly one of command and tool.'],
  [
    'list',
    'hold.yaml',
    'Your own list of holds, in your configuration folder. See [holding.md](holding.md).',
  ],
  ['block', 'Step block', 'A step block has at least one of these keys.'],
  ['proof_of_work', 'Proof of work', 'Next to `type` is one object with the name of the type.'],
  [
    'shell',
    'shell',
    'Accepted when the exit code is as expected within the time limit and the pattern is found.',
  ],
  ['mcp', 'mcp', 'Accepted when the same tool succeeded with the declared arguments and the result fits.'],
  ['user_input', 'user_input', "Accepted with a person's non-empty answer."],
  ['comment', 'comment', 'Accepted when the text is long enough and has content.'],
  ['outputs', 'outputs', 'One item a file. See [sampling-and-outputs.md](sampling-and-outputs.md).'],
  ['captures', 'captures', 'One item a value. A capture that finds nothing fails the step.'],
  ['sampling', 'sampling', 'See [sampling-and-outputs.md](sampling-and-outputs.md).'],
  ['proposal', 'proposal', 'The proposal must repeat what the template sets. See [gate.md](gate.md).'],
  ['target', 'proposal.target', 'What the action is done to.'],
  ['preconditions', 'proposal.preconditions', 'One item a condition.'],
  ['risk_envelope', 'proposal.risk_envelope', 'Bounds of the action.'],
  ['rollback_semantics', 'proposal.rollback_semantics', 'How the action is rolled back.'],
  ['time_window', 'proposal.time_window', 'Bound of the time.'],
  ['evidence_bindings', 'proposal.evidence_bindings', 'One item a proof.'],
];

function collect(schema: unknown, name: string, tables: Map<string, string[]>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, required, ...rest } = schema as JsonSchema;
  for (const [key, value] of Object.entries((properties ?? {}) as Record<string, JsonSchema>)) {
    const rows = tables.get(name) ?? [];
    tables.set(name, rows);
    const isRequired = Array.isArray(required) && required.includes(key);
    const row = rowOf(name, key, value, isRequired);
    if (!rows.some((each) => each.startsWith(`| \`${key}\` `))) rows.push(row);
    collect(value, key, tables);
  }
  for (const [key, value] of Object.entries(rest)) {
    if (BELOW.has(key))
      for (const each of Array.isArray(value) ? value : [value]) collect(each, name, tables);
  }
}

const BELOW = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']);

function rowOf(name: string, key: string, schema: JsonSchema, isRequired: boolean): string {
  const { meaning, example, fallback: implied = 'optional' } = KEY_DOCS[`${name}.${key}`]!;
  const isOptional = !isRequired && schema.default === undefined;
  const fallback = isOptional ? implied : isRequired ? 'required' : `\`${JSON.stringify(schema.default)}\``;
  const isType = name === 'proof_of_work' && (PROOF_TYPES as readonly string[]).includes(key);
  const isName = name === 'proof_of_work' && key === 'type';
  const type = isName ? PROOF_TYPES.map((word) => `\`${word}\``).join(', ') : typeOf(schema);
  const cells = [
    `\`${key}\``,
    type,
    isType ? `with the type \`${key}\`` : fallback,
    meaning,
    `\`${example}\``,
    rulesOf(name, key),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The rules that report what can be wrong with a key. */
function rulesOf(name: string, key: string): string {
  const of = RULES[`${name}.${key}`] ?? [];
  const always = ALWAYS[name] ?? ['block-invalid'];
  return [...always, ...of].map((id) => `[${id}](rules/${id}.md)`).join(', ');
}

/** By the key of an object that isn't in a step block. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  frontmatter: [],
  list: [],
  inputs: ['frontmatter-bad-inputs'],
  holds: ['frontmatter-bad-holds'],
  match: ['frontmatter-bad-holds'],
};

/** By the key of an object and its own key. */
export const RULES: Readonly<Record<string, readonly string[]>> = {
  'frontmatter.slug': ['frontmatter-bad-slug', 'slug-with-several-chains', 'duplicate-slug'],
  'frontmatter.version': ['frontmatter-bad-version'],
  'frontmatter.tags': ['frontmatter-bad-tags'],
  'frontmatter.inputs': ['frontmatter-bad-inputs', 'input-unused'],
  'frontmatter.holds': ['frontmatter-bad-holds', 'hold-never-passes'],
  'holds.step': ['hold-never-passes'],
  'inputs.secret': ['secret-reference'],
  'block.proof_of_work': ['block-duplicate', 'block-not-last'],
  'block.outputs': ['output-contradiction'],
  'block.sampling': ['sampling-with-shell'],
  'block.proposal': ['proposal-contradiction', 'proposal-without-evidence'],
  'block.captures': ['capture-unusable'],
  'proof_of_work.type': ['legacy-missing-type'],
  'proof_of_work.required': ['only-optional-proofs'],
  'proof_of_work.assurance': ['assurance-out-of-reach'],
  'proof_of_work.mcp': ['mcp-without-server'],
  'shell.cmd': ['shell-syntax', 'reference-in-command', 'shell-variable-not-passed', 'shell-lost-failure'],
  'shell.timeout_seconds': ['timeout-missing', 'timeout-too-short'],
  'shell.workdir': ['path-outside-workdir'],
  'shell.env': ['env-better-input'],
  'shell.stdout_matches': ['block-bad-pattern', 'pattern-matches-anything'],
  'shell.interactive': ['shell-interactive'],
  'shell.interpreter': ['shell-bash-only'],
  'mcp.server': ['mcp-without-server'],
  'mcp.arguments': ['reference-unknown'],
  'mcp.expected_result': ['reference-unknown'],
  'mcp.result_schema': ['schema-accepts-anything'],
  'user_input.prompt': ['vague-prompt', 'open-question', 'reference-unknown'],
  'user_input.choices': ['refusal-among-choices'],
  'user_input.pattern': ['block-bad-pattern', 'pattern-matches-anything'],
  'comment.min_length': ['min-length-tiny'],
  'outputs.path': ['path-outside-workdir', 'reference-unknown'],
  'outputs.exists': ['output-contradiction'],
  'outputs.sha256': ['output-contradiction'],
  'outputs.matches': ['block-bad-pattern', 'pattern-matches-anything'],
  'outputs.json_pointer': ['output-contradiction'],
  'outputs.schema': ['schema-accepts-anything'],
  'captures.name': ['capture-unusable'],
  'captures.from': ['capture-unusable'],
  'captures.pattern': ['block-bad-pattern', 'capture-unusable'],
  'captures.json_pointer': ['capture-unusable'],
  'captures.secret': ['secret-reference'],
  'sampling.output_schema': ['schema-accepts-anything'],
  'proposal.action_type': ['proposal-custom-action'],
  'proposal.target': ['constraint-unknown'],
  'proposal.effects': ['proposal-contradiction'],
  'proposal.preconditions': ['precondition-never-holds', 'evidence-ref-unknown'],
  'proposal.risk_envelope': ['proposal-contradiction', 'proposal-too-open'],
  'proposal.rollback_semantics': ['rollback-incomplete', 'rollback-ignored', 'proposal-irreversible'],
  'proposal.time_window': ['duration-too-short', 'duration-under-timeout'],
  'proposal.approval_class': ['proposal-approval-open'],
  'proposal.evidence_bindings': ['proposal-without-evidence', 'evidence-id-duplicate'],
  'proposal.parameters_schema': [
    'parameters-schema-not-object',
    'parameters-schema-open',
    'parameter-unused',
  ],
  'target.constraints': ['constraint-unknown'],
  'preconditions.field': ['precondition-never-holds'],
  'preconditions.operator': ['precondition-never-holds'],
  'preconditions.value': ['precondition-never-holds'],
  'preconditions.evidence_ref': ['evidence-ref-unknown', 'evidence-ref-later', 'evidence-ref-weak'],
  'risk_envelope.allowed_side_effects': ['proposal-contradiction'],
  'risk_envelope.forbidden_effects': ['proposal-contradiction'],
  'risk_envelope.max_affected_records': ['proposal-max-records'],
  'risk_envelope.reversible_required': ['proposal-irreversible'],
  'rollback_semantics.command': ['rollback-incomplete', 'reference-in-command'],
  'rollback_semantics.chain_uri': ['kairos-uri-malformed'],
  'rollback_semantics.verify': ['rollback-incomplete', 'reference-in-command'],
  'time_window.max_duration_ms': ['duration-too-short', 'duration-under-timeout'],
  'evidence_bindings.evidence_id': ['evidence-id-duplicate'],
  'evidence_bindings.ref': ['evidence-ref-unknown', 'evidence-ref-later', 'evidence-ref-weak'],
};

function typeOf(schema: JsonSchema): string {
  const words = (schema.enum ?? (schema.const === undefined ? undefined : [schema.const])) as
    | string[]
    | undefined;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  const [least, most] = [schema.minimum, schema.maximum].map((bound) =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined,
  );
  const bounds =
    least === undefined ? '' : most === undefined ? `, at least ${least}` : `, ${least} to ${most}`;
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'integer':
      return `whole number${bounds}`;
    case 'number':
      return `number${bounds}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return (schema.items as JsonSchema | undefined)?.type === 'string' ? 'list of texts' : 'list';
    case 'object':
      return 'object';
    default:
      return schema.anyOf !== undefined || schema.oneOf !== undefined ? 'object' : 'any JSON';
  }
}
