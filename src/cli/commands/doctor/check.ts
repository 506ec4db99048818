import type { UserFolders } from '../../../host/files/paths.ts';
import type { CliIo } from '../../io.ts';

export type Health = 'ok' | 'warning' | 'broken';

/** The result of one check. Texts are raw: the caller escapes them. */
export interface Finding {
  name: string;
  health: Health;
  detail: string;
  /** What to do about it; null when there is nothing to do. */
  hint: string | null;
}

/** The input of a check. A check changes nothing. */
export interface Surroundings {
  io: CliIo;
  folders: UserFolders;
  /** `--store`. */
  store: string | undefined;
}

export type Check = (surroundings: Surroundings) => Promise<Finding[]>;

export function ok(name: string, detail: string): Finding {
  return { name, health: 'ok', detail, hint: null };
}

export function warning(name: string, detail: string, hint: string): Finding {
  return { name, health: 'warning', detail, hint };
}

/** An error with its own message, unchanged. */
export function broken(name: string, error: unknown): Finding {
  const { message, hint } = error as Error & { hint?: string };
  return { name, health: 'broken', detail: message, hint: hint ?? null };
}
