import { KairosError } from '../../../base/errors.ts';
import type { CommonOptions } from '../../command.ts';

/** Rejects options of `kairos fmt` that exclude each other. Throws USAGE. */
export function checkFmt(paths: readonly string[], { check, diff, json }: FmtOptions & CommonOptions): void {
  if (diff && json) throw refusal('--diff and --json exclude each other', 'Keep one of them.');
  if (paths.includes('-') && json && !check) {
    throw refusal('with --json the text of - would be printed nowhere', 'Add --check, or leave out --json.');
  }
}

/** The same for `kairos migrate`, which works on files or on the store. */
export function checkMigrate(paths: readonly string[], options: MigrateOptions & CommonOptions): void {
  const { stored, write, diff, json } = options;
  if (stored) {
    if (paths.length > 0) throw refusal('--stored does not accept paths', 'Choose a space with --space.');
    if (options.stdinFilename !== undefined) {
      throw refusal('--stored and --stdin-filename exclude each other', 'Keep one of them.');
    }
  } else {
    if (options.allowWeaken) throw refusal('--allow-weaken needs --stored', 'Add it, or leave both out.');
    if (options.space !== undefined) throw refusal('--space needs --stored', 'Files lie in no space.');
    if (options.store !== undefined) throw refusal('--store needs --stored', 'Files lie in no store.');
  }
  if (diff && json) throw refusal('--diff and --json exclude each other', 'Keep one of them.');
  if (paths.includes('-') && write) {
    if (diff) throw refusal('--diff has no place where --write prints the text of -', 'Keep one of them.');
    if (json)
      throw refusal('with --json the text of - would be printed nowhere', 'Leave out --write or --json.');
  }
}

/** The same for `kairos new`, which writes a file or prints. */
export function checkNew(
  file: string | undefined,
  { force, json, from, kind, step, inputNames, capture }: NewOptions & CommonOptions,
): void {
  if (from !== undefined && kind !== undefined)
    throw refusal('--from and --kind exclude each other', 'Keep one of them.');
  if (step !== undefined && (inputNames !== undefined || capture !== undefined))
    throw refusal(
      '--step has no command for --input and --capture',
      'Leave --step out, or declare them in the file.',
    );
  if (file !== '-') return;
  if (force) throw refusal('--force has no file to replace where - is standard output', 'Name a file.');
  if (json) throw refusal('--json has no place where - prints the protocol', 'Leave it out, or name a file.');
}

function refusal(message: string, hint: string): KairosError {
  return new KairosError('USAGE', message, { hint });
}

export interface NewOptions {
  title?: string;
  kind?: string;
  slug?: string;
  /** Labels of steps. */
  step?: string[];
  check?: string;
  /** A kind, a file, a stored protocol or a run. */
  from?: string;
  /** `NAME` or `NAME=DESCRIPTION`. */
  inputNames?: string[];
  capture?: string;
  force?: boolean;
  /** False: `--no-input`. */
  input?: boolean;
}

export interface FmtOptions {
  check?: boolean;
  diff?: boolean;
  stdinFilename?: string;
}

export interface MigrateOptions {
  write?: boolean;
  diff?: boolean;
  stored?: boolean;
  allowWeaken?: boolean;
  stdinFilename?: string;
}
