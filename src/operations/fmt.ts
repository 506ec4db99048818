import { KairosError } from '../base/errors.ts';
import type { SourceInput } from '../host/files/read-source.ts';
import { formatSource } from '../lint/rewrite/format-source.ts';
import type { FixedText } from '../lint/run.ts';
import type { ParseResult } from '../protocol/model.ts';
import { describeProblem } from '../protocol/problems.ts';
import { type Visited, visitProtocols } from './lint/visit-protocols.ts';

/** Formats the protocols that the paths name. Nothing is written; a document with errors is a failure and stays unchanged. */
export async function formatProtocols(
  paths: readonly string[],
  options: { stdinFilename?: string | undefined },
  input: SourceInput,
): Promise<{ changes: FixedText[]; visited: Visited }> {
  const changes: FixedText[] = [];
  const visited = await visitProtocols(paths, options, input, async (document, parsed) => {
    refuseErrors(parsed);
    const before = parsed.document.source;
    const after = await formatSource(parsed);
    if (after !== before) changes.push({ document, before, after, gaveUp: null });
  });
  return { changes, visited };
}

/** A formatter must not touch what the parser can't read. */
function refuseErrors({ messages }: ParseResult): void {
  const errors = messages.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const lines = errors.map((problem) => {
    const { line, column } = problem.place.start;
    return `\n  ${line}:${column}  ${describeProblem(problem).reason} (${problem.code})`;
  });
  throw new KairosError('PROTOCOL_INVALID', `not formatted:${lines.join('')}`);
}
