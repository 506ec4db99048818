import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { parseJson as readJson } from '../../protocol/block/json.ts';
import { lineIndex, pointAt } from '../../protocol/position.ts';
import { oddFile } from '../files/odd-file.ts';
import type { Rule } from '../rule.ts';
import type { ProjectConfig } from './schema.ts';

/** File names of a project's configuration; `package.json` contains it under the key `kairos`. */
const NAMES = ['kairos.config.yaml', 'kairos.config.json'] as const;

/** The configuration file of a folder; null for none. Throws INVALID_INPUT for several. */
export function configFileIn(folder: string): string | null {
  const found = NAMES.map((name) => join(folder, name)).filter((file) => existsSync(file));
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest) && ownKey(manifest, read(manifest)) !== undefined) found.push(manifest);
  if (found.length > 1) {
    throw new KairosError(
      'INVALID_INPUT',
      `${folder} has several configurations: ${found.map((file) => basename(file)).join(', ')}`,
      {
        hint: 'Keep one of them.',
      },
    );
  }
  return found[0] ?? null;
}

/** A configuration, validated. Throws INVALID_INPUT with every fault, FILE_UNREADABLE when it cannot be read. */
export async function readConfig(file: string, rules: readonly Rule[]): Promise<ProjectConfig> {
  const text = read(file);
  const isManifest = basename(file) === 'package.json';
  const value = isManifest ? ownKey(file, text) : await parse(file, text);
  if (value === undefined) throw invalid(file, ['it has no key kairos']);
  const { validateConfig } = await import('./validate.ts');
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
      {
        hint: 'Check the path and its permissions.',
        cause,
      },
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
  const { parseConfigYaml } = await import('./yaml.ts');
  const parsed = parseConfigYaml(text);
  if ('faults' in parsed) throw invalid(file, parsed.faults);
  return parsed.value;
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
