import { dirname, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import type { Level } from '../message.ts';
import type { Rule } from '../rule.ts';
import { configFileIn, readConfig } from './read.ts';
import type { ProjectConfig } from './schema.ts';

/** The settings for the documents of a folder. */
export interface Configuration {
  /** Where it was read; null when nothing is configured. */
  file: string | null;
  /** By rule id; a rule that is not named has its own severity. */
  severities: ReadonlyMap<string, Level>;
  ignorePatterns: readonly string[];
  /** Whether a document, by its absolute path, is left out. */
  ignores(path: string): boolean;
}

export interface FinderOptions {
  rules: readonly Rule[];
  /** The one file that counts for every document; null: none at all; absent: the nearest one upwards of each. */
  file?: string | null;
  /** From the command line, which overrides any file. */
  overrides: ReadonlyMap<string, Level>;
}

/** Finds the configuration of a folder: the nearest one upwards, read once. */
export interface ConfigurationFinder {
  forFolder(folder: string): Promise<Configuration>;
}

export function configurationFinder({ rules, file, overrides }: FinderOptions): ConfigurationFinder {
  const known = new Map<string, Promise<Configuration>>();
  const load = async (from: string | null) =>
    configuration(from, from === null ? {} : await readConfig(from, rules), overrides);
  const search = (folder: string): Promise<Configuration> => {
    const found = configFileIn(folder);
    if (found !== null) return load(found);
    const above = dirname(folder);
    return above === folder ? load(null) : forFolder(above);
  };
  const forFolder = (folder: string): Promise<Configuration> => {
    const key = file === undefined ? folder : '';
    let promise = known.get(key);
    if (promise === undefined) {
      promise = file === undefined ? Promise.resolve().then(() => search(folder)) : load(file);
      known.set(key, promise);
    }
    return promise;
  };
  return { forFolder };
}

async function configuration(
  file: string | null,
  { lint = {} }: ProjectConfig,
  overrides: ReadonlyMap<string, Level>,
): Promise<Configuration> {
  const patterns = lint.ignore ?? [];
  const matcher = patterns.length === 0 ? null : await ignoreMatcher(patterns);
  const base = file === null ? '' : dirname(file);
  return {
    file,
    severities: new Map([...Object.entries(lint.rules ?? {}), ...overrides]),
    ignorePatterns: patterns,
    ignores(path) {
      if (matcher === null) return false;
      const inside = relative(base, path);
      if (inside.startsWith(`..${sep}`)) return false;
      return matcher.ignores(inside.split(sep).join('/'));
    },
  };
}

async function ignoreMatcher(patterns: readonly string[]): Promise<Ignore> {
  const { createIgnore } = await import('../files/matcher.ts');
  return createIgnore(patterns);
}
