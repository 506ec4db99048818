/**
 * `make`, keeping what it made of the last texts, at most `size` UTF-16 units of them. What is made must depend on the text
 * alone and is handed out again, so nobody may change it. A throw is not kept.
 */
export function remember<T>(make: (text: string) => T, size: number): (text: string) => T {
  const kept = new Map<string, T>();
  let held = 0;
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (text.length > size) return made;
    kept.set(text, made);
    held += text.length;
    for (const oldest of kept.keys()) {
      if (held <= size) break;
      kept.delete(oldest);
      held -= oldest.length;
    }
    return made;
  };
}
