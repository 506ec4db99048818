import { parseDocument } from 'yaml';

/** Sets a key of a mapping, or removes it (null); comments and everything else stay. */
export function changeYaml(text: string, key: string, value: string | null): string {
  const document = parseDocument(text);
  if (value === null) document.delete(key);
  else document.set(key, value);
  return document.toString({ lineWidth: 0 });
}
