export interface RollbackOptions {
  dryRun?: boolean;
  yes?: boolean;
  /** False: `--no-input`. */
  input: boolean;
  trust?: string[];
  workdir?: string;
  here?: boolean;
  contain?: boolean;
}
