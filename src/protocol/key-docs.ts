import { type KeyDoc, PROPOSAL_DOCS } from './proposal-docs.ts';

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
    fallback: "the run's working directory",
  },
  'shell.env': {
    meaning: 'Names of environment variables to pass in addition to those that are always passed.',
    example: '[GITHUB_TOKEN]',
  },
  'shell.expect_exit_code': { meaning: 'Exit code that proves the step.', example: '2' },
  'shell.stdout_matches': {
    meaning:
      'RE2 pattern to find in the redacted standard output (up to 8 MiB), its last line feed left out.',
    example: "'^ok$'",
  },
  'shell.interactive': {
    meaning: 'Whether the command gets the terminal itself, for passwords and editors.',
    example: 'true',
    fallback: '`false`',
  },
  'shell.interpreter': {
    meaning: 'Program that runs the command with -c, -e or -Command. `python` means `python3`.',
    example: 'python3',
    fallback: '`sh`',
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
    meaning:
      "Where the value comes from: stdout of a command (up to 8 MiB), result of a tool, or a person's answer.",
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
    meaning: 'Whether the value is redacted everywhere and never recorded. It has at least 6 characters.',
    example: 'true',
    fallback: '`false`',
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
    meaning: 'Whether the value is redacted everywhere and never recorded. It has at least 6 characters.',
    example: 'true',
    fallback: '`false`',
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
  'frontmatter.holds': {
    meaning:
      'Calls of an agent that wait for a step of this protocol. They count once a person has trusted the protocol.',
    example: '[{match: {command: git push}}]',
  },
  'list.holds': {
    meaning: 'The holds. If several match a call, it is enough that one lets it through.',
    example: '[{match: {command: git push}, protocol: release}]',
  },
  'holds.match': { meaning: 'The calls that are held: a command or a tool.', example: '{command: git push}' },
  'holds.protocol': {
    meaning: 'Only in hold.yaml: slug of the protocol that lets the call through.',
    example: 'release',
  },
  'holds.step': {
    meaning: 'Number of the step that lets the call through. Left out: any step.',
    example: '4',
  },
  'holds.allow_when': {
    meaning:
      'demanded: the pending step of a run demands exactly this call. open: a run is open. attested: a run has succeeded.',
    example: 'open',
  },
  'holds.else': {
    meaning: 'deny: the call is refused. ask: the client asks the user, where it can.',
    example: 'ask',
  },
  'match.command': {
    meaning:
      'A command and its first words. Options may be between the words, further arguments behind them. `*` stands for any text in a word.',
    example: 'git push',
  },
  'match.tool': {
    meaning: 'Name of a tool, or SERVER/NAME for a tool of an MCP server. `*` stands for any text.',
    example: 'github/merge_pull_request',
  },
  'match.arguments': {
    meaning: 'Arguments that the tool call must have. `*` in a text stands for any text.',
    example: '{repo: acme/*}',
  },
  'sampling.system': { meaning: 'System prompt.', example: 'You review release notes.' },
  'sampling.prompt': { meaning: 'Prompt.', example: 'Judge these notes.' },
  'sampling.temperature': { meaning: 'Sampling temperature.', example: '0' },
  'sampling.top_p': { meaning: 'Nucleus sampling.', example: '1' },
  'sampling.max_tokens': { meaning: 'Maximum number of tokens of the answer.', example: '2048' },
  'sampling.approval_mode': {
    meaning: 'Whether a person approves the answer (user) or the schema alone decides (auto).',
    example: 'auto',
    fallback: '`user`',
  },
  'sampling.output_schema': {
    meaning: 'JSON Schema 2020-12 that the answer must satisfy.',
    example: '{type: object}',
  },
  ...PROPOSAL_DOCS,
};
