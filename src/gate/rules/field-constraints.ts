/** The constraints that every gate knows. */
export const FIELD_CONSTRAINTS = ['allowed_fields', 'forbidden_fields'];

export function isNameList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
