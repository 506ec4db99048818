import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import { KairosError } from '../../base/errors.ts';
import { parseJson as readJson } from '../../formats/json/parse.ts';
import { lineIndex, pointAt } from '../../protocol/position.ts';
import { oddFile } from '../files/read-document.ts';
import type { Level } from '../message.ts';
import type { LintRule } from '../rule.ts';
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
  rules: readonly LintRule[];
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
    configuration(from, from === null ? {} : await readProjectConfig(from, rules), overrides);
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
  const { createIgnore } = await import('../files/pattern.ts');
  return createIgnore(patterns);
}

/** File names of a project's configuration; `package.json` contains it under the key `kairos`. */
const NAMES = ['kairos.config.yaml', 'kairos.config.json'] as const;

/** The configuration file of a folder; null for none. Throws INVALID_INPUT for several. */
function configFileIn(folder: string): string | null {
  const found = NAMES.map((name) => join(folder, name)).filter((file) => existsSync(file));
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest) && ownKey(manifest, read(manifest)) !== undefined) found.push(manifest);
  if (found.length > 1) {
    throw new KairosError(
      'INVALID_INPUT',
      `${folder} has several configurations: ${found.map((file) => basename(file)).join(', ')}`,
      { hint: 'Keep one of them.' },
    );
  }
  return found[0] ?? null;
}

/** A configuration, validated. Throws INVALID_INPUT with every fault, FILE_UNREADABLE when it cannot be read. */
async function readProjectConfig(file: string, rules: readonly LintRule[]): Promise<ProjectConfig> {
  const text = read(file);
  const isManifest = basename(file) === 'package.json';
  const value = isManifest ? ownKey(file, text) : await parse(file, text);
  if (value === undefined) throw invalid(file, ['it has no key kairos']);
  const { validateConfig } = await import('./schema.ts');
  const validated = validateConfig(value, rules, isManifest ? 'kairos' : 'the whole');
  if ('faults' in validated) throw invalid(file, validated.faults);
  return validated.config;
}

function read(file: string): string {
  try {
    const odd = oddFile(file);
    if (odd !== null) throw new Error(`it is ${odd} and no file`);
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw new KairosError(
      'FILE_UNREADABLE',
      `the configuration ${file} cannot be read: ${(cause as Error).message}`,
      { hint: 'Check the path and its permissions.', cause },
    );
  }
}

/** A package.json is read only if it may contain the key. */
function ownKey(file: string, text: string): unknown {
  if (!text.includes('"kairos"')) return undefined;
  const manifest = parseJson(file, text);
  return typeof manifest === 'object' && manifest !== null && 'kairos' in manifest
    ? manifest.kairos
    : undefined;
}

async function parse(file: string, text: string): Promise<unknown> {
  if (!/\.ya?ml$/.test(file)) {
    const value = parseJson(file, text);
    if (readJson(text)?.hasDuplicates) throw invalid(file, await doubledKeys(text));
    return value;
  }
  const { readPlainYaml } = await import('../../formats/yaml.ts');
  const read = readPlainYaml(text);
  if ('fault' in read) throw invalid(file, [read.fault]);
  return read.value ?? {};
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(file, [(error as Error).message]);
  }
}

/** JSON.parse keeps the last of two keys, so the value of the first would be lost. */
async function doubledKeys(text: string): Promise<string[]> {
  const { duplicateKeys } = await import('../../protocol/block/json-places.ts');
  const lines = lineIndex(text);
  return duplicateKeys(text).map(
    ({ key, start }) =>
      `line ${pointAt(lines, start).line}: ${JSON.stringify(key)} occurs twice in its object`,
  );
}

function invalid(file: string, faults: string[]): KairosError {
  const lines = faults.map((fault) => `\n  ${fault}`).join('');
  return new KairosError('INVALID_INPUT', `the configuration ${file} cannot be used:${lines}`, {
    hint: 'A configuration looks like this: {"lint": {"rules": {"step-without-proof": "off"}, "ignore": ["drafts/"]}}',
    data: { file, faults },
  });
}
