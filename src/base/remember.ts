/** What was made of the last texts; see `remember`. */
export interface Remembered<T> {
  (text: string): T;
  /** Takes what somebody made of a text already, as if it had been made here. */
  keep(text: string, made: T): void;
}

/**
 * `make`, keeping what it made of the last texts, at most `size` UTF-16 units of them. What is made must depend on the text
 * alone and is handed out again, so nobody may change it. A throw is not kept.
 */
export function remember<T>(make: (text: string) => T, size: number): Remembered<T> {
  const kept = new Map<string, T>();
  let held = 0;
  const keep = (text: string, made: T) => {
    if (text.length > size || kept.has(text)) return;
    kept.set(text, made);
    held += text.length;
    for (const oldest of kept.keys()) {
      if (held <= size) break;
      kept.delete(oldest);
      held -= oldest.length;
    }
  };
  const read = (text: string): T => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    keep(text, made);
    return made;
  };
  return Object.assign(read, { keep });
}
