export interface FmtOptions {
  check?: boolean;
  diff?: boolean;
  stdinFilename?: string;
}
