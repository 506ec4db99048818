/** The cached results of the last texts; see `memoize`. */
export interface Memoized<T> {
  (text: string): T;
  /** Adds a result that was computed elsewhere. */
  keep(text: string, made: T): void;
}

/**
 * Memoizes `make` for the most recent texts, at most `size` UTF-16 units of them. The result must depend only
 * on the text. Results are shared, so callers must not change them. A throw isn't cached.
 */
export function memoize<T>(make: (text: string) => T, size: number): Memoized<T> {
  // Two halves: when the newer one is full, the older one and everything not used since are dropped together.
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

/**
 * The hash of a value, computed once and cached as long as the value lives, for frozen values only. Callers
 * must freeze a value deeply before they pass it.
 */
export function hashOnce<T extends object>(value: T, hash: (value: T) => string): string {
  const known = hashes.get(value);
  if (known !== undefined) return known;
  const made = hash(value);
  if (Object.isFrozen(value)) hashes.set(value, made);
  return made;
}

const hashes = new WeakMap<object, string>();

/** Loads once. What failed is loaded again, because it may be set right before the next use. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  };
}
