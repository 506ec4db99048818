import type { Edit, Node } from 'jsonc-parser';

/** How a JSON file is laid out; `indent` is null where everything stands in one line. */
export interface Style {
  indent: string | null;
  eol: string;
}

/** The first indentation of a file and its line ends. */
export function styleOf(text: string): Style {
  const indent = text.trim().includes('\n') ? (/^([ \t]+)\S/m.exec(text)?.[1] ?? '  ') : null;
  return { indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** A value as the file would write it, its first line at the given depth. */
export function write(value: unknown, depth: number, { indent, eol }: Style, inOneLine = false): string {
  if (indent === null) return JSON.stringify(value);
  if (inOneLine)
    return JSON.stringify(value, null, 1)
      .replaceAll(/\n */g, ' ')
      .replace(/^\[ (.*) \]$/, '[$1]');
  return JSON.stringify(value, null, indent).replaceAll('\n', eol + indent.repeat(depth));
}

/** As the first properties: nothing that stands before or behind another one, a comma or a comment, is in the way. */
export function insertOnTop(
  object: Node,
  source: string,
  properties: readonly [key: string, value: unknown][],
  depth: number,
  style: Style,
): Edit {
  const { indent, eol } = style;
  const offset = object.offset + 1;
  const comma = (object.children?.length ?? 0) > 0 ? ',' : '';
  const lead = indent === null ? '' : eol + indent.repeat(depth);
  const lines = properties.map(
    ([key, value]) =>
      `${lead}${JSON.stringify(key)}:${indent === null ? '' : ' '}${write(value, depth, style)}`,
  );
  const inOneLine = !source.slice(offset, object.offset + object.length).includes('\n');
  const tail = indent !== null && inOneLine ? eol + indent.repeat(comma === '' ? depth - 1 : depth) : '';
  return { offset, length: 0, content: lines.join(',') + comma + tail };
}

/** Into an object that stands in one line, and has properties: it still does. */
export function insertInOneLine(
  object: Node,
  source: string,
  properties: readonly [key: string, value: unknown][],
  style: Style,
): Edit {
  const space = style.indent === null ? '' : ' ';
  const offset = object.offset + 1;
  const padded = /\s/.test(source.charAt(offset));
  const list = properties.map(
    ([key, value]) => `${JSON.stringify(key)}:${space}${write(value, 0, style, true)}`,
  );
  return {
    offset,
    length: 0,
    content: `${padded ? space : ''}${list.join(`,${space}`)},${padded ? '' : space}`,
  };
}
