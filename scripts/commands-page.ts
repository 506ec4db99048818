import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command, Option } from 'commander';
import type { ErrorCode, RunErrorCode } from '../src/base/errors.ts';
import { DEFINITIONS } from '../src/cli/every-command.ts';
import { helpEnd } from '../src/cli/help-examples.ts';
import { buildProgram } from '../src/cli/program.ts';

/** A command as its help describes it. */
interface CommandDoc {
  /** `runs show`; empty for the program itself. */
  name: string;
  group: string;
  usage: string;
  about: string;
  terms: { term: string; about: string }[];
  exitCodes: { term: string; about: string }[];
  examples: string[];
  depth: number;
}

function programTree(): Command {
  const stream = Object.assign(new PassThrough(), { columns: 100 });
  const io = {
    stdin: stream,
    stdout: stream,
    stderr: stream,
    env: {},
    cwd: '/',
    now: () => 0,
    signals: process,
  };
  return buildProgram(Object.values(DEFINITIONS), io, (command) => command.action(() => undefined));
}

function commandDocs(): CommandDoc[] {
  const program = programTree();
  const docs = (command: Command, path: readonly string[], group: string): CommandDoc[] => {
    const inner = command
      .createHelp()
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help');
    return [
      commandDoc(command, path, group),
      ...inner.flatMap((child) => docs(child, [...path, child.name()], group)),
    ];
  };
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => docs(command, [command.name()], command.helpGroup() ?? ''));
}

function commandDoc(command: Command, path: readonly string[], group: string): CommandDoc {
  const name = path.join(' ');
  const help = command.createHelp();
  const end = helpEnd(name);
  const [codes = '', examples = ''] = end.split(/\n?Examples:\n/);
  return {
    name,
    group: group.replace(/:$/, ''),
    usage: `kairos ${name} ${command.usage()}`.trim(),
    about: command.description(),
    terms: [
      ...help
        .visibleArguments(command)
        .map((argument) => ({
          term: help.argumentTerm(argument),
          about: help.argumentDescription(argument),
        })),
      ...command.options.filter((option) => !option.hidden).map((option) => optionDoc(command, option)),
    ],
    exitCodes: [...codes.matchAll(/^ {2}(\S+) +(.+)$/gm)].map(([, term, about]) => ({
      term: term!,
      about: about!,
    })),
    examples: examples
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
    depth: path.length,
  };
}

function optionDoc(command: Command, option: Option): { term: string; about: string } {
  const help = command.createHelp();
  return { term: help.optionTerm(option), about: help.optionDescription(option) };
}

/** The options that every command accepts. */
function globalOptions(): { term: string; about: string }[] {
  const program = programTree();
  return program.options.map((option) => optionDoc(program, option));
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

/** docs/commands.md: every command with its arguments, options and examples. */
export function commandsPage(): string {
  const docs = commandDocs();
  const groups = [...new Set(docs.map(({ group }) => group))];
  return `${[
    `# Commands

<!-- Written by scripts/format-docs.mjs from the commands themselves. Do not edit. -->

What \`kairos COMMAND --help\` prints, on one page. [The command line](command-line.md) describes what all commands have in common: where
things are, exit codes, variables, and output for programs.`,
    `## For every command\n\n${table(globalOptions())}`,
    ...groups.flatMap((group) => [
      `## ${group}`,
      ...docs.filter((doc) => doc.group === group).map(commandSection),
    ]),
  ].join('\n\n')}\n`;
}

function commandSection({ name, usage, about, terms, exitCodes, examples }: CommandDoc): string {
  return [
    `### kairos ${name}`,
    cellText(about),
    ['```', usage, '```'].join('\n'),
    ...(terms.length === 0 ? [] : [table(terms)]),
    ...(exitCodes.length === 0
      ? []
      : [`Exit codes: ${exitCodes.map(({ term, about }) => `${term} ${about}`).join('; ')}.`]),
    ...(examples.length === 0 ? [] : [['```sh', ...examples, '```'].join('\n')]),
  ].join('\n\n');
}

const cellText = (text: string) => text.replaceAll('<', '&lt;');

function table(rows: readonly { term: string; about: string }[]): string {
  return [
    '| | |',
    '|---|---|',
    ...rows.map(({ term, about }) => `| \`${term.replaceAll('|', '\\|')}\` | ${cell(about)} |`),
  ].join('\n');
}

/** man/kairos.1, from the same commands and the table of variables in docs/command-line.md. */
export function manPage(version: string): string {
  const docs = commandDocs();
  const groups = [...new Set(docs.map(({ group }) => group))];
  return `${[
    `.\\" Written by scripts/format-docs.mjs from the commands themselves. Do not edit.`,
    `.TH KAIROS 1 "" "kairos ${version}" "User Commands"`,
    '.SH NAME',
    'kairos \\- procedures that people and agents really follow, and can prove that they followed',
    '.SH SYNOPSIS',
    '.B kairos',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    roff(
      'A procedure is a markdown file, a protocol: each second heading is a step, and a step can demand a proof before the next one opens. People run it in a terminal, agents over MCP. Either way the run leaves a sealed ledger that anybody can verify.',
    ),
    '.PP',
    'The commands below are grouped as in the output of',
    '.BR "kairos \\-\\-help" .',
    '.SH OPTIONS',
    ...globalOptions().flatMap(manTerm),
    ...groups.flatMap((group) => [
      `.SH ${roff(group.toUpperCase())}`,
      ...docs.filter((doc) => doc.group === group).flatMap(manCommand),
    ]),
    '.SH ENVIRONMENT',
    ...variables().flatMap(manTerm),
    '.SH FILES',
    ...FILES.flatMap(manTerm),
    '.SH EXIT STATUS',
    ...EXIT_STATUS.flatMap(manTerm),
    '.SH SEE ALSO',
    'The folder \\fIdocs\\fR of the package has a tutorial, how-to pages and the reference.',
    '.BR jq (1)',
    'and',
    '.BR sha256sum (1)',
    'verify a ledger without kairos.',
  ].join('\n')}\n`;
}

function manCommand({ usage, about, terms, exitCodes, examples }: CommandDoc): string[] {
  return [
    `.SS ${roff(usage)}`,
    roff(about),
    ...[...terms, ...exitCodes.map(({ term, about }) => ({ term: `Exit ${term}`, about }))].flatMap(manTerm),
    ...(examples.length === 0
      ? []
      : ['.PP', 'For example:', '.PP', '.nf', '.RS', ...examples.map(roff), '.RE', '.fi']),
  ];
}

function manTerm({ term, about }: { term: string; about: string }): string[] {
  return ['.TP', `.B ${roff(term)}`, roff(about)];
}

/** Text for roff: a leading dot or quote is a request, a backslash an escape, and a hyphen would be typeset. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(['.])/gm, '\\&$1')
    .replace(
      /[\u0080-\u{10ffff}]/gu,
      (char) => `\\[u${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

/** The rows of a table in docs/command-line.md that are about variables, without markdown. */
function variables(): { term: string; about: string }[] {
  const page = readFileSync('docs/command-line.md', 'utf8');
  const section = page.split('## Environment variables\n')[1]!.split('\n## ')[0]!;
  const plain = (text: string) =>
    text
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('`', '')
      .trim();
  return [...section.matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm)].map(([, term, about]) => ({
    term: plain(term!),
    about: plain(about!),
  }));
}

const FILES = [
  { term: '~/.local/share/kairos', about: 'The data folder on Linux: store, keys, trust.' },
  {
    term: '~/.config/kairos',
    about: 'The configuration folder on Linux: kairos.config.yaml, kairos.policy.yaml, hold.yaml.',
  },
];

const EXIT_STATUS = [
  { term: '0', about: 'Done.' },
  { term: '1', about: 'A proof was refused, or an operation failed.' },
  { term: '2', about: 'Usage, or input that cannot be used; nothing was tried.' },
  { term: '130', about: 'Ctrl-C. Other signals: 128 and their number.' },
];

/** docs/errors.md: every code with what it means and what to do. */
export function errorsPage(): string {
  const rows = (codes: Record<string, readonly [string, string]>) =>
    [
      '| code | means | what to do |',
      '|---|---|---|',
      ...Object.entries(codes).map(([code, [means, todo]]) => `| \`${code}\` | ${means} | ${todo} |`),
    ].join('\n');
  return `${[
    `# Error codes

<!-- Written by scripts/format-docs.mjs. Do not edit. -->

Programs match on codes; the texts next to them may change. [The command line](command-line.md#exit-codes) has the exit codes.`,
    `## Errors of a command

On standard error as \`error:\` and \`hint:\`, with \`--json\` as \`{"error": {"code", "message", "hint", "url"}}\`. Over MCP as the error of a tool.
The operation did not happen.

${rows(ERRORS)}`,
    `## Errors of a run

In \`error_code\` of an ordinary answer, together with \`next_action\`, which is the call that continues. Most refused proofs count as one of
three tries for their step.

${rows(RUN_ERRORS)}`,
  ].join('\n\n')}\n`;
}

const ERRORS: Record<ErrorCode, readonly [means: string, todo: string]> = {
  NOT_FOUND: ['no protocol has this URI, slug or digest', 'list them with `kairos list`'],
  DUPLICATE_CHAIN: [
    'a protocol with this slug and other content is stored',
    '`kairos update`, or `mint --force`',
  ],
  IMPORT_CONFLICT: [
    'the target of an import has something different',
    'choose `--on-conflict skip` or `replace`',
  ],
  SIMILAR_MEMORY_FOUND: [
    'a stored protocol does nearly the same',
    'compare the two; `mint --force` stores it anyway',
  ],
  PROTOCOL_INVALID: ['the document has errors', 'run `kairos lint` on it'],
  INVALID_SLUG: ['the slug has other characters than a–z, 0–9 and single hyphens', 'correct the frontmatter'],
  INVALID_INPUT: ['a value cannot be used; the message names it', 'correct the value'],
  STORE_UNAVAILABLE: ['the store cannot be opened or reached', 'check the path or address; repeat the call'],
  STORE_DAMAGED: [
    'a stored record differs from its digest',
    '`kairos doctor`, then restore a [backup](your-data.md)',
  ],
  READ_ONLY: [
    'the protocol is part of kairos, or the server only reads',
    'use another slug, or another server',
  ],
  RUN_NOT_FOUND: ['no run has this id here', 'list them with `kairos runs`; check `--space` and `--store`'],
  RUN_PRUNED: ['the run was moved out of the store', 'read its archive, which the message names'],
  UNTRUSTED: ['the content is not trusted on this machine', 'read it and run `kairos trust`'],
  HANDOVER_REFUSED: [
    'the [handover file](handover.md) was changed, or is for another machine',
    'name the run: `kairos resume RUN`',
  ],
  USAGE: ['a wrong option or argument', '`--help` of the command'],
  FILE_UNREADABLE: ['a file cannot be read', 'check the path and its permissions'],
  FILE_UNWRITABLE: ['a file cannot be written', 'check the path, its permissions and the free space'],
  KEY_UNUSABLE: [
    'the sealing key is missing, readable by others, or not ed25519',
    '`kairos doctor`, `kairos key`',
  ],
  POLICY_UNUSABLE: ['the policy has errors, or others can write to it', '`kairos policy check`'],
  EMBEDDING_FAILED: [
    'the embedding provider did not answer',
    'check it with `kairos doctor`; search by words still works',
  ],
  INTERNAL: ['a fault of kairos', 'repeat it with `--debug`, and report it'],
};

const RUN_ERRORS: Record<RunErrorCode, readonly [means: string, todo: string]> = {
  MISSING_PROOF: ['the step demands a proof and the call had none', 'solve the challenge'],
  MISSING_FIELD: ['the solution lacks a field', 'add it; the message names it'],
  NONCE_MISMATCH: [
    'the solution does not have the nonce of the newest challenge',
    'use the one in this answer',
  ],
  PROOF_HASH_MISMATCH: [
    'the solution does not have the hash of the proof before it',
    'use the one in this answer',
  ],
  TYPE_MISMATCH: ['the solution is of another type', 'use the type of the challenge'],
  COMMAND_FAILED: ['the command ended with another exit code', 'find the cause, run it again'],
  COMMAND_TIMED_OUT: ['the command ran longer than its limit', 'find the cause, run it again'],
  OUTPUT_MISMATCH: ['output or a file is not as the step demands', 'compare with the message'],
  CAPTURE_FAILED: ['a value for later steps is not in the output', 'compare with the message'],
  MCP_TOOL_MISMATCH: ['another tool was called', 'call the tool of the challenge'],
  MCP_ARGUMENTS_MISMATCH: ['the tool was called with other arguments', 'call it with those of the challenge'],
  MCP_RESULT_MISMATCH: ['the tool returned something else than demanded', 'compare with the message'],
  TOOL_FAILED: ['the tool reported an error', 'find the cause, call it again'],
  USER_DECLINED: ['the user refused', 'ask the user what to do'],
  ELICITATION_FAILED: ['the client could not ask the user', 'ask the user yourself and submit the answer'],
  SAMPLING_FAILED: ["the client's model gave no answer", 'answer the prompt yourself'],
  SAMPLING_INVALID_OUTPUT: ['the answer does not fit the schema', 'answer again'],
  COMMENT_TOO_SHORT: ['the comment is shorter than demanded', 'write what was done'],
  COMMENT_TRIVIAL: ['the comment is filler, a repetition or a copy', 'write what was done in your own words'],
  ASSURANCE_TOO_LOW: [
    'a claim, where the step demands an observation or a signature',
    'let kairos run it, or a human continue',
  ],
  CLAIM_CONTRADICTED: ['the claim disagrees with what the client reported', 'submit what really happened'],
  EFFECT_EXCEEDED: ['more records were affected than permitted', 'inform the user; a new proposal is needed'],
  PROPOSAL_REQUIRED: ['the step is gated and has no proposal yet', 'submit one'],
  PROPOSAL_DENIED: ['the gate denied the proposal; the reasons are listed', 'correct it, or inform the user'],
  PROPOSAL_ON_HOLD: ['people must approve the proposal', 'wait; ask the user'],
  INPUT_REQUIRED: ['an input of the protocol has no value', 'begin again with `inputs`'],
  NOT_FIRST_STEP: ['the URI is not that of a first step', 'begin with the protocol'],
  OUT_OF_ORDER: ['another step is pending', 'make the call of `next_action`'],
  RUN_NOT_FOUND: ['no such run is open', 'begin one'],
  AMBIGUOUS_RUN: ['several open runs fit', 'name one with `run_id`'],
  RUN_CLOSED: ['the run is sealed', 'begin a new one'],
  CONFLICT: ['another call was faster', 'make the call of `next_action`'],
  MAX_RETRIES_EXCEEDED: ['the step was refused too often', 'ask the user; attest as failure if need be'],
};
