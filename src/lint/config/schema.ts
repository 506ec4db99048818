import * as z from 'zod/mini';
import { LEVELS, type Level } from '../message.ts';
import type { Rule } from '../rule.ts';

/**
 * The one schema of a project's configuration: validator, types and the shipped JSON Schema come from here. Every object is
 * closed, and nothing in it can run code, open a store or give trust.
 */
export function projectSchema(rules: readonly Rule[]) {
  const levels = Object.fromEntries(rules.map(({ id }) => [id, z.optional(z.enum(LEVELS))]));
  return z.strictObject({
    $schema: z.optional(z.string()),
    lint: z.optional(
      z.strictObject({
        rules: z.optional(z.strictObject(levels)),
        ignore: z.optional(z.array(z.string().check(z.minLength(1)))),
      }),
    ),
  });
}

/** A project's configuration as written. */
export interface ProjectConfig {
  $schema?: string;
  lint?: {
    rules?: Record<string, Level>;
    /** Patterns in the syntax of .gitignore, relative to the folder of the configuration. */
    ignore?: string[];
  };
}
