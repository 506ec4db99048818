import { Command, Option } from 'commander';
import {
  MAX_TIMEOUT_SECONDS,
  SAMPLING_DRIVERS,
  USER_INPUT_DRIVERS,
} from '../../../host/settings/user-settings.ts';
import { collect, type Definition, GROUP, policyOption, wholeNumber } from '../../command.ts';
import type { ServeOptions } from './options.ts';

export const serveDefinition: Definition = (bind) =>
  bind<[], ServeOptions>(
    new Command('serve')
      .summary('serve protocols to agents over the Model Context Protocol')
      .description(
        'Serves the protocols to agents over the Model Context Protocol: on standard input and output, or over HTTP.',
      )
      .option('--http <address>', 'serve Streamable HTTP at [host:]port instead (host: 127.0.0.1)')
      .option('--read-only', 'allow runs, but reject storing, changing and deleting protocols')
      .option('--allow-weaken', 'allow updates that remove or loosen a proof')
      .option('--require-trust', 'reject protocols that are not trusted here')
      .option(
        '--execute',
        'run shell steps of trusted protocols here, and call tools on servers of your client or that you trust, so that their proofs are observed',
      )
      .option('--workdir <dir>', 'where outputs are read and --execute runs commands (default: here)')
      .option(
        '--root <dir>',
        'another folder that may contain outputs, where their path is absolute; repeatable',
        collect,
      )
      .addOption(policyOption())
      .option('--contain', 'run commands in their own process namespace, if bubblewrap is available')
      .option(
        '--token-file <file>',
        'bearer tokens for HTTP, one a line, as token or name:token (KAIROS_TOKEN)',
      )
      .option('--oidc-issuer <url>', 'accept access tokens of this OpenID Connect issuer over HTTP')
      .option(
        '--oidc-audience <name>',
        'what its tokens must be for (default: the URL of this server); repeatable',
        collect,
      )
      .option('--oidc-scope <scope>', 'a scope that its tokens must have; repeatable', collect)
      .option(
        '--tenant-claim <claim>',
        "the claim of its tokens that names the caller's space (default: all have --space)",
      )
      .option(
        '--public-url <url>',
        'the URL that clients use behind a proxy, such as https://example.com/kairos/mcp',
      )
      .option('--allow-host <name>', 'another host name that HTTP clients may use; repeatable', collect)
      .option(
        '--allow-origin <host>',
        'a web origin that may send requests, by host name; repeatable',
        collect,
      )
      .option('--max-sessions <n>', 'most open HTTP sessions (default: 256)', wholeNumber(1, 100_000))
      .option(
        '--session-idle <minutes>',
        'close an HTTP session after this many idle minutes (default: 30)',
        wholeNumber(1, 10_080),
      )
      .addOption(
        new Option(
          '--user-input-driver <driver>',
          "how to get a user's answer (KAIROS_USER_INPUT_DRIVER; default: elicitation)",
        ).choices(USER_INPUT_DRIVERS),
      )
      .option(
        '--user-input-server-driver',
        'try the other driver too (KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER; default: off)',
      )
      .addOption(
        new Option(
          '--sampling-driver <driver>',
          'whose model is used for a sampling step (KAIROS_SAMPLING_DRIVER; default: client)',
        ).choices(SAMPLING_DRIVERS),
      )
      .option(
        '--user-input-timeout <seconds>',
        'seconds to wait for an answer (KAIROS_USER_INPUT_TIMEOUT_SECONDS; default: 600)',
        wholeNumber(1, MAX_TIMEOUT_SECONDS),
      )
      .option(
        '--allow-auto-sampling <slug>',
        'a protocol whose sampling may run without approval; repeatable (KAIROS_ALLOW_AUTO_SAMPLING)',
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
