import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { programName } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import { type PolicyReading, readPolicy } from '../../gate/policy/read.ts';
import { type PolicyChecks, type PolicyProblem, quorumProblems } from '../../gate/policy/read-rules.ts';
import type { LoadedPolicy } from '../../gate/policy/schema.ts';
import { lazy, withLazyModules } from '../../protocol/late.ts';
import type { UserFolders } from '../files/paths.ts';
import { exists, isCode, projectTree, readPrivateFile } from '../files/private-files.ts';

/** The names of the policy in the user's configuration folder; only one of them may be there. */
export const POLICY_FILES = ['kairos.policy.yaml', 'kairos.policy.yml'] as const;

export interface PolicySource {
  folders: Pick<UserFolders, 'config' | 'configIsMoved'>;
  /** `--policy`; it must be there then. */
  chosen?: string | undefined;
  cwd: string;
  /** Where the run works, if not in `cwd`. */
  works?: string;
  /** Other folders where a run may write: `--workdir`, `--root`. */
  filled?: readonly string[];
  /** Folders that a client works in. */
  roots?: readonly string[];
  /** The file is only examined, so where it lies doesn't matter. */
  anywhere?: boolean;
  /** When quorums must be fillable, in milliseconds since the epoch. Absent: expired keys don't matter. */
  now?: number;
}

/** Where the policy is looked for. */
export function policyPath({ folders, chosen, cwd }: PolicySource): string {
  if (chosen !== undefined) return resolve(cwd, chosen);
  const [usual, other] = POLICY_FILES.map((name) => join(folders.config, name)) as [string, string];
  return !existsSync(usual) && existsSync(other) ? other : usual;
}

/**
 * The user's policy; null without one. Throws POLICY_UNUSABLE for a link, another owner, a file or folder
 * writable by group or world, a place that a project could write to, invalid content, or a quorum whose keys have expired. An
 * unusable policy never counts as missing.
 */
export async function loadPolicy(source: PolicySource): Promise<LoadedPolicy | null> {
  const path = policyPath(source);
  const twin = join(source.folders.config, POLICY_FILES[1]);
  if (source.chosen === undefined && path !== twin && existsSync(path) && existsSync(twin))
    throw unusable(path, `${POLICY_FILES[1]} also exists there`, 'Keep only one of the two.');
  const text = await readOwn(path, source);
  if (text === null) {
    if (source.chosen === undefined) return null;
    throw unusable(path, 'there is no such file', 'Correct the path.');
  }
  const loaded = await readPolicyText(path, text);
  const problems = source.now === undefined ? [] : unfillableQuorums(loaded, source.now);
  if (problems.length > 0) throw policyProblems(path, problems);
  return loaded;
}

/** Quorums that the keys of a policy can't fill at a time. */
function unfillableQuorums({ policy }: LoadedPolicy, now: number): PolicyProblem[] {
  return policy.rules.flatMap((rule, at) => quorumProblems(rule, at, policy, now));
}

/** The policy of a text, wherever it is kept. Throws POLICY_UNUSABLE with everything that is wrong with its content. */
export async function readPolicyText(path: string, text: string): Promise<LoadedPolicy> {
  const reading = await readPolicyValue(await policyYaml(path, text));
  if (reading.ok) return { ...reading.loaded, origin: path };
  throw policyProblems(path, reading.problems);
}

/** The error for a policy with these problems in its content. */
function policyProblems(path: string, problems: readonly PolicyProblem[]): KairosError {
  const lines = problems.map(({ path: place, message }) => `\n  ${place || 'policy'}: ${message}`);
  return unusable(path, lines.join(''), contentHint());
}

/** What judges the patterns and schemas of a policy. Only for work that `withLazyModules` does: most policies have none. */
export const POLICY_CHECKS: PolicyChecks = {
  pattern: (text) => lazy('patterns').problem(text),
  schema: (schema) => lazy('jsonSchemas').strictProblem(schema),
  matchesNothing: (text) => lazy('patterns').matchesNothing(text),
  fullMatch: (pattern, text) => lazy('patterns').fullMatch(pattern, text),
};

/** The policy of a parsed text. */
export function readPolicyValue(value: unknown): Promise<PolicyReading> {
  return withLazyModules(() => readPolicy(value, POLICY_CHECKS));
}

/**
 * The recorded policy of a run, as its file is now: null for a removed file. `origin`: its path; null: the
 * run had none, so the policy in the user's own place applies. It applies too when it has the recorded content, and the
 * recorded file was removed or is another account's.
 */
export async function loadRecordedPolicy(
  source: Omit<PolicySource, 'chosen'>,
  { origin, digest }: { origin: string | null; digest: string | null },
): Promise<LoadedPolicy | null> {
  if (origin === null || origin === policyPath(source)) return loadPolicy(source);
  const ofRun = async () => ((await exists(origin)) ? loadPolicy({ ...source, chosen: origin }) : null);
  const found = await ofRun().catch((error: unknown) => error);
  if (found !== null && !(found instanceof Error)) return found as LoadedPolicy;
  const own = await loadPolicy(source).catch(() => null);
  if (own !== null && own.digest === digest) return own;
  if (found === null) return null;
  throw found instanceof KairosError ? found : unreadable(origin, found as NodeJS.ErrnoException);
}

async function readOwn(path: string, source: PolicySource): Promise<string | null> {
  try {
    const text = await readPrivateFile(path, 'readable');
    if (text === null) return null;
    const folder = await lstat(dirname(path));
    if (process.getuid !== undefined && (folder.mode & 0o022) !== 0)
      throw unusable(path, 'others can write to its folder', `Run: chmod go-w ${dirname(path)}`);
    await refuseOpenFolders(path);
    if (source.anywhere !== true) await refuseForeignPlace(path, source);
    return text;
  } catch (cause) {
    throw cause instanceof KairosError ? cause : unreadable(path, cause as NodeJS.ErrnoException);
  }
}

function unreadable(path: string, cause: NodeJS.ErrnoException): KairosError {
  const { message } = cause;
  if (isCode(cause, 'EACCES') || isCode(cause, 'EPERM'))
    return unusable(path, 'you may not read it', COPY_HINT, cause);
  const hint = message.includes('write to it')
    ? `Run: chmod go-w ${path}`
    : message.includes('another user')
      ? COPY_HINT
      : message.includes('link')
        ? 'Name the file itself.'
        : contentHint();
  return unusable(path, message, hint, cause);
}

/** A copy with the same content is the same policy. */
const COPY_HINT =
  'Put a copy of it into your own configuration folder (chmod 600): with the same content it is the same policy.';

/** Who can write to a folder above can put another folder in the place of the policy's; not in a sticky one. */
async function refuseOpenFolders(path: string): Promise<void> {
  if (process.getuid === undefined) return;
  for (let above = await realpath(dirname(path)); above !== dirname(above); above = dirname(above)) {
    const { mode } = await lstat(above);
    if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0)
      throw unusable(
        path,
        `others can write to ${above}, a folder above it`,
        'Keep it where only you can write to the folders above it, for example in your own configuration folder.',
      );
  }
}

/**
 * A policy is never inside the project around the working directory. A policy from `--policy`, or from a
 * configuration folder that the environment sets, is also never below the working directory or a root,
 * because a run could have written it there.
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
      throw unusable(
        path,
        `it lies where a project could have put it, below ${folder}`,
        `Keep it outside of the folders where protocols run, for example in ${folders.config}. ${programName()} policy check FILE checks its content anywhere.`,
      );
  }
}

async function policyYaml(path: string, text: string): Promise<unknown> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  try {
    return parseYaml(text);
  } catch (cause) {
    throw unusable(path, (cause as Error).message, contentHint(), cause);
  }
}

const contentHint = () =>
  `Correct the file. ${programName()} schema policy prints what a policy may contain.`;

function unusable(path: string, reason: string, hint: string, cause?: unknown): KairosError {
  return new KairosError('POLICY_UNUSABLE', `the policy ${path} cannot be used: ${reason}`, { hint, cause });
}
