import type { ErrorObject } from 'ajv';
import {
  EVALUATION_LIMIT_MS,
  loadSchemaCompiler,
  type SchemaCheck,
  TimeLimitExceeded,
} from '../base/json-schema.ts';
import type { SchemaTools, SchemaViolation } from './verdict.ts';

const UNUSABLE: SchemaViolation = {
  path: '',
  keyword: '$schema',
  message: 'the schema itself cannot be used',
};
const TOO_COSTLY: SchemaViolation = {
  path: '',
  keyword: '$schema',
  message: `checking a value against the schema takes longer than ${EVALUATION_LIMIT_MS / 1000} s`,
};

/** Returns validators for the schemas that `loadSchemaCompiler` supports. A check that exceeds its time limit is a violation. */
export async function loadSchemas(): Promise<SchemaTools> {
  const { compile } = await loadSchemaCompiler();
  const compiled = new WeakMap<object, SchemaCheck | SchemaViolation>();
  return {
    errors(schema, value) {
      const known = compiled.get(schema) ?? attempt(() => compile(schema));
      compiled.set(schema, known);
      if (typeof known !== 'function') return [known];
      // A schema may refer to itself without end; that shows only here.
      const found = attempt(() => known(value));
      return Array.isArray(found) ? found.map(violation) : [found];
    },
  };
}

function violation({ instancePath, keyword, message, params }: ErrorObject): SchemaViolation {
  const member: unknown =
    params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  return {
    path: instancePath,
    keyword,
    message: message ?? 'does not match',
    ...(typeof member === 'string' ? { member } : {}),
  };
}

function attempt<T>(action: () => T): T | SchemaViolation {
  try {
    return action();
  } catch (error) {
    return error instanceof TimeLimitExceeded ? TOO_COSTLY : UNUSABLE;
  }
}
