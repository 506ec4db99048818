/** Nesting up to which a message of a client is read. Validators recurse: a few thousand levels would exhaust the stack. */
export const MAX_MESSAGE_DEPTH = 128;

/** Whether arrays and objects of a JSON value nest deeper than this. Follows no further than it has to. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (depth === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}
