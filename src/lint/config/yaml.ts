import { parseDocument, visit } from 'yaml';
import { yamlFault } from '../../base/errors.ts';

/** Reads YAML as plain data: no aliases, custom tags or duplicate keys. An empty text is an empty mapping. */
export function parseConfigYaml(text: string): { value: unknown } | { faults: string[] } {
  const document = parseDocument(text, { schema: 'core', uniqueKeys: true, logLevel: 'silent' });
  // What follows a first fault is mostly its consequence.
  const faults = [...document.errors, ...document.warnings].slice(0, 1).map(yamlFault);
  visit(document, {
    Alias: () => {
      faults.push('aliases are not read; write the value out');
      return visit.BREAK;
    },
  });
  return faults.length > 0 ? { faults } : { value: document.toJS() ?? {} };
}
