export interface MigrateOptions {
  write?: boolean;
  diff?: boolean;
  stored?: boolean;
  allowWeaken?: boolean;
  stdinFilename?: string;
}
