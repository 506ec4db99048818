import { frontmatterJsonSchema, stepBlockJsonSchema } from '../../protocol/json-schema.ts';
import { jsonSchemaOf } from '../json-schemas.ts';
import type { EditorFileKind } from './check.ts';
import type { EditorSchema } from './schema-spot.ts';

/** A part of a text with one kind of syntax. */
export type Region =
  | { kind: 'data'; schema: EditorSchema; root: string; format: 'json' | 'yaml'; from: number; text: string }
  | { kind: 'info'; from: number; to: number; language: string }
  | { kind: 'command'; from: number; to: number }
  | { kind: 'text' };

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)(.*)$/;

/**
 * The part of a text that an offset is in. Reads lines, not the document: at a cursor the text is often one that can't be parsed,
 * and an answer must not wait for it.
 */
export function regionAt(text: string, offset: number, kind: EditorFileKind): Region {
  if (kind !== 'protocol') {
    const format = /^\s*\{/.test(text) ? 'json' : 'yaml';
    return { kind: 'data', schema: schemaOf(kind), root: kind, format, from: 0, text };
  }
  const front = /^---[ \t]*\r?\n([\s\S]*?)(?:^---[ \t]*$|(?![\s\S]))/m.exec(
    text.startsWith('---') ? text : '',
  );
  if (front !== null) {
    const from = front[0].indexOf('\n') + 1;
    if (offset >= from && offset <= from + front[1]!.length)
      return {
        kind: 'data',
        schema: schemaOf('frontmatter'),
        root: 'frontmatter',
        format: 'yaml',
        from,
        text: front[1]!,
      };
  }
  let open: { mark: string; language: string; meta: string; from: number } | null = null;
  for (let start = front?.[0].length ?? 0; start <= text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const fence = FENCE.exec(text.slice(start, end).replace(/\r$/, ''));
    const [, mark = '', language = '', meta = ''] = fence ?? [];
    const closes = open !== null && mark.startsWith(open.mark) && language === '' && meta.trim() === '';
    if (open === null && fence !== null) {
      if (offset >= start && offset <= end) return { kind: 'info', from: start, to: end, language };
      open = { mark, language: language.toLowerCase(), meta, from: end + 1 };
    } else if (open !== null && (closes || next === -1)) {
      const to = closes ? start - 1 : text.length;
      if (offset >= open.from && offset <= Math.max(to, open.from))
        return inFence(text, open, Math.max(to, open.from));
      open = null;
    }
    if (start > offset && open === null) break;
    if (next === -1) break;
    start = end + 1;
  }
  return { kind: 'text' };
}

function inFence(
  text: string,
  { language, meta, from }: { language: string; meta: string; from: number },
  to: number,
): Region {
  if (language === 'json' || language === 'yaml' || language === 'yml') {
    const format = language === 'json' ? 'json' : 'yaml';
    return {
      kind: 'data',
      schema: schemaOf('step-block'),
      root: 'block',
      format,
      from,
      text: text.slice(from, to),
    };
  }
  return /^[ \t]*proof(?=[ \t]|$)/i.test(meta) ? { kind: 'command', from, to } : { kind: 'text' };
}

const made = new Map<string, EditorSchema>();

export function schemaOf(name: string): EditorSchema {
  let schema = made.get(name);
  if (schema === undefined) {
    schema =
      name === 'step-block'
        ? stepBlockJsonSchema()
        : name === 'frontmatter'
          ? frontmatterJsonSchema()
          : jsonSchemaOf(name);
    made.set(name, schema);
  }
  return schema;
}
