/** One reason against a proposal. `message` is fixed words: what the proposal says stays at the pointer. */
export interface Violation {
  /** `V-PROP-…` as the specification names it, or one of our own, `K-PROP-1xx`. */
  code: string;
  /** JSON Pointer (RFC 6901) into the proposal; empty: the whole of it. */
  pointer: string;
  message: string;
}

/** Appends one reference token to a JSON Pointer, escaped as RFC 6901 wants it. */
export function pointerTo(pointer: string, ...tokens: (string | number)[]): string {
  return tokens.reduce<string>(
    (path, token) => `${path}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}

/** Makes violations of one code. */
export function violations(code: string): (pointer: string, message: string) => Violation {
  return (pointer, message) => ({ code, pointer, message });
}
