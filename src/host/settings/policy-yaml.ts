import { parseDocument } from 'yaml';
import { yamlFault } from '../../base/errors.ts';

/** The YAML of a policy: no duplicate keys, aliases or custom tags. Throws Error with the reason. */
export function parsePolicyYaml(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: true, customTags: [], merge: false, schema: 'core' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new Error(yamlFault(problem), { cause: problem });
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw new Error('aliases are not allowed', { cause });
  }
}
