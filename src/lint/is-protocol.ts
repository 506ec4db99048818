import type { ParseResult, ProblemCode } from '../protocol/model.ts';

/**
 * Whether a document is a protocol or tries to be one: it has a step block, or what looks like one but cannot be used,
 * or protocol frontmatter (a slug or a version). Anything else is prose.
 */
export function isProtocol({ document, messages }: ParseResult): boolean {
  const { frontmatter, chains, source } = document;
  if (frontmatter?.slug !== undefined || frontmatter?.version !== undefined) return true;
  if (chains.some(({ steps }) => steps.some(({ block }) => block !== null))) return true;
  return messages.some(({ code }) => tries(code, source));
}

/** Whether a text that could not be parsed speaks of what only protocols have. */
export function mentionsProof(source: string): boolean {
  return /\b(?:proof_of_work|challenge|proposal)\b["']?\s*:|PROOF OF WORK/i.test(source);
}

function tries(code: ProblemCode, source: string): boolean {
  if (code.startsWith('document-')) return mentionsProof(source);
  if (code === 'frontmatter-bad-slug' || code === 'frontmatter-bad-version') return true;
  if (code === 'frontmatter-unreadable' || code === 'frontmatter-unterminated')
    return NAMES_A_PROTOCOL.test(source) || mentionsProof(source);
  return code.startsWith('block-') || code.startsWith('legacy-');
}

/** What would make frontmatter a protocol's, at the very beginning. */
const NAMES_A_PROTOCOL = /^\ufeff?---[ \t]*\r?\n(?:.*\r?\n){0,30}?(?:slug|version)[ \t]*:/;
