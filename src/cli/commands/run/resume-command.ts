import type { CommonOptions } from '../../command.ts';
import { shellQuote } from '../../views/shell-quote.ts';
import type { WalkOptions } from './options.ts';

/** The literal command that goes on with a run, with what is needed to find it again and to work in the same place. */
export function resumeCommand(runId: string, options: CommonOptions & WalkOptions): string {
  const flags: (readonly [string, string | undefined])[] = [
    ['--store', options.store],
    ['--space', options.space],
    ['--workdir', options.workdir],
    ...(options.root ?? []).map((root) => ['--root', root] as const),
  ];
  const words = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, shellQuote(value)]));
  return ['kairos', 'resume', runId, ...words].join(' ');
}
