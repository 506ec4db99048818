/** The range between the fence that begins on the line of an offset, or last before it, and the next fence. */
export function fenceAround(source: string, at: number): [start: number, end: number] {
  const end = lineEnd(source, at);
  let start = 0;
  for (const fence of source.slice(0, end).matchAll(FENCE)) start = fence.index + fence[0].length;
  const after = source.slice(end).search(FENCE);
  return [start, after === -1 ? source.length : end + after];
}

/** The end of the line of an offset. */
export function lineEnd(source: string, at: number): number {
  return /[\r\n]|$/.exec(source.slice(at))!.index + at;
}

const FENCE = /^[ \t]*(?:`{3,}|~{3,})[^\r\n]*/gm;
