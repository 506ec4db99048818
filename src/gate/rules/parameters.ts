import { fieldRule } from './field-rule.ts';

/** parameters must be an object of JSON values. */
export const parameters = fieldRule(
  'V-PROP-006',
  'parameters',
  'parameters must be an object of JSON values.',
);
