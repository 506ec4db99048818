import type { OutputCheck } from '../protocol/schema.ts';

/** A file that an output names, as read. */
export interface ReadFile {
  /** Relative to the folder it was found in, with `/`; as written where the output names an absolute path. */
  path: string;
  /** In bytes. */
  size: number;
  /** Lower-case hex, of all of it. */
  sha256: string;
  /** Its content as UTF-8. Null: not requested, longer than 4 MiB, or not UTF-8. */
  text: string | null;
}

/**
 * Why an output could not be read: no folder to read in; an invalid path, or one outside the folders; a
 * symbolic link; a folder, device, pipe or socket; too large; too many; no permission or a disk fault;
 * changed while it was read.
 */
export type OutputFault =
  | 'no-folder'
  | 'path'
  | 'outside'
  | 'link'
  | 'not-a-file'
  | 'too-large'
  | 'too-many'
  | 'unreadable'
  | 'changed';

/** What was found under the path of one output. */
export interface OutputReading {
  /** By path. */
  files: ReadFile[];
  /** Something else exists there too: a folder, for example, or a file that must not exist. */
  others: boolean;
  fault: OutputFault | null;
}

/** Reads the files that outputs name, and nothing else. */
export interface OutputReader {
  /** The folders that are read in, the working directory first; empty: every output is refused. */
  folders(): Promise<readonly string[]>;
  /**
   * One reading for each output, in order; never throws for what it finds. `within`: folders of the client, which narrow;
   * null: they do not.
   */
  read(outputs: readonly OutputCheck[], within: readonly string[] | null): Promise<OutputReading[]>;
}
