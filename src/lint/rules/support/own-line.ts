interface Edit {
  range: [number, number];
  replacement: string;
}

/**
 * An edit that moves a fence after other text to a new line, with a blank line before it, with the content
 * and the end of the fence then. Undefined for other faults: inside a quote or list, and if no closing line
 * follows before the next heading.
 */
export function ontoOwnLine(
  source: string,
  at: number,
): { edit: Edit; content: string; end: number } | undefined {
  const lineStart = Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1;
  const before = source.slice(lineStart, at);
  if (!/^ {0,3}[^\s>*+#\d-]/.test(before)) return undefined;
  const [fenced, , body] = FENCED.exec(source.slice(at)) ?? [];
  if (fenced === undefined || /^ {0,3}(?:#{1,2}[ \t]|[`~]{3})/m.test(body!)) return undefined;
  return {
    edit: { range: [lineStart + before.trimEnd().length, at], replacement: '\n\n' },
    content: body!,
    end: at + fenced.length,
  };
}

/** A fence with its language, its content, and a closing line of the same marks. */
const FENCED = /^(`{3,}|~{3,})[^\r\n]*(?:\r\n|\r|\n)([\s\S]*?)^ {0,3}\1[ \t]*$/m;
