import type { ErrorObject, ValidateFunction } from 'ajv';
import type { SchemaTools, SchemaViolation } from './verdict.ts';

const UNUSABLE: SchemaViolation = {
  path: '',
  keyword: '$schema',
  message: 'the schema itself cannot be used',
};

/**
 * JSON Schema 2020-12 (ajv), closed towards the outside: nothing is fetched (a `$ref` that leads elsewhere makes the
 * schema unusable), `format` is an annotation, `pattern` runs on RE2, inherited properties do not exist, and
 * asynchronous schemas (an extension of ajv) are not taken.
 */
export async function loadSchemas(): Promise<SchemaTools> {
  const [{ default: module }, { RE2JS }] = await Promise.all([import('ajv/dist/2020.js'), import('re2js')]);
  const regExp = Object.assign(
    (pattern: string) => {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
      // ajv tells patterns apart by their text form.
      return { test: (text: string) => compiled.test(text), toString: () => pattern };
    },
    { code: 'kairos.re2' },
  );
  const compile = (schema: object): ValidateFunction => {
    const ajv = new module.Ajv2020({
      strict: false,
      allErrors: true,
      ownProperties: true,
      validateFormats: false,
      logger: false,
      code: { regExp },
    });
    return ajv.compile(schema);
  };
  const compiled = new WeakMap<object, ValidateFunction | null>();
  return {
    errors(schema, value) {
      let validate = compiled.get(schema);
      if (validate === undefined) {
        validate = attempt(() => compile(schema));
        compiled.set(schema, validate);
      }
      if (validate === null || Object.hasOwn(validate, '$async')) return [UNUSABLE];
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
