import type { RE2JS } from 're2js';
import { withinTime } from '../base/json-schema.ts';
import type { PatternTools } from './verdict.ts';

/** Returns matchers for patterns of documents, with RE2 semantics. A match that exceeds the time limit counts as none. */
export async function loadPatternTools(): Promise<PatternTools> {
  const { RE2JS } = await import('re2js');
  const compiled = new Map<string, RE2JS | null>();
  const compile = (pattern: string): RE2JS | null => {
    let known = compiled.get(pattern);
    if (known === undefined) {
      known = attempt(() => withinTime(() => RE2JS.compile(pattern)));
      compiled.set(pattern, known);
    }
    return known;
  };
  return {
    usable: (pattern) => compile(pattern) !== null,
    search: (pattern, text) => attempt(() => withinTime(() => compile(pattern)?.test(text))) === true,
    fullMatch: (pattern, text) => attempt(() => withinTime(() => compile(pattern)?.testExact(text))) === true,
    capture: (pattern, text) =>
      attempt(() =>
        withinTime(() => {
          const matcher = compile(pattern)?.matcher(text);
          if (matcher === undefined || !matcher.find()) return null;
          return matcher.groupCount() > 0 ? (matcher.group(1) ?? null) : (matcher.group() ?? null);
        }),
      ),
  };
}

/** Null when the library rejects the pattern, with any error. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
