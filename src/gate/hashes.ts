import { canonical, sha256Hex } from '../base/canonical.ts';

/**
 * What names a proposal: SHA-256 over `"kairos.proposal.v1\n"` and its RFC 8785 text. Two spellings of one JSON value
 * are one proposal; any other value is another one.
 */
export function proposalHash(proposal: unknown): string {
  return sha256Hex(`kairos.proposal.v1\n${canonical(proposal)}`);
}

/** What names a policy: SHA-256 over `"kairos.policy.v1\n"` and the RFC 8785 text of its content, defaults filled in. */
export function policyDigest(policy: unknown): string {
  return sha256Hex(`kairos.policy.v1\n${canonical(policy)}`);
}
