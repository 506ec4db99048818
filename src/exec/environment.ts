/** Passed to every command when set: what programs need to find themselves, their language and the network. */
const ALLOWED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'CI',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'KAIROS_RUN_MARK',
]);

export interface CommandEnvironment {
  env: Record<string, string>;
  /** Names that the step asked for and that are not set. */
  missing: string[];
}

/** The environment of a command (SPEC 8): the allowlist and `LC_*`, plus what the step's `env` names. Nothing else. */
export function commandEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
): CommandEnvironment {
  const asked = new Set(names);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    if (ALLOWED.has(name) || name.startsWith('LC_') || asked.has(name)) env[name] = value;
  }
  return { env, missing: [...asked].filter((name) => !Object.hasOwn(env, name)) };
}
