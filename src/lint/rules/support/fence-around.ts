/** The range between the fence that begins on the line of an offset, or last before it, and the next fence. */
export function fenceAround(source: string, at: number): [start: number, end: number] {
  const lineEnd = /[\r\n]|$/.exec(source.slice(at))!.index + at;
  let start = 0;
  for (const fence of source.slice(0, lineEnd).matchAll(FENCE)) start = fence.index + fence[0].length;
  const after = source.slice(lineEnd).search(FENCE);
  return [start, after === -1 ? source.length : lineEnd + after];
}

const FENCE = /^[ \t]*(?:`{3,}|~{3,})[^\r\n]*/gm;
