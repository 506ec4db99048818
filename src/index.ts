/** The library: what other programs use of kairos. Heavy parts load when they are called. */
import type { ParseResult } from './protocol/model.ts';

export { canonical, GENESIS_HASH, sha256Hex } from './base/canonical.ts';
export { type ErrorCode, KairosError, type KairosErrorOptions } from './base/errors.ts';
export { escapeForTerminal } from './base/escape.ts';
export { VERSION } from './base/package-root.ts';
export {
  ENTRY_KINDS,
  type EntryBody,
  type EntryData,
  type EntryKind,
  entryHash,
  type Json,
  type LedgerEntry,
  type Seal,
} from './ledger/entry.ts';
export type { Finding, FindingCode, VerifyOptions } from './ledger/finding.ts';
export { toJsonl } from './ledger/line.ts';
export { checkSeal, keyFingerprint, type SealCheck } from './ledger/seal.ts';
export {
  type Verification,
  verifyEntries,
  verifyJsonl,
  verifyLedger,
} from './ledger/verify.ts';
export {
  chainId,
  deriveSlug,
  digest,
  isSlug,
  parseMemUri,
  stepUri,
  stepUuid,
  toContent,
} from './protocol/identity.ts';
export type {
  BlockNode,
  ChainContent,
  ChainNode,
  ParseResult,
  Place,
  Point,
  Problem,
  ProblemCode,
  ProtocolDocument,
  Severity,
  StepContent,
  StepNode,
} from './protocol/model.ts';
export { describeProblem } from './protocol/problems.ts';
export { renderChain, renderStep } from './protocol/render.ts';
export type { Assurance, ProofOfWork, ProofType, StepBlock } from './protocol/schema.ts';

/** Parses a protocol document. Returns problems as data. Loads the parser on the first call. */
export async function parseProtocol(source: string, options: { path?: string } = {}): Promise<ParseResult> {
  const parser = await import('./protocol/parse.ts');
  return parser.parseProtocol(source, options);
}
