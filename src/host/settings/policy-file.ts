import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { loadSchemaCompiler } from '../../base/json-schema.ts';
import { loadPatterns } from '../../formats/re2.ts';
import { type PolicyChecks, readPolicy } from '../../gate/policy/read.ts';
import type { LoadedPolicy } from '../../gate/policy/schema.ts';
import type { UserFolders } from '../files/paths.ts';
import { isCode, readPrivateFile } from '../files/private-files.ts';

/** The names of the policy in the user's configuration folder; only one of them may be there. */
const POLICY_FILES = ['kairos.policy.yaml', 'kairos.policy.yml'] as const;

export interface PolicySource {
  folders: Pick<UserFolders, 'config' | 'configIsMoved'>;
  /** `--policy`; it must be there then. */
  chosen?: string | undefined;
  cwd: string;
  /** Where the run works, if not in `cwd`. */
  works?: string;
  /** Where else a walk may write: `--workdir`, `--root`. */
  filled?: readonly string[];
  /** Folders that a client works in. */
  roots?: readonly string[];
}

/** Where the policy is looked for. */
export function policyPath({ folders, chosen, cwd }: PolicySource): string {
  if (chosen !== undefined) return resolve(cwd, chosen);
  const [usual, other] = POLICY_FILES.map((name) => join(folders.config, name)) as [string, string];
  return !existsSync(usual) && existsSync(other) ? other : usual;
}

/**
 * The policy of this user; null when there is none. POLICY_UNUSABLE when it is a link, belongs to somebody else, is
 * writable by group or world (its folder too), lies where a project could have put it, or does not say what a policy
 * says. A policy that cannot be used is never taken as absent.
 */
export async function loadPolicy(source: PolicySource): Promise<LoadedPolicy | null> {
  const path = policyPath(source);
  const twin = join(source.folders.config, POLICY_FILES[1]);
  if (source.chosen === undefined && path !== twin && existsSync(path) && existsSync(twin))
    throw unusable(path, `${POLICY_FILES[1]} lies beside it, and only one of the two can count`);
  const text = await readOwn(path, source);
  if (text === null) {
    if (source.chosen === undefined) return null;
    throw unusable(path, 'there is no such file');
  }
  const reading = readPolicy(await parseYaml(path, text), await policyChecks());
  if (reading.ok) return { ...reading.loaded, origin: path };
  throw unusable(
    path,
    reading.problems.map(({ path: place, message }) => `\n  ${place || 'policy'}: ${message}`).join(''),
  );
}

/** What judges patterns and schemas of a policy. */
export async function policyChecks(): Promise<PolicyChecks> {
  const [patterns, schemas] = await Promise.all([loadPatterns(), loadSchemaCompiler()]);
  return { pattern: (text) => patterns.problem(text), schema: (schema) => schemas.strictProblem(schema) };
}

/**
 * The policy that a run has on record, as its file stands now: null when the file is gone. `origin`: its path; null: the run had
 * none, so that it is whatever lies in the user's own place.
 */
export async function loadRecordedPolicy(
  source: Omit<PolicySource, 'chosen'>,
  origin: string | null,
): Promise<LoadedPolicy | null> {
  if (origin === null || origin === policyPath(source)) return loadPolicy(source);
  return (await exists(origin)) ? loadPolicy({ ...source, chosen: origin }) : null;
}

async function readOwn(path: string, source: PolicySource): Promise<string | null> {
  try {
    const text = await readPrivateFile(path, 'readable');
    if (text === null) return null;
    const folder = await lstat(dirname(path));
    if (process.getuid !== undefined && (folder.mode & 0o022) !== 0)
      throw new Error('others can write to its folder');
    await refuseForeignPlace(path, source);
    return text;
  } catch (cause) {
    throw cause instanceof KairosError ? cause : unusable(path, (cause as Error).message, cause);
  }
}

/**
 * A policy never lies in the project around the working directory. One by `--policy`, or in a configuration folder that the
 * environment has moved, never below the working directory or a root either: whoever works there could have put it there.
 */
async function refuseForeignPlace(path: string, source: PolicySource): Promise<void> {
  const { chosen, folders, cwd, works = cwd, filled = [], roots = [] } = source;
  const real = await realpath(path);
  const project = await projectTree(works);
  const isNamed = chosen !== undefined || folders.configIsMoved;
  const places = [...(isNamed ? [works, ...filled] : []), ...roots, ...(project === null ? [] : [project])];
  for (const place of places) {
    const folder = await realpath(place).catch(() => resolve(place));
    if (real.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`))
      throw new Error(`it lies where a project could have put it, below ${folder}`);
  }
}

/** The nearest folder at or above `works` that is under version control. */
async function projectTree(works: string): Promise<string | null> {
  for (let folder = await realpath(works).catch(() => resolve(works)); ; folder = dirname(folder)) {
    for (const name of ['.git', '.hg', '.jj', '.svn']) {
      if (await exists(join(folder, name))) return folder;
    }
    if (folder === dirname(folder)) return null;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return false;
    throw error;
  }
}

async function parseYaml(path: string, text: string): Promise<unknown> {
  const { parsePolicyYaml } = await import('./policy-yaml.ts');
  try {
    return parsePolicyYaml(text);
  } catch (cause) {
    throw unusable(path, (cause as Error).message, cause);
  }
}

function unusable(path: string, reason: string, cause?: unknown): KairosError {
  return new KairosError('POLICY_UNUSABLE', `the policy ${path} cannot be used: ${reason}`, {
    hint: 'Keep it in your own configuration folder, outside of where protocols are walked, writable by you alone (chmod 600); check it with kairos proposal policy check.',
    cause,
  });
}
