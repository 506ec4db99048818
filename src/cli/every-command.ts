import { Argument, Command } from 'commander';
import {
  actorOption,
  collectDigests,
  type Definition,
  GROUP,
  hereOption,
  policyOption,
  wholeNumber,
} from './command.ts';
import {
  exportDefinition,
  fmtDefinition,
  importDefinition,
  lspDefinition,
  migrateDefinition,
  newDefinition,
} from './commands/authoring/command.ts';
import { gatewayDefinition, holdDefinition, hookDefinition } from './commands/hold/command.ts';
import type { IndexCommandOptions } from './commands/index/handler.ts';
import { installDefinition } from './commands/install/command.ts';
import { keyDefinition } from './commands/key/command.ts';
import { lintDefinition } from './commands/lint/command.ts';
import { policyDefinition } from './commands/policy/command.ts';
import { proposalDefinition } from './commands/proposal/command.ts';
import {
  deleteDefinition,
  diffDefinition,
  dumpDefinition,
  listDefinition,
  logDefinition,
  mintDefinition,
  searchDefinition,
  showDefinition,
  updateDefinition,
} from './commands/protocols/command.ts';
import {
  attestationDefinition,
  graphDefinition,
  reportDefinition,
  verifyDefinition,
} from './commands/records/command.ts';
import type { RollbackOptions } from './commands/rollback/roll-back.ts';
import { resumeDefinition, runDefinition, withInputOptions } from './commands/run/command.ts';
import { runsDefinition } from './commands/runs/command.ts';
import { serveDefinition } from './commands/serve/command.ts';
import { storeDefinition } from './commands/store/command.ts';
import type { TrustOptions } from './commands/trust/handler.ts';
import type { ViewOptions } from './commands/view/handler.ts';
import {
  answerDefinition,
  attestDefinition,
  beginDefinition,
  nextDefinition,
} from './commands/walk/command.ts';
import type { CliIo } from './io.ts';
import { runProgram } from './program.ts';

const KEYS = 'store, space, or embedding_provider, _model, _url, _api_key';

const configDefinition: Definition = (bind) => {
  const config = bind<[], unknown>(
    new Command('config')
      .summary('show the configuration and where each value comes from')
      .description(
        'Shows every setting that applies here and its source: an option, the environment, your own file, or the default. Only your own file is written.',
      )
      .helpGroup(GROUP.setup),
    async () => (await import('./commands/config/handler.ts')).configCommand,
  );
  config.addCommand(
    bind<[string], unknown>(
      new Command('get')
        .description('print one value')
        .argument('<key>', 'name of the setting, as `kairos config` prints it'),
      async () => (await import('./commands/config/handler.ts')).configGetCommand,
    ),
  );
  config.addCommand(
    bind<[string, string], unknown>(
      new Command('set')
        .description('set a value in your configuration file')
        .argument('<key>', KEYS)
        .argument('<value>', 'new value'),
      async () => (await import('./commands/config/handler.ts')).configSetCommand,
    ),
  );
  config.addCommand(
    bind<[string], unknown>(
      new Command('unset').description('remove a value from your configuration file').argument('<key>', KEYS),
      async () => (await import('./commands/config/handler.ts')).configUnsetCommand,
    ),
  );
  config.addCommand(
    bind<[], unknown>(
      new Command('path').description('print the path of your configuration file'),
      async () => (await import('./commands/config/handler.ts')).configPathCommand,
    ),
  );
  return config;
};

const doctorDefinition: Definition = (bind) =>
  bind<[], unknown>(
    new Command('doctor')
      .summary('check this installation and report problems')
      .description(
        'Looks at Node.js, SQLite, the store, trust, the sealing key, the policy, configurations, MCP clients and the terminal. It makes and changes nothing, and ends with 1 when something is broken.',
      )
      .helpGroup(GROUP.setup),
    async () => (await import('./commands/doctor/handler.ts')).doctorCommand,
  );

const schemaDefinition: Definition = (bind) =>
  bind<[string | undefined], unknown>(
    new Command('schema')
      .summary('print the JSON Schema of what kairos reads and writes')
      .description(
        'Prints a JSON Schema (2020-12) for editors and other programs: of step blocks, of a project configuration, of answers files, of the lines of a ledger, of policies, hold lists and proposals. Without a name it lists them.',
      )
      .argument(
        '[name]',
        'step-block, frontmatter, config, answers, ledger-entry, policy, policy-cases, hold or proposal',
      )
      .helpGroup(GROUP.protocols),
    async () => (await import('./commands/schema/handler.ts')).schemaCommand,
  );

const indexDefinition: Definition = (bind) =>
  bind<[], IndexCommandOptions>(
    new Command('index')
      .summary('index protocols for search by meaning, with an embedding provider')
      .description(
        'Computes a vector for every protocol of the store with the configured embedding model. Search switches to the new vectors when all exist. You can stop it and run it again at any time. `kairos serve` does the same in the background.',
      )
      .option('--watch', 'keep indexing new and changed protocols until interrupted')
      .option('--drop', 'delete all vectors, so that search uses words alone')
      .helpGroup(GROUP.setup),
    async () => (await import('./commands/index/handler.ts')).indexCommand,
  );

const viewDefinition: Definition = (bind) =>
  bind<[], ViewOptions>(
    new Command('view')
      .summary('look at runs in the browser, and answer what they ask')
      .description(
        'Serves a page on this machine only: runs as they go, reports, protocols, statistics, proposals that wait. The printed link works once. The page runs no commands and signs nothing.',
      )
      .option('--port <n>', 'port to listen on (default: a free one)', wholeNumber(0, 65_535))
      .option('--open', 'open the page in the browser')
      .helpGroup(GROUP.records),
    async () => (await import('./commands/view/handler.ts')).viewCommand,
  );

const trustDefinition: Definition = (bind) =>
  bind<[string | undefined], TrustOptions>(
    new Command('trust')
      .summary('let the commands of a protocol run on this machine')
      .description(
        'Shows what a protocol would run and what changed since it was last trusted, then asks. Trust applies to exactly this content. Without a terminal, the digest shown must be repeated.',
      )
      .argument('[target]', 'a file, URI, slug or digest')
      .option('--digest <digest>', 'trust this digest without a question; repeatable', collectDigests)
      .option('--list', 'list what is trusted here')
      .option('--revoke', 'revoke the trust')
      .helpGroup(GROUP.walk),
    async () => (await import('./commands/trust/handler.ts')).trustCommand,
  );

const rollbackDefinition: Definition = (bind) =>
  bind<[string, string], RollbackOptions>(
    withInputOptions(new Command('rollback'))
      .summary('roll back a gated step that failed, as its protocol defines')
      .description(
        'Rolls back a step whose permit was used and which is not proven, with the rollback of its template only. The rollback passes the gate like the step itself: a command runs under its own permit, a chain as its own run.',
      )
      .argument('<run>', 'id of the run; it must be open')
      .argument('<step>', 'number of the step')
      .option('--dry-run', 'show what would be done and what the gate decides, and do nothing')
      .option('--yes', 'confirm everything that does not need a person')
      .option('--no-input', 'ask nothing: if input is needed, end with 3 and list the questions')
      .option('--trust <digest>', 'trust this digest for this call; repeatable', collectDigests)
      .option('--workdir <dir>', 'run commands in this directory (default: where the step ran)')
      .addOption(hereOption())
      .addOption(policyOption())
      .addOption(actorOption())
      .option('--contain', 'run commands in their own process namespace, if bubblewrap is available')
      .helpGroup(GROUP.walk),
    async () => (await import('./commands/rollback/handler.ts')).rollbackCommand,
  );

const completionDefinition: Definition = (bind) => {
  const completion = bind<[string], unknown>(
    new Command('completion')
      .summary('print the script that lets a shell complete commands')
      .description(
        'Prints a script for your shell. For bash: kairos completion bash > ~/.local/share/bash-completion/completions/kairos. For fish: kairos completion fish > ~/.config/fish/completions/kairos.fish. For zsh, save it as _kairos in a folder of fpath; for PowerShell, add it to your profile.',
      )
      .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish', 'powershell']))
      .helpGroup(GROUP.setup),
    async () => (await import('./commands/completion/handler.ts')).completionCommand,
  );
  // The scripts call this on every Tab.
  completion.addCommand(
    bind<[string[]], unknown>(new Command('complete').argument('[words...]'), async () =>
      (await import('./commands/completion/handler.ts')).completeCommand(rootOf(completion)),
    ),
    { hidden: true },
  );
  return completion;
};

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** Runs the command that the first argument names. Defines the others only for an unknown name, and for help and completion, which list them. */
export function runAny(argv: readonly string[], io: CliIo): Promise<number> {
  const [name = ''] = argv;
  const named = Object.hasOwn(DEFINITIONS, name) && name !== COMPLETES ? DEFINITIONS[name] : undefined;
  return runProgram(named === undefined ? Object.values(DEFINITIONS) : [named], argv, io);
}

/** Completion needs every command. */
const COMPLETES = 'completion';

/** Every command by its name, in the order of the help. A new one is a new file and a line here. */
export const DEFINITIONS: Readonly<Record<string, Definition>> = {
  run: runDefinition,
  resume: resumeDefinition,
  search: searchDefinition,
  begin: beginDefinition,
  next: nextDefinition,
  answer: answerDefinition,
  attest: attestDefinition,
  proposal: proposalDefinition,
  policy: policyDefinition,
  rollback: rollbackDefinition,
  trust: trustDefinition,
  mint: mintDefinition,
  list: listDefinition,
  show: showDefinition,
  log: logDefinition,
  diff: diffDefinition,
  dump: dumpDefinition,
  update: updateDefinition,
  delete: deleteDefinition,
  runs: runsDefinition,
  report: reportDefinition,
  graph: graphDefinition,
  view: viewDefinition,
  attestation: attestationDefinition,
  verify: verifyDefinition,
  store: storeDefinition,
  new: newDefinition,
  lint: lintDefinition,
  fmt: fmtDefinition,
  migrate: migrateDefinition,
  import: importDefinition,
  export: exportDefinition,
  lsp: lspDefinition,
  schema: schemaDefinition,
  serve: serveDefinition,
  install: installDefinition,
  hold: holdDefinition,
  hook: hookDefinition,
  gateway: gatewayDefinition,
  index: indexDefinition,
  key: keyDefinition,
  config: configDefinition,
  doctor: doctorDefinition,
  completion: completionDefinition,
};
