import type { ValidateFunction } from 'ajv';

/** Compiles JSON Schemas from documents. */
export interface SchemaCompiler {
  /** Throws when the schema is unusable. */
  compile(schema: object): ValidateFunction;
  /** Why a schema is unusable; null when it is usable. */
  problem(schema: object): string | null;
  /** The same, and a keyword that JSON Schema does not have is a problem too. */
  strictProblem(schema: object): string | null;
}

let loaded: Promise<SchemaCompiler> | undefined;

/**
 * JSON Schema 2020-12 (ajv), isolated: nothing is fetched (a `$ref` to another document makes the schema
 * unusable), `format` is an annotation, `pattern` runs on RE2, inherited properties don't exist, and
 * asynchronous schemas (an extension of ajv) are rejected. Loaded on first use.
 */
export function loadSchemaCompiler(): Promise<SchemaCompiler> {
  loaded ??= makeCompiler();
  return loaded;
}

async function makeCompiler(): Promise<SchemaCompiler> {
  const [{ default: module }, { RE2JS }] = await Promise.all([import('ajv/dist/2020.js'), import('re2js')]);
  const regExp = Object.assign(
    (pattern: string) => {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
      // ajv compares patterns by their text.
      return { test: (text: string) => compiled.test(text), toString: () => pattern };
    },
    { code: 'kairos.re2' },
  );
  const compile = (schema: object, strictSchema = false): ValidateFunction => {
    const ajv = new module.Ajv2020({
      strict: false,
      strictSchema,
      allErrors: true,
      ownProperties: true,
      validateFormats: false,
      logger: false,
      code: { regExp },
    });
    const validate = ajv.compile(schema);
    if (Object.hasOwn(validate, '$async')) throw new Error('asynchronous schemas are not supported');
    return validate;
  };
  const problem = (schema: object, strict = false): string | null => {
    try {
      compile(schema, strict);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return {
    compile: (schema) => compile(schema),
    problem: (schema) => problem(schema),
    strictProblem: (schema) => problem(schema, true),
  };
}
