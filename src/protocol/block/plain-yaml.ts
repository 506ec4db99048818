import { plainScalar } from '../plain-mapping.ts';

/**
 * The value of a YAML text as simple as most step blocks: mappings in mappings, words, whole numbers, quoted
 * texts. Null for anything else, faults included: then the full parser is needed, which is a hundred times
 * slower.
 */
export function plainYaml(text: string): Record<string, unknown> | null {
  if (text.length > MAX_LENGTH) return null;
  const root: Record<string, unknown> = {};
  const open: Level[] = [{ indent: 0, mapping: root }];
  /** Set after a key without a value: its mapping has to come next, and be indented more. */
  let awaits: Record<string, unknown> | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = ENTRY.exec(line);
    if (entry === null) return null;
    const indent = entry[1]!.length;
    if (awaits !== null) {
      if (indent <= open.at(-1)!.indent) return null;
      open.push({ indent, mapping: awaits });
    }
    while (open.length > 1 && indent < open.at(-1)!.indent) open.pop();
    const { indent: own, mapping } = open.at(-1)!;
    const key = entry[2]!;
    if (indent !== own || Object.hasOwn(mapping, key)) return null;
    awaits = entry[3] === undefined ? {} : null;
    const value = awaits ?? scalar(entry[3]!);
    if (value === null) return null;
    mapping[key] = value;
  }
  return awaits === null && Object.keys(root).length > 0 ? root : null;
}

interface Level {
  indent: number;
  mapping: Record<string, unknown>;
}

const MAX_LENGTH = 4096;
const ENTRY = /^( {0,40})([a-z][a-z_]{0,63}):(?: (\S.*))?$/;
const WHOLE = /^(?:0|[1-9][0-9]{0,8})$/;
/** Printable ASCII that neither quote nor escape ends early. */
const QUOTED = /^"([ !#-[\]-~]*)"$|^'([ -&(-~]*)'$/;

function scalar(written: string): string | number | boolean | null {
  if (WHOLE.test(written)) return Number(written);
  if (written === 'true' || written === 'false') return written === 'true';
  const quoted = QUOTED.exec(written);
  return quoted === null ? plainScalar(written) : (quoted[1] ?? quoted[2]!);
}
