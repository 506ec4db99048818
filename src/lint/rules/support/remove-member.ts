/**
 * The range of a member of a JSON object, given the range of its key: with the comma before it, else the one after it. Undefined where
 * its value isn't a list of plain texts on one line.
 */
export function removeMember(source: string, keyStart: number, keyEnd: number): [number, number] | undefined {
  const value = /^\s*:\s*\[[^[\]{}\n]*\]/.exec(source.slice(keyEnd))?.[0];
  if (value === undefined || source[keyStart] !== '"') return undefined;
  const end = keyEnd + value.length;
  const before = /,\s*$/.exec(source.slice(0, keyStart))?.[0];
  if (before !== undefined) return [keyStart - before.length, end];
  const after = /^\s*,\s*/.exec(source.slice(end))?.[0];
  return after === undefined ? undefined : [keyStart, end + after.length];
}
