import { fieldRule } from './field-rule.ts';

/** target must have resource_type, resource_id, domain and constraints, each of its type. */
export const target = fieldRule(
  'V-PROP-005',
  'target',
  'target must have resource_type, resource_id, domain and constraints, each of its type.',
);
