import { readFileSync } from 'node:fs';
import { packageFile, VERSION } from '../../base/package-root.ts';
import type { UserFolders } from '../../host/files/paths.ts';
import { chooseLibrary, isWalSafe, loadSqliteDriver } from '../../store/sqlite/driver.ts';

export type Health = 'ok' | 'warning' | 'broken';

/** The result of one check. Texts are raw: the caller escapes them. */
export interface DoctorFinding {
  name: string;
  health: Health;
  detail: string;
  /** What to do about it; null when there is nothing to do. */
  hint: string | null;
}

/** The input of a check. A check changes nothing. */
export interface DoctorInput {
  io: { cwd: string; env: NodeJS.ProcessEnv; now: () => number };
  folders: UserFolders;
  /** `--store`. */
  store: string | undefined;
}

export type DoctorCheck = (surroundings: DoctorInput) => Promise<DoctorFinding[]>;

export function ok(name: string, detail: string): DoctorFinding {
  return { name, health: 'ok', detail, hint: null };
}

export function warning(name: string, detail: string, hint: string): DoctorFinding {
  return { name, health: 'warning', detail, hint };
}

/** An error with its own message, unchanged. */
export function broken(name: string, error: unknown): DoctorFinding {
  const { message, hint } = error as Error & { hint?: string };
  return { name, health: 'broken', detail: message, hint: hint ?? null };
}

/** kairos itself, Node.js, and the SQLite library under stores and search. */
export const checkRuntime: DoctorCheck = async () => [
  ok('kairos', VERSION),
  nodeFinding(process.versions.node, neededNode()),
  await sqliteFinding(),
];

/** Exported for its test, which can't run under several versions of Node.js. */
export function nodeFinding(version: string, needed: string): DoctorFinding {
  const text = `${version} on ${process.platform} ${process.arch}`;
  if (compare(version, needed) >= 0) return ok('node', text);
  return { name: 'node', health: 'broken', detail: text, hint: `kairos needs Node.js ${needed} or later.` };
}

function neededNode(): string {
  const { engines } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    engines: { node: string };
  };
  return engines.node.replace(/[^\d.]/g, '');
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (left![at] ?? 0) - (right![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

async function sqliteFinding(): Promise<DoctorFinding> {
  try {
    const { version } = await loadSqliteDriver();
    const library = chooseLibrary(process.versions) === 'builtin' ? 'node:sqlite' : '@photostructure/sqlite';
    const text = `${version} (${library})`;
    if (isWalSafe(version)) return ok('sqlite', text);
    return warning(
      'sqlite',
      `${text}, without a write-ahead log`,
      'A newer Node.js includes a faster SQLite.',
    );
  } catch (error) {
    return broken('sqlite', error);
  }
}
