/** What a key of the format means. The schemas, editors and docs/format.md use these texts. */
export interface KeyDoc {
  meaning: string;
  /** In YAML. */
  example: string;
}

/** By the key of the object and its own key. */
export const KEY_DOCS: Readonly<Record<string, KeyDoc>> = {
  'block.proof_of_work': {
    meaning: 'What the step demands before the run continues.',
    example: '{type: comment}',
  },
  'block.outputs': {
    meaning: 'Checks of files after the step. kairos reads the files itself.',
    example: '[{path: dist/app.js, exists: true}]',
  },
  'block.sampling': {
    meaning: 'A fixed prompt for a model, whose answer must satisfy a schema.',
    example: '{system: You review notes., prompt: Judge them., output_schema: {type: object}}',
  },
  'block.proposal': {
    meaning: 'Template of the proposal that the gate judges before a consequential step runs.',
    example: '{action_type: delete, approval_class: dual}',
  },
  'block.captures': {
    meaning: 'Values that are read from the accepted proof, for later steps.',
    example: '[{name: TAG, from: stdout}]',
  },
  'proof_of_work.type': {
    meaning:
      'Kind of the proof. If the proof has exactly one type object, the key may be left out, which lint reports.',
    example: 'shell',
  },
  'proof_of_work.required': {
    meaning: 'Whether the run needs the proof. An optional proof can be skipped with a reason.',
    example: 'false',
  },
  'proof_of_work.assurance': {
    meaning: 'Lowest accepted assurance of the proof: claimed, client, observed or attested.',
    example: 'observed',
  },
  'proof_of_work.shell': {
    meaning: 'A command that must end with the expected exit code within its timeout.',
    example: '{cmd: npm test}',
  },
  'proof_of_work.mcp': {
    meaning: 'A tool call that must succeed with the declared arguments.',
    example: '{tool_name: create_release}',
  },
  'proof_of_work.user_input': {
    meaning: 'A question that a person answers.',
    example: '{prompt: Does the dashboard look healthy?}',
  },
  'proof_of_work.comment': { meaning: 'A true description of what was done.', example: '{min_length: 50}' },
  'shell.cmd': { meaning: 'Command that the interpreter runs.', example: 'npm test' },
  'shell.timeout_seconds': {
    meaning: 'Time limit in seconds. The command and everything it started end after it.',
    example: '600',
  },
  'shell.workdir': {
    meaning: "Directory of the command, inside the run's working directory.",
    example: 'packages/app',
  },
  'shell.env': {
    meaning: 'Names of environment variables to pass in addition to those that are always passed.',
    example: '[GITHUB_TOKEN]',
  },
  'shell.expect_exit_code': { meaning: 'Exit code that proves the step.', example: '2' },
  'shell.stdout_matches': {
    meaning: 'RE2 pattern to find in the redacted standard output, its last line feed left out.',
    example: "'^ok$'",
  },
  'shell.interactive': {
    meaning: 'Whether the command gets the terminal itself, for passwords and editors.',
    example: 'true',
  },
  'shell.interpreter': {
    meaning: 'Program that runs the command with -c, -e or -Command. `python` means `python3`.',
    example: 'python3',
  },
  'mcp.tool_name': { meaning: 'Name of the tool to call.', example: 'create_release' },
  'mcp.server': { meaning: 'Name of the configured MCP server that has the tool.', example: 'github' },
  'mcp.arguments': {
    meaning: 'Arguments that the call must have, compared deeply.',
    example: '{tag: v1.2.0}',
  },
  'mcp.expected_result': {
    meaning: 'Expected result: of an object each key, any other value as a whole.',
    example: '{state: merged}',
  },
  'mcp.result_schema': {
    meaning: 'JSON Schema 2020-12 that the result must satisfy.',
    example: '{type: object}',
  },
  'user_input.prompt': { meaning: 'Question to the person.', example: 'Does the dashboard look healthy?' },
  'user_input.choices': {
    meaning: 'Answers to choose from. Without choices the answer is text.',
    example: '[approve, reject]',
  },
  'user_input.pattern': {
    meaning: 'RE2 pattern that the whole answer must match.',
    example: "'[A-Z]+-[0-9]+'",
  },
  'comment.min_length': {
    meaning: 'Minimum number of characters (grapheme clusters) after trimming.',
    example: '50',
  },
  'outputs.path': { meaning: 'Path inside the working directory; a glob is allowed.', example: 'dist/*.tgz' },
  'outputs.exists': { meaning: 'Whether the file must exist.', example: 'true' },
  'outputs.sha256': {
    meaning: 'SHA-256 of the content, 64 hexadecimal digits in lower case.',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
  'outputs.matches': { meaning: 'RE2 pattern to find in the content.', example: "'version: 1\\.'" },
  'outputs.json_pointer': {
    meaning: 'JSON Pointer to the value that equals and schema check.',
    example: '/version',
  },
  'outputs.equals': { meaning: 'JSON value that must be equal, compared deeply.', example: '1.2.0' },
  'outputs.schema': {
    meaning: 'JSON Schema 2020-12 that the value must satisfy.',
    example: '{type: string}',
  },
  'captures.name': {
    meaning:
      'Name of the environment variable and of the reference `{{NAME}}`: capital letters, digits and underscores.',
    example: 'TAG',
  },
  'captures.from': {
    meaning: "Where the value comes from: stdout of a command, result of a tool, or a person's answer.",
    example: 'stdout',
  },
  'captures.pattern': {
    meaning: 'RE2 pattern; its first group is the value, else the whole match.',
    example: "'version ([0-9.]+)'",
  },
  'captures.json_pointer': {
    meaning: 'JSON Pointer to the value. Not together with pattern.',
    example: '/id',
  },
  'captures.secret': {
    meaning: 'Whether the value is redacted everywhere and never recorded.',
    example: 'true',
  },
  'inputs.description': { meaning: 'What the value is, in a few words.', example: 'Load balancer to drain' },
  'inputs.pattern': { meaning: 'RE2 pattern that the whole value must match.', example: "'[a-z0-9.-]+'" },
  'inputs.choices': { meaning: 'Values to choose from.', example: '[staging, production]' },
  'inputs.type': {
    meaning: 'number or boolean. Without a type, pattern or choices any text fits.',
    example: 'number',
  },
  'inputs.default': {
    meaning: 'Value when none is given. Without it the input is required.',
    example: 'lb1',
  },
  'inputs.secret': {
    meaning: 'Whether the value is redacted everywhere and never recorded.',
    example: 'true',
  },
  'frontmatter.slug': {
    meaning:
      'Name of the protocol in commands and URIs: lower-case words joined by hyphens, at most 64 characters. Without it the title gives the slug.',
    example: 'release-npm-package',
  },
  'frontmatter.version': { meaning: 'Semantic version.', example: '1.2.0' },
  'frontmatter.tags': { meaning: 'Words for search and lists.', example: '[release, npm]' },
  'frontmatter.inputs': {
    meaning: 'Values of a run: environment variables that kairos asks for, checks and records.',
    example: '{HOST: {description: Host to drain}}',
  },
  'sampling.system': { meaning: 'System prompt.', example: 'You review release notes.' },
  'sampling.prompt': { meaning: 'Prompt.', example: 'Judge these notes.' },
  'sampling.temperature': { meaning: 'Sampling temperature.', example: '0' },
  'sampling.top_p': { meaning: 'Nucleus sampling.', example: '1' },
  'sampling.max_tokens': { meaning: 'Maximum number of tokens of the answer.', example: '2048' },
  'sampling.approval_mode': {
    meaning: 'Whether a person approves the answer (user) or the schema alone decides (auto).',
    example: 'user',
  },
  'sampling.output_schema': {
    meaning: 'JSON Schema 2020-12 that the answer must satisfy.',
    example: '{type: object}',
  },
  'proposal.action_type': { meaning: 'Kind of the action.', example: 'delete' },
  'proposal.target': {
    meaning: 'What the action is done to.',
    example: '{resource_type: database, resource_id: orders}',
  },
  'proposal.effects': { meaning: 'Effects that the action has.', example: '[traffic_drained]' },
  'proposal.preconditions': {
    meaning: 'Conditions that evidence must show.',
    example: '[{field: exit_code, operator: eq, value: 0, evidence_ref: backup}]',
  },
  'proposal.risk_envelope': {
    meaning: 'Bounds that the action stays within.',
    example: '{max_affected_records: 100}',
  },
  'proposal.rollback_semantics': {
    meaning: 'How the action is rolled back.',
    example: '{strategy: command, command: make restore}',
  },
  'proposal.time_window': {
    meaning: 'Bound of the time in which the action may run.',
    example: '{max_duration_ms: 600000}',
  },
  'proposal.approval_class': { meaning: 'How many people approve.', example: 'dual' },
  'proposal.evidence_bindings': {
    meaning: 'Proofs of earlier steps that support the proposal.',
    example: '[{evidence_id: backup, ref: step:2}]',
  },
  'proposal.parameters_schema': {
    meaning: "JSON Schema 2020-12 of the proposal's parameters. Commands get them as KAIROS_PARAM_NAME.",
    example: '{type: object}',
  },
  'target.resource_type': { meaning: 'Type of the resource.', example: 'database' },
  'target.resource_id': { meaning: 'Identifier of the resource.', example: 'orders' },
  'target.domain': { meaning: 'Domain that the resource belongs to.', example: 'billing' },
  'target.constraints': {
    meaning: 'Further bounds of the target, as a JSON object.',
    example: '{region: eu}',
  },
  'preconditions.field': { meaning: 'Field of the evidence to check.', example: 'exit_code' },
  'preconditions.operator': { meaning: 'How the field is compared with the value.', example: 'eq' },
  'preconditions.value': { meaning: 'Value to compare with.', example: '0' },
  'preconditions.evidence_ref': {
    meaning: 'Evidence that has the field, by its evidence_id.',
    example: 'backup',
  },
  'risk_envelope.allowed_side_effects': {
    meaning: 'Effects that may happen in addition to the effects.',
    example: '[cache_cleared]',
  },
  'risk_envelope.forbidden_effects': { meaning: 'Effects that must not happen.', example: '[data_loss]' },
  'risk_envelope.max_affected_records': {
    meaning: 'Maximum number of records that the action may change.',
    example: '100',
  },
  'risk_envelope.reversible_required': { meaning: 'Whether the action must be reversible.', example: 'true' },
  'rollback_semantics.strategy': {
    meaning: 'Way to roll back: none, manual, command or chain.',
    example: 'command',
  },
  'rollback_semantics.command': { meaning: 'Command that rolls back.', example: 'make restore' },
  'rollback_semantics.chain_uri': {
    meaning: 'URI of the protocol that rolls back.',
    example: 'kairos://mem/2f0c9d3e-6a41-5b7e-9c3d-1a2b3c4d5e6f',
  },
  'rollback_semantics.verify': {
    meaning: 'Command that shows that the rollback worked.',
    example: 'make check',
  },
  'rollback_semantics.deadline_ms': {
    meaning: 'Time in milliseconds in which a rollback is possible.',
    example: '3600000',
  },
  'time_window.max_duration_ms': {
    meaning: 'Longest duration of the permitted step in milliseconds.',
    example: '600000',
  },
  'evidence_bindings.evidence_id': {
    meaning: 'Name of the evidence inside the proposal.',
    example: 'backup',
  },
  'evidence_bindings.ref': { meaning: 'Proof that is the evidence.', example: 'step:2' },
  'evidence_bindings.freshness_ms': {
    meaning: 'Maximum age of the evidence in milliseconds.',
    example: '900000',
  },
};
