export interface LintOptions {
  stdinFilename?: string;
  /** `name` or `name:file`. */
  format?: string[];
  failOn: 'error' | 'warning' | 'info' | 'never';
  maxWarnings?: number;
  quiet?: boolean;
  fix?: boolean;
  fixDryRun?: boolean;
  diff?: boolean;
  unsafeFixes?: boolean;
  /** False: `--no-config`. */
  config?: string | false;
  /** Both were given; the parser keeps the last one. */
  configTwice?: boolean;
  printConfig?: string;
  baseline?: string;
  updateBaseline?: boolean;
  sarifSuppressed?: boolean;
  exitZero?: boolean;
  inlineConfig: boolean;
  /** `ID=severity`. */
  rule?: string[];
  explain?: string;
  watch?: boolean;
}
