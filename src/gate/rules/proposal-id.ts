import { fieldRule } from './field-rule.ts';

/** proposal_id must be a non-empty string. */
export const proposalId = fieldRule('V-PROP-001', 'proposal_id', 'proposal_id must be a non-empty string.');
