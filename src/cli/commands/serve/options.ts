import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import type { SamplingDriver, UserInputDriver } from '../../../host/settings/user-settings.ts';
import type { HttpServerOptions } from '../../../mcp/http/serve.ts';
import type { ServerServices } from '../../../mcp/server/services.ts';
import type { Call } from '../../command.ts';

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

const OUTSIDE = 'an address that other machines can reach';

/**
 * The address and its access rules: an address that others can reach, or a server that runs commands, needs
 * tokens.
 */
export async function httpOptions(
  { ctx, log }: ServerServices,
  { io, options }: Call<[], ServeOptions>,
  text: string,
): Promise<HttpServerOptions> {
  const { hostName, loadTokens, parseAddress, publicUrl } = await import('../../../mcp/http/access.ts');
  const { MCP_PATH } = await import('../../../mcp/http/handle.ts');
  const address = parseAddress(text);
  const file = options.tokenFile === undefined ? undefined : resolve(io.cwd, options.tokenFile);
  const tokens = await loadTokens(file, io.env.KAIROS_TOKEN);
  const { oidcIssuer, publicUrl: reached, tenantClaim } = options;
  if (tokens === null && oidcIssuer === undefined && (!address.loopback || options.execute)) {
    const why = options.execute ? '--execute over HTTP' : `${OUTSIDE} (${address.host})`;
    throw new KairosError('USAGE', `${why} needs a bearer token`, {
      hint: 'Give one with --token-file or KAIROS_TOKEN, or accept those of an issuer with --oidc-issuer.',
    });
  }
  if (oidcIssuer !== undefined && reached === undefined && !address.loopback) {
    throw new KairosError('USAGE', `--oidc-issuer at ${OUTSIDE} needs --public-url`, {
      hint: 'Write the URL that clients use: tokens are for it.',
    });
  }
  return {
    address,
    tokens,
    issuer: oidcIssuer === undefined ? null : await issuerOf(oidcIssuer, options, { ctx, log }),
    audiences: options.oidcAudience ?? [],
    tenants: tenantClaim !== undefined,
    publicUrl: reached === undefined ? null : publicUrl(reached, MCP_PATH),
    allowHosts: (options.allowHost ?? []).map((name) => hostName('--allow-host', name)),
    allowOrigins: (options.allowOrigin ?? []).map((name) => hostName('--allow-origin', name)),
    maxSessions: options.maxSessions ?? 256,
    sessionIdleMs: (options.sessionIdle ?? 30) * 60_000,
  };
}

async function issuerOf(
  issuer: string,
  { oidcScope: scopes = [], tenantClaim = null }: { oidcScope?: string[]; tenantClaim?: string | null },
  { ctx, log }: Pick<ServerServices, 'ctx' | 'log'>,
): Promise<HttpServerOptions['issuer']> {
  const { createIssuer } = await import('../../../mcp/http/oidc.ts');
  return createIssuer({ issuer, scopes, tenantClaim, space: ctx.caller.space, now: ctx.clock, log });
}
