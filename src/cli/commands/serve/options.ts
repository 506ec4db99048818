import type { UserInputDriver } from '../../../host/settings/user-settings.ts';

export interface ServeOptions {
  /** `[host:]port`; absent: stdio. */
  http?: string;
  readOnly?: boolean;
  allowWeaken?: boolean;
  requireTrust?: boolean;
  execute?: boolean;
  workdir?: string;
  root?: string[];
  contain?: boolean;
  tokenFile?: string;
  allowHost?: string[];
  allowOrigin?: string[];
  maxSessions?: number;
  /** Minutes. */
  sessionIdle?: number;
  userInputDriver?: UserInputDriver;
  userInputServerDriver?: boolean;
  userInputTimeout?: number;
  allowAutoSampling?: string[];
  logLevel?: 'debug' | 'info' | 'warn' | 'error';
}
