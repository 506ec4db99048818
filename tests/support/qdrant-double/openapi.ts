import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';

const FILE = fileURLToPath(new URL('../../../../shared/qdrant/openapi-1.18.json', import.meta.url));

/** Judges what goes over the wire; null is what nobody asked about. */
export interface WireCheck {
  /** Faults of a request, none when it is as the document says. */
  request(method: string, path: string, query: URLSearchParams, body: unknown): string[];
  response(method: string, path: string, status: number, body: unknown): string[];
}

interface Operation {
  parameters?: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

let shared: WireCheck | null | undefined;

/** The official document of Qdrant's API as a judge; null, with a message, where the file is not at hand. */
export function wireCheck(): WireCheck | null {
  if (shared === undefined) {
    shared = existsSync(FILE) ? fromDocument(JSON.parse(readFileSync(FILE, 'utf8'))) : null;
    if (shared === null) console.warn(`not there, so requests are not held against it: ${FILE}`);
  }
  return shared;
}

function fromDocument(document: {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}): WireCheck {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ $id: 'api', components: closed(document.components) as object });
  const patterns = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }));
  // Fixed paths before those with a name in the same place.
  patterns.sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  const compiled = new Map<object, ValidateFunction>();

  const operationOf = (method: string, path: string): Operation | undefined => {
    const found = patterns.find(({ pattern, path: name }) => {
      return pattern.test(path) && document.paths[name]?.[method.toLowerCase()] !== undefined;
    });
    return found && document.paths[found.path]?.[method.toLowerCase()];
  };
  const judge = (schema: object, value: unknown, what: string): string[] => {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      validate = ajv.compile(closed(schema) as object);
      compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    // Of all the ways in which it could have been right, the one that came furthest says most.
    const errors = (validate.errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);
    return errors.slice(0, 1).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  };

  return {
    request(method, path, query, body) {
      const operation = operationOf(method, path);
      if (operation === undefined) return [`there is no ${method} ${path}`];
      const known = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const faults = [...query].flatMap(([name, text]) => {
        const parameter = known.find((one) => one.name === name);
        if (parameter === undefined) return [`${method} ${path} has no parameter ${name}`];
        const value = /^(?:true|false|\d+)$/.test(text) ? JSON.parse(text) : text;
        return judge(parameter.schema, value, `?${name}`);
      });
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema === undefined)
        return body === undefined ? faults : [...faults, `${method} ${path} takes no body`];
      return [...faults, ...judge(schema, body, 'request')];
    },
    response(method, path, status, body) {
      const { responses } = operationOf(method, path) ?? { responses: {} };
      const answer = responses[String(status)] ?? responses[status < 500 ? '4XX' : 'default'];
      const schema = answer?.content?.['application/json']?.schema;
      return schema === undefined
        ? [`${method} ${path} never answers ${status}`]
        : judge(schema, body, 'response');
    },
  };
}

/**
 * The document says less than it means: a lone `nullable` stands for null alone, and an object with named keys has no
 * others.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const keys = Object.keys(schema);
  if (keys.length === 1 && keys[0] === 'nullable') return { type: 'null' };
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'example' || key === 'examples' || key === 'default') continue;
    result[key] = key === '$ref' ? `api${String(value)}` : closed(value);
  }
  if (
    result.properties !== undefined &&
    result.additionalProperties === undefined &&
    result.allOf === undefined
  ) {
    result.additionalProperties = false;
  }
  return result;
}
