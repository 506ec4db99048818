/**
 * Limits of documents, and the words that a step block chooses from: kept out of the schema, so that readers
 * of them do not load that.
 */

/** From the weakest to the strongest (SPEC 4). */
export const ASSURANCES = ['claimed', 'client', 'observed', 'attested'] as const;

export const PROOF_TYPES = ['shell', 'mcp', 'user_input', 'comment'] as const;

/** What a proposal may be about. */
export const ACTION_TYPES = [
  'navigate',
  'read',
  'write',
  'create',
  'delete',
  'execute',
  'communicate',
  'transact',
  'approve',
  'custom',
] as const;

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The constraints of a proposal's target that kairos itself knows. */
export const FIELD_CONSTRAINTS = ['allowed_fields', 'forbidden_fields'];

/** The frontmatter keys that kairos reads. */
export const FRONTMATTER_KEYS = ['slug', 'version', 'tags', 'inputs', 'holds'] as const;

/** The interpreters of a command (SPEC 1.1). The default is `sh`. */
export const INTERPRETERS = ['sh', 'bash', 'zsh', 'python3', 'node', 'perl', 'ruby', 'pwsh'] as const;

/** The flag with which each interpreter is given the command. */
export const COMMAND_FLAG: Readonly<Record<string, string>> = {
  sh: '-c',
  bash: '-c',
  zsh: '-c',
  python3: '-c',
  node: '-e',
  perl: '-e',
  ruby: '-e',
  pwsh: '-Command',
};

/** Bytes of UTF-8 that a document may have, BOM included. */
export const MAX_SOURCE_BYTES = 1_048_576;

/** Steps of a document, those of all its protocols together. */
export const MAX_STEPS = 1000;

/** Containers within containers, and values within values of JSON or YAML, at most. */
export const MAX_NESTING = 64;

/** UTF-16 code units that the markdown of a title or step label may have. */
export const MAX_LABEL = 1000;

const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const MAX_LENGTH = 256;

/** Whether a text is a semantic version (semver.org 2.0.0), at most 256 characters. */
export function isVersion(text: string): boolean {
  return text.length <= MAX_LENGTH && SEMVER.test(text);
}

/**
 * Passed to every command when set: what programs need to find themselves, their language and the network.
 */
const PASSED = new Set([
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

/**
 * Whether a variable is passed to every command without being named by its step (SPEC 8): the allowlist and
 * `LC_*`.
 */
export function isPassed(name: string): boolean {
  return PASSED.has(name) || name.startsWith('LC_');
}
