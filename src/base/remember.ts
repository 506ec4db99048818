/** What was made of the last texts; see `remember`. */
export interface Remembered<T> {
  (text: string): T;
  /** Takes what somebody made of a text already, as if it had been made here. */
  keep(text: string, made: T): void;
}

/**
 * `make`, keeping what it made of the texts that were asked for last, at most `size` UTF-16 units of them. What is made must
 * depend on the text alone and is handed out again, so nobody may change it. A throw is not kept.
 */
export function remember<T>(make: (text: string) => T, size: number): Remembered<T> {
  // Two halves: once the newer is full, what nobody has asked for meanwhile goes with the older, all at once.
  const half = size / 2;
  let newer = new Map<string, T>();
  let older = new Map<string, T>();
  let held = 0;
  const keep = (text: string, made: T) => {
    if (text.length > half || newer.has(text)) return;
    if (held + text.length > half) {
      older = newer;
      newer = new Map();
      held = 0;
    }
    newer.set(text, made);
    held += text.length;
  };
  const read = (text: string): T => {
    const known = newer.get(text);
    if (known !== undefined) return known;
    const made = older.get(text) ?? make(text);
    keep(text, made);
    return made;
  };
  return Object.assign(read, { keep });
}
