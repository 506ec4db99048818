import { LineCounter, parseDocument, visit } from 'yaml';
import { yamlFault } from '../base/errors.ts';

/**
 * Reads YAML as plain data, without aliases, custom tags, duplicate keys or a second document. Returns the first fault of any
 * other text. Import it lazily: the library is large.
 */
export function readPlainYaml(text: string): { value: unknown } | { fault: string } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    // The library would put place and excerpt into every fault: in a line with thousands, that needs seconds.
    prettyErrors: false,
    lineCounter,
    schema: 'core',
    uniqueKeys: true,
    customTags: [],
    merge: false,
    // With 'silent' the parser ignores a second document.
    logLevel: 'error',
  });
  // The faults after the first are usually its consequence.
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) {
    const { message, code, pos } = first;
    const linePos = pos[0] < 0 ? undefined : [lineCounter.linePos(pos[0])];
    return { fault: yamlFault({ message, code, linePos }) };
  }
  let hasAlias = false;
  visit(document, {
    Alias: () => {
      hasAlias = true;
      return visit.BREAK;
    },
  });
  return hasAlias
    ? { fault: 'aliases are not read; write the value out' }
    : { value: document.toJS() as unknown };
}

/** The value of a YAML text. Throws Error with the fault. */
export function parseYaml(text: string): unknown {
  const read = readPlainYaml(text);
  if ('fault' in read) throw new Error(read.fault);
  return read.value;
}

/** Sets a key of a mapping, or removes it (null); comments and everything else stay. */
export function changeYaml(text: string, key: string, value: string | null): string {
  const document = parseDocument(text);
  if (value === null) document.delete(key);
  else document.set(key, value);
  return document.toString({ lineWidth: 0 });
}
