import { fieldRule } from './field-rule.ts';

/** ts_ms must be a positive integer. */
export const tsMs = fieldRule('V-PROP-002', 'ts_ms', 'ts_ms must be a positive integer.');
