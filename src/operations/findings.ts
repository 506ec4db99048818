import type * as z from 'zod/mini';
import { KairosError } from '../base/errors.ts';
import type { ProtocolDocument } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { describeProblem } from '../protocol/problems.ts';
import { findHidden } from './find-hidden.ts';
import type { findingSchema } from './schemas.ts';

export type Finding = z.infer<typeof findingSchema>;

/**
 * Reads a document to store or run. Rejects a document with errors and reports all of them with their places;
 * returns what is only outdated as warnings. Hidden characters are always rejected; no inline directive
 * allows them.
 */
export async function readDocument(
  source: string,
  path?: string,
): Promise<{ document: ProtocolDocument; warnings: Finding[] }> {
  const { document, messages } = await parseProtocol(source, path === undefined ? {} : { path });
  const findings: Finding[] = [
    ...messages.map((problem): Finding => {
      const { reason, hint } = describeProblem(problem);
      return {
        ruleId: problem.code,
        severity: problem.severity,
        reason: hint === '' ? reason : `${reason} ${hint}`,
        line: problem.place.start.line,
        column: problem.place.start.column,
      };
    }),
    ...(await findHidden(document)).map(
      ({ codePoint, place }): Finding => ({
        ruleId: 'hidden-character',
        severity: 'error',
        reason: `The text contains the hidden character ${codePoint}. Remove it.`,
        line: place.start.line,
        column: place.start.column,
      }),
    ),
  ];
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw refusal(errors, path);
  return { document, warnings: findings };
}

const SLUG_PROBLEMS = new Set(['frontmatter-bad-slug', 'slug-with-several-chains', 'duplicate-slug']);

function refusal(errors: Finding[], path: string | undefined): KairosError {
  const where = path ?? 'the document';
  const lines = errors.map(
    ({ line, column, reason, ruleId }) => `  ${line}:${column}  ${reason} (${ruleId})`,
  );
  const code = errors.every(({ ruleId }) => SLUG_PROBLEMS.has(ruleId)) ? 'INVALID_SLUG' : 'PROTOCOL_INVALID';
  return new KairosError(
    code,
    `${where} has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n${lines.join('\n')}`,
    {
      hint: 'Nothing was stored. Fix the reported places and try again.',
      data: { findings: errors },
    },
  );
}
