import { type Context, createContext, Script } from 'node:vm';
import type { ErrorObject } from 'ajv';

/** Compiles JSON Schemas from documents. */
export interface SchemaCompiler {
  /** Throws when the schema cannot be used, or compiling it takes longer than an evaluation may. */
  compile(schema: object): SchemaCheck;
  /** What keeps a schema from being used; null when nothing does. */
  problem(schema: object): string | null;
  /** The same, and a keyword that JSON Schema does not have is a problem too. */
  strictProblem(schema: object): string | null;
}

/** Every violation of a schema by a value. Throws TimeLimitExceeded, and what a schema that refers to itself without end throws. */
export type SchemaCheck = (value: unknown) => ErrorObject[];

let loaded: Promise<SchemaCompiler> | undefined;

/**
 * JSON Schema 2020-12 (ajv), closed towards the outside: nothing is fetched (a `$ref` that leads elsewhere makes the
 * schema unusable), `format` is an annotation, `pattern` runs on RE2, inherited properties do not exist, and
 * asynchronous schemas (an extension of ajv) are rejected. The time for compiling and checking is limited: a
 * few nested `anyOf`, or `uniqueItems` over a long list, would otherwise stop the program. Loaded on first use.
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
  const options = { strict: false, validateFormats: false, logger: false, code: { regExp } } as const;
  let meta: InstanceType<typeof module.Ajv2020> | undefined;
  // Compiling the schema of schemas takes longer than most schemas: it is done once, where nothing interrupts it, and
  // only for a document that has a schema.
  const metaSchema = () => {
    if (meta === undefined) {
      meta = new module.Ajv2020(options);
      meta.validateSchema({});
    }
    return meta;
  };
  const compile = (schema: object, strictSchema = false): SchemaCheck => {
    const compiling = {
      ...options,
      strictSchema,
      allErrors: true,
      ownProperties: true,
      validateSchema: false,
    };
    // A compiler that was interrupted is of no use to the next try.
    const known = metaSchema();
    const validate = withinTime(() => {
      known.validateSchema(schema, true);
      return new module.Ajv2020(compiling).compile(schema);
    });
    if (Object.hasOwn(validate, '$async')) throw new Error('asynchronous schemas are rejected');
    return (value) => (withinTime(() => validate(value)) ? [] : (validate.errors ?? []));
  };
  const problem = (schema: object, strict = false): string | null => {
    try {
      compile(schema, strict);
      return null;
    } catch (error) {
      return inPlainWords((error as Error).message);
    }
  };
  return {
    compile: (schema) => compile(schema),
    problem: (schema) => problem(schema),
    strictProblem: (schema) => problem(schema, true),
  };
}

/** A message of ajv without its own terms, and with the first of several faults at one place. */
function inPlainWords(message: string): string {
  const [, place, fault] = /^schema is invalid: data(\S*) (.*?)(?:, data.*)?$/s.exec(message) ?? [];
  if (fault !== undefined) return place === '' ? fault : `${place} ${fault}`;
  if (message.startsWith('NOT SUPPORTED: keyword "id"')) return 'it has the keyword "id", which is "$id" now';
  return message.replace(/^strict mode: /, '');
}

/** The time limit of work whose cost an author or a caller chooses, in milliseconds. */
export const EVALUATION_LIMIT_MS = 1000;

/** The work was ended at its time limit. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded';
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`the evaluation exceeded ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** Checks the name, because a module that is loaded lazily may have a separate class. */
export function isTimeLimit(error: unknown): error is TimeLimitExceeded {
  return error instanceof Error && error.name === 'TimeLimitExceeded';
}

let box: Context | undefined;
let script: Script | undefined;

/** On a busy machine the time may pass while the work waits for a processor: then it is tried again, this often at most, */
const TRIES = 2;
/** with as much more time as the machine is slower, up to this factor. */
const MAX_WAIT = 4;

/**
 * Runs synchronous work that changes nothing outside of itself, and returns its result. The engine ends work that exceeds
 * the limit, wherever it is: this is for code that cannot count its own steps. Throws TimeLimitExceeded then, and what
 * the work throws.
 */
export function withinTime<T>(work: () => T, limitMs = EVALUATION_LIMIT_MS, tries = TRIES): T {
  let wallMs = limitMs;
  for (let attempt = 1; ; attempt += 1) {
    const before = process.cpuUsage();
    try {
      return runLimited(work, Math.ceil(wallMs));
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.cpuUsage(before);
      const workedMs = (user + system) / 1000;
      if (workedMs > limitMs * 0.9 || attempt === tries) throw new TimeLimitExceeded(limitMs);
      wallMs = limitMs * Math.min(wallMs / Math.max(workedMs, 1), MAX_WAIT);
    }
  }
}

/** Processor time of several evaluations together, in milliseconds. */
export interface TimeBudget {
  limitMs: number;
  spentMs: number;
}

/** Runs work at the expense of a budget, and returns its result. Throws TimeLimitExceeded once the budget is used up. */
export function spend<T>(budget: TimeBudget, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  budget.spentMs += (user + system) / 1000;
  if (budget.spentMs > budget.limitMs) throw new TimeLimitExceeded(budget.limitMs);
  return result;
}

/** Like `spend`, but also ends the work once the budget is used up. */
export function spendWithin<T>(budget: TimeBudget, work: () => T, tries = TRIES): T {
  try {
    return spend(budget, () => withinTime(work, budget.limitMs - budget.spentMs, tries));
  } catch (error) {
    throw isTimeLimit(error) ? new TimeLimitExceeded(budget.limitMs) : error;
  }
}

function runLimited<T>(work: () => T, limitMs: number): T {
  box ??= createContext({ work: undefined });
  script ??= new Script('work()');
  const outer = box.work;
  box.work = work;
  try {
    return script.runInContext(box, { timeout: limitMs }) as T;
  } finally {
    box.work = outer;
  }
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
