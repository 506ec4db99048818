import { isObject, jsonEqual, jsonOf, own } from '../base/json.ts';
import { cleanText, type EntryData, foreignJson } from '../ledger/entry.ts';
import type { ProofOfWork } from '../protocol/schema.ts';
import {
  type ProofFacts,
  type ProofRejection,
  type ProofTools,
  rejectProof,
  type Verdict,
} from './verdict.ts';

type McpDemand = Extract<ProofOfWork, { type: 'mcp' }>;

/**
 * What a tool call gave. In this order: the tool, the declared arguments, success, the expected result, the schema.
 * Absent arguments count as `{}`. Kept: `tool_name`, `arguments_json`, `result_json` (each one string of RFC 8785
 * text), `success`.
 */
export function validateMcp(
  { mcp: demand }: McpDemand,
  payload: unknown,
  _facts: ProofFacts,
  { schemas }: ProofTools,
): Verdict {
  if (!isObject(payload)) {
    return rejectProof(
      'MISSING_FIELD',
      'solution.mcp is missing: it must be an object with tool_name, result and success.',
    );
  }
  const toolName = own(payload, 'tool_name');
  if (typeof toolName !== 'string') {
    return rejectProof(
      'MISSING_FIELD',
      'solution.mcp.tool_name must be the name of the tool that was called, a string.',
    );
  }
  if (toolName !== demand.tool_name) {
    return rejectProof('MCP_TOOL_MISMATCH', 'Another tool was called than challenge.mcp.tool_name names.');
  }
  const args = own(payload, 'arguments') ?? {};
  if (demand.arguments !== undefined && !jsonEqual(args, demand.arguments)) {
    return rejectProof(
      'MCP_ARGUMENTS_MISMATCH',
      'solution.mcp.arguments must equal challenge.mcp.arguments, whole.',
    );
  }
  const success = own(payload, 'success');
  if (typeof success !== 'boolean') {
    return rejectProof('MISSING_FIELD', 'solution.mcp.success must be true or false.');
  }
  const result = own(payload, 'result');
  if (!success || isErrorResult(result)) {
    return rejectProof('TOOL_FAILED', 'The tool call did not succeed.');
  }
  if (result === undefined) {
    return rejectProof('MISSING_FIELD', 'solution.mcp.result is missing: it must be what the tool returned.');
  }
  const mismatch = checkResult(demand, result, schemas);
  if (mismatch !== null) return mismatch;
  return {
    ok: true,
    proof: {
      tool_name: toolName,
      arguments_json: foreignJson(args),
      result_json: foreignJson(result),
      success: true,
    },
  };
}

/** What is kept of a call whose proof is refused. */
export function keptOfMcp(payload: unknown): EntryData {
  if (!isObject(payload)) return {};
  const [tool, result] = [own(payload, 'tool_name'), own(payload, 'result')];
  return {
    ...(typeof tool === 'string' ? { tool_name: cleanText(tool) } : {}),
    ...(result === undefined || result === null ? {} : { result_json: foreignJson(result) }),
  };
}

/** Both rules must be satisfied by the same reading of the result. */
function checkResult(
  { expected_result: expected, result_schema: schema }: McpDemand['mcp'],
  result: unknown,
  schemas: ProofTools['schemas'],
): ProofRejection | null {
  const forms = resultForms(result);
  const expectedForms = expected === undefined ? forms : forms.filter((form) => isExpected(form, expected));
  if (expectedForms.length === 0) {
    return rejectProof(
      'MCP_RESULT_MISMATCH',
      'solution.mcp.result does not match challenge.mcp.expected_result.',
    );
  }
  if (schema === undefined) return null;
  const violations = expectedForms.map((form) => schemas.errors(schema, form));
  if (violations.some((list) => list.length === 0)) return null;
  const first = violations[0] ?? [];
  if (first.some(({ keyword }) => keyword === '$schema')) {
    return rejectProof(
      'MCP_RESULT_MISMATCH',
      'The result_schema of this step is not a JSON Schema of 2020-12 that can be used, so nothing satisfies it: the step has to be updated.',
    );
  }
  const keywords = [...new Set(first.map(({ keyword }) => keyword))].join(', ');
  return rejectProof(
    'MCP_RESULT_MISMATCH',
    `solution.mcp.result violates challenge.mcp.result_schema in ${first.length} place${first.length === 1 ? '' : 's'} (${keywords}).`,
  );
}

/** An object: each of its keys is there and equal; any other value equals the whole. */
function isExpected(result: unknown, expected: unknown): boolean {
  if (!isObject(expected)) return jsonEqual(result, expected);
  return (
    isObject(result) &&
    Object.keys(expected).every((key) => Object.hasOwn(result, key) && jsonEqual(result[key], expected[key]))
  );
}

/**
 * How to read a tool's result (SPEC 1): its `structuredContent`, else its single text parsed as JSON, else
 * raw. Where the structured content only wraps a plain value, the text counts too. A text is tried parsed first and then raw, so that the expected text `5` and the expected number 5
 * both work.
 */
export function resultForms(result: unknown): unknown[] {
  if (typeof result === 'string') return textForms(result);
  if (!isCallResult(result)) return [result];
  const structured = own(result, 'structuredContent');
  if (structured !== undefined && structured !== null && !isWrapper(structured)) return [structured];
  const wrapped = isObject(structured) ? [structured] : [];
  const content = own(result, 'content');
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : null;
  if (!isObject(only) || own(only, 'type') !== 'text') return wrapped.length > 0 ? wrapped : [result];
  const text = own(only, 'text');
  if (typeof text !== 'string') return wrapped.length > 0 ? wrapped : [result];
  return [...wrapped, ...textForms(text)];
}

/**
 * Whether a claimed result of a call contradicts the one that was seen: another value for the same key, or another number or
 * boolean. Texts can be shortened, and redacted ones are not compared.
 */
export function contradictsResult(claim: unknown, seen: unknown): boolean {
  const conflicts = resultForms(claim).flatMap((told) =>
    resultForms(seen).flatMap((known) => conflictOf(told, known) ?? []),
  );
  return conflicts.length > 0 && conflicts.every(Boolean);
}

/** Null: the values can't be compared. */
function conflictOf(told: unknown, known: unknown): boolean | null {
  if (isObject(told) && isObject(known)) {
    const shared = Object.keys(told).filter((key) => Object.hasOwn(known, key) && isPlain(known[key]));
    return shared.length === 0 ? null : !shared.every((key) => jsonEqual(told[key], known[key]));
  }
  const areValues = [told, known].every((value) => ['number', 'boolean'].includes(typeof value));
  return areValues ? told !== known : null;
}

const isPlain = (value: unknown) => !JSON.stringify(value).includes('[redacted');

/** `{"result": 5}`: servers (fastmcp) put a plain value into an object, because structured content must be one. */
function isWrapper(structured: unknown): boolean {
  return isObject(structured) && Object.keys(structured).join() === 'result';
}

/** MCP's own mark of a failed call, which overrides any claim. */
function isErrorResult(result: unknown): boolean {
  return isCallResult(result) && own(result, 'isError') === true;
}

/**
 * MCP's CallToolResult, with any additional keys of a revision or a server; not every object with `content`.
 */
function isCallResult(result: unknown): result is Record<string, unknown> {
  if (!isObject(result)) return false;
  const content = own(result, 'content');
  if (Array.isArray(content)) return content.every(isBlock);
  return content === undefined && isObject(own(result, 'structuredContent'));
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof own(value, 'type') === 'string';
}

function textForms(text: string): unknown[] {
  const value = jsonOf(text);
  return value === undefined ? [text] : [value, text];
}
