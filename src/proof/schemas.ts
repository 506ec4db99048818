import type { ErrorObject, ValidateFunction } from 'ajv';
import { loadSchemaCompiler } from '../base/json-schema.ts';
import type { SchemaTools, SchemaViolation } from './verdict.ts';

const UNUSABLE: SchemaViolation = {
  path: '',
  keyword: '$schema',
  message: 'the schema itself cannot be used',
};

/** Judges values by schemas, as `loadSchemaCompiler` takes them. */
export async function loadSchemas(): Promise<SchemaTools> {
  const { compile } = await loadSchemaCompiler();
  const compiled = new WeakMap<object, ValidateFunction | null>();
  return {
    errors(schema, value) {
      let validate = compiled.get(schema);
      if (validate === undefined) {
        validate = attempt(() => compile(schema));
        compiled.set(schema, validate);
      }
      if (validate === null) return [UNUSABLE];
      const known = validate;
      // A schema may refer to itself without end; that shows only here.
      const valid = attempt<unknown>(() => known(value));
      if (valid === true) return [];
      return valid === false ? (known.errors ?? []).map(violation) : [UNUSABLE];
    },
  };
}

function violation({ instancePath, keyword, message, params }: ErrorObject): SchemaViolation {
  const member: unknown =
    params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  return {
    path: instancePath,
    keyword,
    message: message ?? 'does not hold',
    ...(typeof member === 'string' ? { member } : {}),
  };
}

function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
