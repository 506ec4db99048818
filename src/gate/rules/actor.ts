import { fieldRule } from './field-rule.ts';

/** actor must be a non-empty string. */
export const actor = fieldRule('V-PROP-003', 'actor', 'actor must be a non-empty string.');
