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
  oidcIssuer?: string;
  oidcAudience?: string[];
  oidcScope?: string[];
  tenantClaim?: string;
  publicUrl?: string;
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
    (options.oidcIssuer === undefined
      ? (needs('--oidc-audience', options.oidcAudience, '--oidc-issuer') ??
        needs('--oidc-scope', options.oidcScope, '--oidc-issuer') ??
        needs('--tenant-claim', options.tenantClaim, '--oidc-issuer'))
      : null) ??
    (options.http === undefined
      ? (needs('--token-file', options.tokenFile, '--http') ??
        needs('--oidc-issuer', options.oidcIssuer, '--http') ??
        needs('--public-url', options.publicUrl, '--http') ??
        needs('--allow-host', options.allowHost, '--http') ??
        needs('--allow-origin', options.allowOrigin, '--http') ??
        needs('--max-sessions', options.maxSessions, '--http') ??
        needs('--session-idle', options.sessionIdle, '--http'))
      : null);
  if (problem !== null) throw problem;
  if (options.execute && options.tenantClaim !== undefined) {
    throw new KairosError('USAGE', '--execute does not go with --tenant-claim', {
      hint: 'Commands of all tenants would run in one folder, as one user. Start a server for each tenant.',
    });
  }
}
