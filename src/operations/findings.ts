import * as z from 'zod/mini';
import { plainCommand } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { EVALUATION_LIMIT_MS, isTimeLimit, type TimeLimitExceeded } from '../base/json-schema.ts';
import { tokenRules } from '../base/token-rules.ts';
import { type HiddenCharacter, hiddenInDocument, type LocateInBlock } from '../protocol/hidden.ts';
import type { ParseResult, ProtocolDocument } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';
import { lineIndex, placeBetween } from '../protocol/position.ts';
import { describeProblem } from '../protocol/problems.ts';

/** A finding as the tools return it. */
export const findingSchema = z.object({
  ruleId: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  reason: z.string(),
  line: z.int(),
  column: z.int(),
});

export type DocumentFinding = z.infer<typeof findingSchema>;

/**
 * Reads a document to store or run. Rejects a document with errors and reports all of them with their places;
 * returns what is only outdated as warnings. Hidden characters are always rejected; no inline directive
 * allows them.
 */
export async function requireDocument(source: string, path?: string): Promise<RequiredDocument> {
  const limits = { limitMs: EVALUATION_LIMIT_MS };
  const parsed = await parseProtocol(source, path === undefined ? limits : { ...limits, path });
  const { document, messages } = parsed;
  const findings: DocumentFinding[] = [
    ...messages.map((problem): DocumentFinding => {
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
      ({ codePoint, place }): DocumentFinding => ({
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
  return { document, warnings: findings, parsed };
}

interface RequiredDocument {
  document: ProtocolDocument;
  warnings: DocumentFinding[];
  parsed: ParseResult;
}

/** Findings of one answer; a document can have as many as it has characters. */
const MOST = 200;

const SLUG_PROBLEMS = new Set(['frontmatter-bad-slug', 'slug-with-several-chains', 'duplicate-slug']);

function refusal(errors: DocumentFinding[], path: string | undefined): KairosError {
  const where = path ?? 'the document';
  const lines = errors.map(
    ({ line, column, reason, ruleId }) => `  ${line}:${column}  ${reason} (${ruleId})`,
  );
  if (lines.length > MOST)
    lines.splice(
      MOST,
      lines.length,
      `  and ${lines.length - MOST} more; see all with: ${plainCommand(['lint'])}`,
    );
  const code = errors.every(({ ruleId }) => SLUG_PROBLEMS.has(ruleId)) ? 'INVALID_SLUG' : 'PROTOCOL_INVALID';
  return new KairosError(
    code,
    `${where} has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n${lines.join('\n')}`,
    { hint: 'Fix the reported places and try again.', data: { findings: errors } },
  );
}

/**
 * The hidden characters for which a document is rejected, each with its place. The code that computes places
 * is loaded only if there are any.
 */
async function findHidden(document: ProtocolDocument): Promise<HiddenCharacter[]> {
  const isClean = hiddenInDocument(document, ({ valuePlace }) => valuePlace).length === 0;
  return isClean ? [] : hiddenInDocument(document, await placesIn(document));
}

async function placesIn({ source }: ProtocolDocument): Promise<LocateInBlock> {
  const [{ locateJsonValue }, { locateInYaml }] = await Promise.all([
    import('../formats/json/places.ts'),
    import('../formats/yaml.ts'),
  ]);
  return ({ format, valuePlace }, { path, isKey, at, length }) => {
    if (format === 'line' || format === 'shorthand') return valuePlace;
    const { start, end } = valuePlace;
    const locate = format === 'json' ? locateJsonValue : locateInYaml;
    const found = locate(source.slice(start.offset, end.offset), path);
    const range = isKey ? found?.key : found?.inside(at, at + length);
    if (!range) return valuePlace;
    return placeBetween(lineIndex(source), start.offset + range[0], start.offset + range[1]);
  };
}

/**
 * The lint findings of a document to mint, without advice, and the values of secret variables in it, which only `redact` knows.
 * Inline directives apply, except to the safety rules, which are always reported.
 */
export async function lintFindings(
  parsed: ParseResult,
  redact: (text: string) => string,
): Promise<DocumentFinding[]> {
  const { lintSource } = await import('../lint/lint-source.ts');
  const { source } = parsed.document;
  const options = { settings: { enforceSafety: true }, parsed, limitMs: EVALUATION_LIMIT_MS };
  const { messages } = await lintSource(source, options).catch((error: unknown) => {
    throw isTimeLimit(error) ? refusal([tooCostly(error)], parsed.document.path) : error;
  });
  const linted = messages
    .filter(({ severity }) => severity !== 'info')
    .map(({ ruleId, severity, reason, place }) => ({
      ruleId,
      severity,
      reason,
      line: place.start.line,
      column: place.start.column,
    }));
  const findings = [...secretValues(source, redact), ...linted];
  const [next] = findings.slice(MOST);
  if (next === undefined) return findings;
  const reason = `From here on ${findings.length - MOST} findings are left out. See all with: ${plainCommand(['lint'])} FILE`;
  return [...findings.slice(0, MOST), { ...next, reason }];
}

function tooCostly({ limitMs }: TimeLimitExceeded): DocumentFinding {
  const reason = `The rules need more than ${limitMs / 1000} s for this text. Split it into several protocols.`;
  return { ruleId: 'document-too-large', severity: 'error', reason, line: 1, column: 1 };
}

/** The lines that contain the value of a secret variable. Tokens of a known shape are left to lint, which knows examples. */
function secretValues(source: string, redact: (text: string) => string): DocumentFinding[] {
  if (redact(source) === source) return [];
  const shapes = new Set(tokenRules().map(({ name }) => name));
  return source.split(/\r\n|\n|\r/).flatMap((line, at): DocumentFinding[] => {
    const redacted = redact(line);
    if (redacted === line) return [];
    for (const { 1: name = '', index } of redacted.matchAll(/\[redacted:([^\]]*)\]/g)) {
      if (shapes.has(name) || line.startsWith(`[redacted:${name}]`, index)) continue;
      const reason = `This is the value of ${name}, a secret. Every reader of the protocol gets it, and its revision is kept. Declare an input with "secret": true instead, and change the secret.`;
      return [{ ruleId: 'secret-in-text', severity: 'error', reason, line: at + 1, column: index + 1 }];
    }
    return [];
  });
}
