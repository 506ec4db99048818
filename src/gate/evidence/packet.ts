import { isJsonObject, own } from '../../proof/json-equal.ts';
import { resultForms } from '../../proof/mcp-result.ts';
import { readJsonStrictly } from '../json/read.ts';

/**
 * Which fields of a proof can be looked up. mcp: the tool's result (structured, else its single text parsed,
 * else raw). shell: `exit_code`, `stdout`, `stderr`, `duration_ms`, and `stdout_json` when the whole output
 * is one JSON document. user_input: `confirmation`. comment: `text`. sampling: the result itself. `stored` is
 * the type's object of the ledger entry.
 */
export function packetOf(type: string, stored: unknown): unknown {
  if (!isJsonObject(stored)) return null;
  if (type === 'mcp') {
    const result = own(stored, 'result_json');
    return typeof result === 'string' ? resultOf(JSON.parse(result)) : null;
  }
  if (type === 'sampling') {
    const result = own(stored, 'result_json');
    return typeof result === 'string' ? JSON.parse(result) : null;
  }
  if (type === 'shell') {
    const stdout = own(stored, 'stdout');
    const json = typeof stdout === 'string' && isWhole(stdout, stored) ? readJsonStrictly(stdout) : null;
    return json !== null && json.violations.length === 0 ? { ...stored, stdout_json: json.value } : stored;
  }
  return stored;
}

/** A text that is JSON is read as strictly as a command's output is: what would be read as something else stays a text. */
function resultOf(result: unknown): unknown {
  const [form, text] = resultForms(result);
  if (typeof text !== 'string') return form;
  const { value, violations } = readJsonStrictly(text, Number.POSITIVE_INFINITY);
  return violations.length === 0 ? value : text;
}

/** Not cut to its head and tail. */
function isWhole(stdout: string, stored: Record<string, unknown>): boolean {
  const bytes = own(stored, 'stdout_bytes');
  return bytes === undefined || bytes === Buffer.byteLength(stdout);
}
