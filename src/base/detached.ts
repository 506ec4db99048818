/**
 * Copies a text into separate memory. V8 keeps a whole text alive for any slice of it, so copy what outlives
 * the source. A lone surrogate isn't preserved.
 */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}
