import * as z from 'zod/mini';
import { suggest } from '../../base/errors.ts';
import { LEVELS, type Level } from '../message.ts';
import type { LintRule } from '../rule.ts';

const about = <T extends z.ZodMiniType>(schema: T, description: string): T => {
  z.globalRegistry.add(schema, { description });
  return schema;
};

/**
 * The one schema of a project's configuration: validator, types and the shipped JSON Schema come from here. Every object is
 * closed, and nothing in it can run code, open a store or give trust.
 */
export function projectSchema(rules: readonly LintRule[]) {
  const levels = Object.fromEntries(
    rules.map(({ id, summary }) => [id, about(z.optional(z.enum(LEVELS)), summary)]),
  );
  return z.strictObject({
    $schema: about(z.optional(z.string()), 'Path or URL of the JSON Schema, for editors.'),
    lint: about(
      z.optional(
        z.strictObject({
          rules: about(z.optional(z.strictObject(levels)), 'Severity of each rule, by its name.'),
          ignore: about(
            z.optional(z.array(z.string().check(z.minLength(1)))),
            'Patterns as in .gitignore of files that lint skips, relative to the folder of this file.',
          ),
        }),
      ),
      'Settings of kairos lint.',
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

/** A valid configuration, or its faults: one line each, with the key. */
type ValidatedConfig = { config: ProjectConfig } | { faults: string[] };

/**
 * Checks a configuration against the schema. A misspelled key or rule gets a suggestion. `name` is the name
 * of the whole.
 */
export function validateConfig(value: unknown, rules: readonly LintRule[], name: string): ValidatedConfig {
  const outcome = projectSchema(rules).safeParse(value);
  if (outcome.success) return { config: outcome.data as ProjectConfig };
  return { faults: outcome.error.issues.flatMap((issue) => describe(issue as Issue, rules, name)) };
}

/** The part of zod's issues that is used. */
interface Issue {
  code: string;
  path: (string | number)[];
  keys?: string[];
  message: string;
}

const KEYS: Record<string, string[]> = { '': ['lint'], lint: ['rules', 'ignore'] };

function describe({ code, path, keys, message }: Issue, rules: readonly LintRule[], name: string): string[] {
  const at = path.join('.');
  if (code === 'unrecognized_keys') {
    const known = at === 'lint.rules' ? rules.map(({ id }) => id) : (KEYS[at] ?? []);
    return (keys ?? []).map((key) => unknownKey(at, key, known));
  }
  if (path[1] === 'rules' && path.length === 3) return [`${at}: the severity is one of ${LEVELS.join(', ')}`];
  const expected = EXPECTED[at] ?? (path[1] === 'ignore' ? 'a text, a pattern as in .gitignore' : undefined);
  return [`${at === '' ? name : at}: ${expected === undefined ? message : `this has to be ${expected}`}`];
}

/** The value at a place, in words; zod only reports that it is different. */
const EXPECTED: Record<string, string> = {
  '': 'a mapping, with lint in it',
  $schema: 'a text',
  lint: 'a mapping, with rules or ignore in it',
  'lint.rules': 'a mapping of rules to severities',
  'lint.ignore': 'a list of patterns',
};

/** Keys that are valid elsewhere: a project must not decide where data is kept or what is trusted. */
const USER_KEYS = ['store', 'space', 'actor', 'notify', 'trust', 'policy'];

function unknownKey(at: string, key: string, known: readonly string[]): string {
  const path = at === '' ? key : `${at}.${key}`;
  if (at === '' && USER_KEYS.includes(key))
    return `${path}: a project cannot set this; it belongs to the user`;
  const meant = suggest(key, known);
  const isRule = at === 'lint.rules';
  const all = isRule ? 'docs/rules/README.md lists them' : `known are ${known.join(', ')}`;
  const what = isRule ? 'unknown rule' : 'unknown key';
  return `${path}: ${what}; ${meant === undefined ? all : `did you mean ${meant}?`}`;
}
