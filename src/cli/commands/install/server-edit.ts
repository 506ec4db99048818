import { KairosError } from '../../../base/errors.ts';

/** One server in a client's configuration: its place and its new entry. */
export interface ServerEdit {
  /** The configuration, for error messages. */
  file: string;
  /** Under this key the client keeps its servers. */
  key: string;
  name: string;
  /** Null: remove it. */
  entry: Record<string, unknown> | null;
  /** What is written when it is missing, and the user's own from then on. */
  once: readonly string[];
}

/** With one of these a client reaches a server at an address, and starts none. */
export const REMOTE_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;

/** The line of a place in a text, counted from one. */
export function lineNumberAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The error for a client configuration that kairos can't edit. */
export function unusableConfig(file: string, reason: string): KairosError {
  return new KairosError('FILE_UNREADABLE', `${file} was not changed: ${reason}`, {
    hint: 'Correct the file, or print the entry with --print and add it yourself.',
  });
}
