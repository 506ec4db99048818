export interface NewOptions {
  title?: string;
  kind?: string;
  slug?: string;
  /** Labels of steps. */
  step?: string[];
  check?: string;
  force?: boolean;
  /** False: `--no-input`. */
  input: boolean;
}
