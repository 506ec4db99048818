export interface VerifyCommandOptions {
  key?: string[];
  all?: boolean;
}
