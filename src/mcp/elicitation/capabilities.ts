/** What a client declared that it can be asked for. */
export interface Capabilities {
  /** Showing a form to the user. */
  elicitation: boolean;
  /** Running a model. */
  sampling: boolean;
  /** Naming the folders that it works in. */
  roots: boolean;
}

export const NO_CAPABILITIES: Capabilities = { elicitation: false, sampling: false, roots: false };

/**
 * Reads what a client declared: at `initialize` in the 2025 revisions, with each request in that of 2026-07-28. A bare
 * `elicitation: {}` means forms, as it did before there were modes; a client with URLs only cannot show one.
 */
export function capabilitiesOf(declared: unknown): Capabilities {
  if (!isObject(declared)) return NO_CAPABILITIES;
  const { elicitation, sampling, roots } = declared;
  return {
    elicitation: isObject(elicitation) && (isObject(elicitation.form) || !isObject(elicitation.url)),
    sampling: isObject(sampling),
    roots: isObject(roots),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
