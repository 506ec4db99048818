import type { OutputCheck } from '../protocol/schema.ts';

/** A file that an output names, as it was read. */
export interface ReadFile {
  /** Relative to the folder it was found in, with `/`; as written where the output names an absolute path. */
  path: string;
  /** In bytes. */
  size: number;
  /** Lower-case hex, of all of it. */
  sha256: string;
  /** What it holds as UTF-8. Null: nobody asked for it, it is longer than 4 MiB, or it is no UTF-8. */
  text: string | null;
}

/**
 * Why an output could not be read: there is no folder to read in; its path is none, or leads out of the folders; a
 * symbolic link; a folder, device, pipe or socket; too large; too many; no permission or a fault of the disk; it was
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
  /** Something else stands there as well: a folder, say, or a file that is not to be there. */
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
