/** The constraints of a target that kairos itself knows. */
export const FIELD_CONSTRAINTS = ['allowed_fields', 'forbidden_fields'];
