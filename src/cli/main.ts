import { VERSION } from '../base/version.ts';
import { plainArgs } from './commands/lint/plain-args.ts';
import type { CliIo } from './io.ts';

export { processIo } from './process-io.ts';

/**
 * The command line: arguments in, exit code out. Writes to the streams that it is given and never ends the process.
 * Whatever is not needed to say the version, for a plain call of the linter or to serve, is loaded behind these questions.
 */
export async function main(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    io.stdout.on('error', () => undefined);
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const plain = argv[0] === 'lint' ? plainArgs(argv.slice(1)) : null;
  if (plain !== null) {
    const { lintPlainly } = await import('./commands/lint/plain-call.ts');
    return lintPlainly(plain, io);
  }
  if (argv[0] === 'serve') {
    const { runServe } = await import('./only-serve.ts');
    return runServe(argv, io);
  }
  const { runAny } = await import('./every-command.ts');
  return runAny(argv, io);
}
