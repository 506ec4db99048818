import { isMap, isScalar, isSeq, type Scalar } from 'yaml';

/**
 * A mapping of an answers file as JSON text; null where it is none (a key that is no text, say). Read by the failsafe schema,
 * so that a number keeps the digits that it was written with and whoever reads the text judges them: what JSON writes as a
 * number, `true`, `false` or `null` is that, everything else a text.
 */
export function jsonAnswer(node: unknown): string | null {
  if (node === null) return 'null';
  if (isScalar(node)) return scalar(node);
  if (isSeq(node)) {
    const items = node.items.map(jsonAnswer);
    return items.includes(null) ? null : `[${items.join(',')}]`;
  }
  if (!isMap(node)) return null;
  const members = node.items.map(({ key, value }) => {
    const text = jsonAnswer(value);
    return isScalar(key) && text !== null ? `${JSON.stringify(String(key.value))}:${text}` : null;
  });
  return members.includes(null) ? null : `{${members.join(',')}}`;
}

function scalar({ type, value }: Scalar): string {
  const text = String(value);
  if (type !== 'PLAIN') return JSON.stringify(text);
  if (text === '') return 'null';
  return JSON_WORD.test(text) ? text : JSON.stringify(text);
}

const JSON_WORD = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
