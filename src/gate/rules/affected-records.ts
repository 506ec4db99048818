import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('V-PROP-012');

/** risk_envelope.max_affected_records must be greater than 0. */
export const affectedRecords: Rule = {
  code: 'V-PROP-012',
  title: 'risk_envelope.max_affected_records must be greater than 0',
  check: ({
    parts: {
      risk_envelope: { max_affected_records: most },
    },
  }) =>
    most === undefined || most > 0
      ? []
      : [found('/risk_envelope/max_affected_records', 'It must be greater than 0.')],
};
