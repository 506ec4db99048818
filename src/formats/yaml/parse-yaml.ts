import { parse, YAMLParseError } from 'yaml';
import { yamlFault } from '../../base/errors.ts';

/**
 * The value of a YAML text without aliases. A separate module, so that YAML is loaded only when needed.
 * Throws Error with the reason.
 */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (cause) {
    if (cause instanceof YAMLParseError) throw new Error(yamlFault(cause), { cause });
    throw cause;
  }
}
