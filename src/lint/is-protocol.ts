import type { ParseResult, ProblemCode } from '../protocol/model.ts';

/**
 * Whether a document is a protocol or tries to be one: it has a step block or a proof line, something that looks like one but
 * can't be used, or an H2 "Natural Language Triggers" or "Completion Rule". Frontmatter alone makes no protocol, because
 * `slug`, `version`, `title` and `tags` are keys of many tools. Any other document is prose.
 */
export function isProtocol({ document, messages }: ParseResult): boolean {
  const { chains, source } = document;
  const isMarked = chains.some(
    ({ steps, triggers, completionRule }) =>
      triggers !== null || completionRule !== null || steps.some(({ block }) => block !== null),
  );
  return isMarked || messages.some(({ code }) => tries(code, source));
}

/** Whether a text that couldn't be parsed mentions what only protocols have. */
export function mentionsProof(source: string): boolean {
  return (
    /\b(?:proof_of_work|challenge|proposal)\b["']?\s{0,20}:|PROOF OF WORK/i.test(source) ||
    METADATA.test(source)
  );
}

const METADATA = /^ {0,3}##[ \t]+(?:natural language triggers|completion rule)[ \t]*#*[ \t]*$/im;

function tries(code: ProblemCode, source: string): boolean {
  if (code === 'no-h1') return METADATA.test(source);
  if (code.startsWith('document-') || HIDES_THE_REST.has(code)) return mentionsProof(source);
  return code.startsWith('block-') || code.startsWith('legacy-');
}

/** Problems that keep the rest of a document from being read as its author meant it. */
const HIDES_THE_REST: ReadonlySet<ProblemCode> = new Set([
  'frontmatter-unreadable',
  'frontmatter-unterminated',
]);
