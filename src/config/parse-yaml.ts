import { parse } from 'yaml';

/** The value of a YAML text without aliases. A module of its own: YAML is loaded only for who has such a file. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: 0 });
}
