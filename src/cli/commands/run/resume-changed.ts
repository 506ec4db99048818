import { escapeForTerminal } from '../../../base/escape.ts';
import { renderChain } from '../../../protocol/render.ts';
import type { Revision } from '../../../store/port.ts';
import type { Call } from '../../command.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { diffLines, hunks } from '../../views/line-diff.ts';
import { STOPS, type Stop } from './session.ts';

const CONTEXT = 2;

/** A run keeps the revision that it began with. Where the document says something else by now, that is shown and asked. */
export async function confirmChanged(
  { output }: Call<unknown[]>,
  prompter: Prompter,
  pinned: Revision,
  document: Revision | null,
): Promise<Stop | null> {
  if (document === null || document.digest === pinned.digest) return null;
  const lines = hunks(diffLines(renderChain(pinned.content), renderChain(document.content)), CONTEXT).map(
    (line) => (line === null ? '  ...' : `${line.mark} ${escapeForTerminal(line.text)}`),
  );
  output.note(['The document has changed since this run began:', ...lines].join('\n'));
  const answer = await prompter.confirm({
    name: 'changed',
    message: 'Go on with the content that the run began with?',
    default: true,
  });
  if (answer.kind === 'answer') return answer.value ? null : STOPS.aborted();
  if (answer.kind === 'interrupt')
    return answer.exitCode === null ? STOPS.aborted() : STOPS.signal(answer.exitCode);
  return STOPS.inputNeeded();
}
