/** An edit that gives what begins at an offset a line of its own, with a blank line before it. */
export function ontoOwnLine(source: string, at: number): { range: [number, number]; replacement: string } {
  const start = source.slice(0, at).replace(/[ \t]+$/, '').length;
  return { range: [start, at], replacement: '\n\n' };
}
