import type { Call, Handler } from '../../command.ts';
import { reportError } from '../../errors.ts';
import { EXIT } from '../../io.ts';
import { lintOnce } from './once.ts';
import { checkCombination, type LintOptions } from './settings.ts';

/**
 * `kairos lint`. Findings go to standard output, or to standard error when a fixed text or a diff is printed
 * there. Anything that prevents a check, internal faults included, ends with 2: 1 always means findings.
 */
export const lintCommand: Handler<[string[]], LintOptions> = async (call) => {
  try {
    return await lint(call);
  } catch (error) {
    await reportError(error, call.output, call.options.debug === true);
    return EXIT.usage;
  }
};

async function lint(call: Call<[string[]], LintOptions>): Promise<number> {
  const { args, options, io, output } = call;
  checkCombination(args[0], options);
  if (options.explain !== undefined) {
    const { printRule } = await import('./explain.ts');
    await printRule(options.explain, output);
    return EXIT.ok;
  }
  if (options.printConfig !== undefined) {
    const { printConfig } = await import('./explain.ts');
    await printConfig(options.printConfig, options, io.cwd, output);
    return EXIT.ok;
  }
  return options.watch ? watch(call) : lintOnce(call);
}

/** Ends with 130 on Ctrl-C, 143 on SIGTERM. A call that can't run even once ends with its error. */
async function watch(call: Call<[string[]], LintOptions>): Promise<number> {
  const [{ rerunOnChange }, { watchSignals }] = await Promise.all([
    import('./watch.ts'),
    import('../../terminal/interrupt.ts'),
  ]);
  const { output } = call;
  const interrupts = watchSignals(call.io.signals);
  let runs = 0;
  try {
    await interrupts.asking((signal) =>
      rerunOnChange(async (onFolders) => {
        runs += 1;
        try {
          await lintOnce(call, { onFolders });
        } catch (error) {
          if (runs === 1) throw error;
          await reportError(error, output, call.options.debug === true);
        }
        if (!output.json) output.note(output.noteColor.dim('Waiting for changes. Press Ctrl-C to end.'));
      }, signal),
    );
    return interrupts.exitCode ?? INTERRUPTED;
  } finally {
    interrupts.dispose();
  }
}

/** 128 + SIGINT. */
const INTERRUPTED = 130;
