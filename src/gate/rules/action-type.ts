import { fieldRule } from './field-rule.ts';

/** action_type must be one of the ActionType values. */
export const actionType = fieldRule(
  'V-PROP-004',
  'action_type',
  'action_type must be one of the ActionType values.',
);
