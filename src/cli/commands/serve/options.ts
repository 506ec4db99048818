import { KairosError } from '../../../base/errors.ts';
import type { SamplingDriver, UserInputDriver } from '../../../host/settings/user-settings.ts';

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
  samplingDriver?: SamplingDriver;
  userInputTimeout?: number;
  allowAutoSampling?: string[];
  logLevel?: 'debug' | 'info' | 'warn' | 'error';
}

/** Throws USAGE for an option of `kairos serve` that has no meaning without another one. */
export function checkServeOptions(options: ServeOptions): void {
  const needs = (flag: string, given: unknown, other: string) =>
    given === undefined
      ? null
      : new KairosError('USAGE', `${flag} has no meaning without ${other}`, {
          hint: `Add ${other}, or leave ${flag} out.`,
        });
  const problem =
    (options.execute ? null : needs('--contain', options.contain, '--execute')) ??
    (options.http === undefined
      ? (needs('--token-file', options.tokenFile, '--http') ??
        needs('--allow-host', options.allowHost, '--http') ??
        needs('--allow-origin', options.allowOrigin, '--http') ??
        needs('--max-sessions', options.maxSessions, '--http') ??
        needs('--session-idle', options.sessionIdle, '--http'))
      : null);
  if (problem !== null) throw problem;
}
