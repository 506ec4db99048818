import { Command, Option } from 'commander';
import { MAX_TIMEOUT_SECONDS, USER_INPUT_DRIVERS } from '../../../host/settings/user-settings.ts';
import type { Definition } from '../../command.ts';
import { collect } from '../collect.ts';
import { GROUP } from '../groups.ts';
import { wholeNumber } from '../numbers.ts';
import { policyOption } from '../policy-option.ts';
import type { ServeOptions } from './options.ts';

export const serveDefinition: Definition = (bind) =>
  bind<[], ServeOptions>(
    new Command('serve')
      .summary('let agents find and walk protocols, over the Model Context Protocol')
      .description(
        'Serves the protocols to agents over the Model Context Protocol: on standard input and output, or over HTTP.',
      )
      .option('--http <address>', 'serve Streamable HTTP at [host:]port instead (host: 127.0.0.1)')
      .option('--read-only', 'protocols can be walked, but not stored, changed or deleted')
      .option('--allow-weaken', 'let updates remove or loosen a proof')
      .option('--require-trust', 'begin only what has been trusted here')
      .option('--execute', 'run shell steps of trusted protocols here, so that their proofs are observed')
      .option('--workdir <dir>', 'where outputs are looked for and --execute runs commands (default: here)')
      .option(
        '--root <dir>',
        'another folder that outputs may lie in, where their path is absolute; repeatable',
        collect,
      )
      .addOption(policyOption())
      .option('--contain', 'run commands in a process namespace of their own, where bubblewrap can be had')
      .option(
        '--token-file <file>',
        'bearer tokens for HTTP, one a line, as token or name:token (KAIROS_TOKEN)',
      )
      .option('--allow-host <name>', 'another name that HTTP clients may call this host; repeatable', collect)
      .option('--allow-origin <host>', 'a web origin that may call, by host name; repeatable', collect)
      .option('--max-sessions <n>', 'open HTTP sessions at most (default: 256)', wholeNumber(1, 100_000))
      .option(
        '--session-idle <minutes>',
        'close an HTTP session that is not used for so long (default: 30)',
        wholeNumber(1, 10_080),
      )
      .addOption(
        new Option(
          '--user-input-driver <driver>',
          "who gets a user's answer (KAIROS_USER_INPUT_DRIVER; default: elicitation)",
        ).choices(USER_INPUT_DRIVERS),
      )
      .option(
        '--user-input-server-driver',
        'try the other driver too (KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER; default: off)',
      )
      .option(
        '--user-input-timeout <seconds>',
        'wait for an answer so long (KAIROS_USER_INPUT_TIMEOUT_SECONDS; default: 600)',
        wholeNumber(1, MAX_TIMEOUT_SECONDS),
      )
      .option(
        '--allow-auto-sampling <slug>',
        'this protocol may have the model run without approval; repeatable (KAIROS_ALLOW_AUTO_SAMPLING)',
        collect,
      )
      .addOption(
        new Option(
          '--log-level <level>',
          'what to log on standard error (default: warn; over HTTP info)',
        ).choices(['debug', 'info', 'warn', 'error']),
      )
      .helpGroup(GROUP.agents),
    async () => (await import('./handler.ts')).serveCommand,
  );
