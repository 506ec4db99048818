/**
 * The same text in memory of its own, for what is kept longer than the text that it was cut from: V8 keeps all of that alive
 * for any piece of it. Half a surrogate pair does not survive.
 */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}
