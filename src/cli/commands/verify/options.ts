export interface VerifyCommandOptions {
  key?: string[];
}
