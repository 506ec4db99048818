import { loadSchemaCompiler, type SchemaCompiler } from '../base/json-schema.ts';
import { loadPatterns, type Patterns } from '../formats/re2.ts';

/** What reading a document rarely needs. */
export interface LazyModules {
  yaml: typeof import('./block/yaml.ts');
  jsonPlaces: typeof import('./block/json-places.ts');
  schema: typeof import('./block/schema-problems.ts');
  holds: typeof import('./holds.ts');
  patterns: Patterns;
  jsonSchemas: SchemaCompiler;
}

const LOADERS: { [Name in keyof LazyModules]: () => Promise<LazyModules[Name]> } = {
  yaml: () => import('./block/yaml.ts'),
  jsonPlaces: () => import('./block/json-places.ts'),
  schema: () => import('./block/schema-problems.ts'),
  holds: () => import('./holds.ts'),
  patterns: loadPatterns,
  jsonSchemas: loadSchemaCompiler,
};

const loaded: Partial<LazyModules> = {};

/** A module that is loaded late. Only for work that `withLate` does. */
export function lazy<Name extends keyof LazyModules>(name: Name): LazyModules[Name] {
  const module = loaded[name];
  if (module === undefined) throw new NotLoaded(name);
  return module as LazyModules[Name];
}

/**
 * Does some work that may ask for what is loaded late: then it is loaded, and the work done again from the beginning. So nothing
 * waits on the way of nearly every document, where hundreds of promises would cost more than reading it.
 */
export async function withLazyModules<Result>(work: () => Result): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error;
      await load(error.module);
    }
  }
}

async function load<Name extends keyof LazyModules>(name: Name): Promise<void> {
  loaded[name] = (await LOADERS[name]()) as Partial<LazyModules>[Name];
}

class NotLoaded extends Error {
  override readonly name = 'NotLoaded';
  readonly module: keyof LazyModules;

  constructor(module: keyof LazyModules) {
    super(`${module} is not loaded`);
    this.module = module;
  }
}
