import {
  compileRule,
  literalPart,
  optional,
  quote,
  run,
  type TokenRule,
  type TokenShape,
} from './token-rule.ts';

/**
 * Prefixes that issuers document for their tokens, kept as secret scanners publish them (GitHub's supported patterns, gitleaks).
 * After the prefix come at least 20 letters and digits. To add one: a word here; the test makes a sample of each.
 */
export const TOKEN_PREFIXES: readonly string[] = [
  // code hosting and continuous integration
  ...['glptt-', 'glft-', 'glimt-', 'glagent-', 'gloas-', 'glffct-', 'bkua_', 'rubygems_', 'CLOJARS_'],
  // clouds and hosting
  ...['fo1_', 'nfp_', 'rnd_', 'pul-', 'LTAI', 'sbp_', 'dapi'],
  // operations
  ...['glc_', 'glsa_', 'NRAK-', 'NRJS-', 'sntrys_', 'sntryu_', 'ops_eyJ', 'pnu_', 'phx_', 'AKCp'],
  ...['dp.pt.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.', 'dt0c01.', 'dt0s01.'],
  // shops and payment
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_', 'EZAK', 'EZTK'],
  // work and mail
  ...['lin_api_', 'lin_oauth_', 'ntn_', 'xkeysib-', 'xsmtpsib-'],
  // models
  ...['gsk_', 'pplx-', 'xai-', 'r8_', 'tgp_v1_', 'api_org_'],
];

/** The same for tokens that contain `_` and `-` as well. Only prefixes that begin no ordinary word. */
export const DASHED_TOKEN_PREFIXES: readonly string[] = [
  ...[
    'glsoat-',
    'CCIPAT_',
    'pscale_tkn_',
    'pscale_pw_',
    'pscale_oauth_',
    'tskey-auth-',
    'tskey-api-',
    'tskey-client-',
  ],
  ...[
    'dp.st.',
    'sq0atp-',
    'sq0csp-',
    'duffel_live_',
    'duffel_test_',
    'figd_',
    'figo_',
    'PMAK-',
    'ATATT3',
    'ATCTT3',
  ],
  ...['fio-u-', 'nvapi-', 'lsv2_pt_', 'lsv2_sk_', 'sk-lf-'],
];

const WORD = '[A-Za-z0-9]';
const WORD_DASH = '[A-Za-z0-9_-]';
const BLANK = '[ \\t]';
/**
 * Characters of a secret in a header or an assignment. Brackets are excluded because redaction markers use
 * them.
 */
const VALUE = '[^\\s"\'`,;[\\]<>]';
/** Stops where another one begins, so that a long row of beginnings is read once. */
const JWT_HEADER = `(?:(?!eyJ)${WORD_DASH})`;
const HEADER_LINE = optional(
  run('[\\r\\n]', 1, 2),
  run('[A-Za-z-]', 3, 20),
  literalPart(': '),
  run('[^\\r\\n]', 0, 120),
);

const privateKey = (opening: string, body: string): TokenShape => ({
  name: 'private-key',
  secret: [
    literalPart(opening),
    run('[A-Z0-9 ]', 0, 40),
    literalPart('PRIVATE KEY-----', 'PRIVATE KEY BLOCK-----'),
    HEADER_LINE,
    HEADER_LINE,
    HEADER_LINE,
    run(body, 0),
  ],
});

const AUTHORIZATION = [
  literalPart('authorization'),
  run('["\']', 0, 1),
  run(BLANK, 0, 4),
  literalPart(':', '='),
  run('["\' \\t]', 0, 4),
];

/** Tokens with a known shape. The earlier rule names a secret that several rules match. */
const SHAPES: readonly TokenShape[] = [
  { name: 'github-token', secret: [literalPart('ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'), run(WORD, 36)] },
  { name: 'github-token', secret: [literalPart('github_pat_'), run('[A-Za-z0-9_]', 22)] },
  { name: 'gitlab-token', secret: [literalPart('glpat-', 'gldt-', 'glrt-', 'glcbt-'), run(WORD_DASH, 20)] },
  { name: 'aws-access-key', secret: [literalPart('AKIA', 'ASIA'), run('[A-Z0-9]', 16)] },
  {
    name: 'aws-secret-key',
    before: [literalPart('secret_access_key', 'SecretAccessKey'), run('["\'= \\t:]', 1, 8)],
    secret: [run('[A-Za-z0-9/+]', 40)],
    ignoreCase: true,
  },
  {
    name: 'slack-token',
    secret: [
      literalPart('xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'),
      run('[A-Za-z0-9.%-]', 10),
    ],
  },
  {
    name: 'slack-webhook',
    before: [literalPart('hooks.slack.com/services/')],
    secret: [run('[A-Za-z0-9/]', 20)],
  },
  { name: 'npm-token', secret: [literalPart('npm_'), run(WORD, 36)] },
  {
    name: 'npm-token',
    before: [
      literalPart('_authToken', '_auth', '_password'),
      run(BLANK, 0, 4),
      literalPart('='),
      run('["\' \\t]', 0, 4),
    ],
    secret: [run(VALUE, 6)],
  },
  { name: 'pypi-token', secret: [literalPart('pypi-'), run(WORD_DASH, 16)] },
  {
    name: 'stripe-key',
    secret: [literalPart('sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'), run(WORD, 16)],
  },
  { name: 'google-api-key', secret: [literalPart('AIza'), run(WORD_DASH, 35)] },
  { name: 'google-oauth', secret: [literalPart('ya29.', 'GOCSPX-'), run(WORD_DASH, 20)] },
  {
    name: 'api-key',
    secret: [literalPart('sk-ant-', 'sk-proj-', 'sk-svcacct-', 'sk-or-'), run(WORD_DASH, 20)],
  },
  { name: 'api-key', secret: [literalPart('sk-'), run(WORD, 32)] },
  {
    name: 'sendgrid-key',
    secret: [literalPart('SG.'), run(WORD_DASH, 16, 32), literalPart('.'), run(WORD_DASH, 16)],
  },
  { name: 'huggingface-token', secret: [literalPart('hf_'), run(WORD, 30)] },
  { name: 'docker-token', secret: [literalPart('dckr_pat_', 'dckr_oat_'), run(WORD_DASH, 20)] },
  { name: 'digitalocean-token', secret: [literalPart('dop_v1_', 'doo_v1_', 'dor_v1_'), run('[a-f0-9]', 32)] },
  { name: 'vault-token', secret: [literalPart('hvs.', 'hvb.'), run(WORD_DASH, 24)] },
  { name: 'token', secret: [literalPart(...TOKEN_PREFIXES), run(WORD, 20)] },
  { name: 'token', secret: [literalPart(...DASHED_TOKEN_PREFIXES), run(WORD_DASH, 20)] },
  { name: 'age-key', secret: [literalPart('AGE-SECRET-KEY-1'), run('[A-Z0-9]', 20)] },
  {
    name: 'jwt',
    secret: [literalPart('eyJ'), run(JWT_HEADER, 8, 1024), literalPart('.'), run('[A-Za-z0-9_.-]', 8)],
  },
  privateKey('-----BEGIN ', '[A-Za-z0-9+/=\\s\\\\]'),
  // A key that a diff removes: every line starts with a dash.
  privateKey('------BEGIN ', '[A-Za-z0-9+/=\\s\\\\-]'),
  {
    name: 'authorization',
    before: [...AUTHORIZATION, literalPart('basic', 'bearer', 'digest', 'token', 'apikey'), run(BLANK, 1, 4)],
    secret: [run(VALUE, 4)],
    ignoreCase: true,
  },
  // Without a scheme; long enough not to be one.
  { name: 'authorization', before: AUTHORIZATION, secret: [run(VALUE, 8)], ignoreCase: true },
  {
    name: 'bearer-token',
    before: [literalPart('bearer'), run(BLANK, 1, 4)],
    secret: [run('[A-Za-z0-9._~+/=-]', 16)],
    ignoreCase: true,
  },
  {
    name: 'url-password',
    before: [literalPart('://'), run('[^\\s/:@[\\]"\'<>]', 0, 256), literalPart(':')],
    secret: [run('[^\\s/:@[\\]"\'<>]', 1, 1), run('[^\\s/"\'<>]', 0, 512)],
    after: [literalPart('@')],
  },
];

let compiled: readonly TokenRule[] | undefined;

/** The rules for tokens of well-known shapes, compiled on first use. */
export function tokenRules(): readonly TokenRule[] {
  compiled ??= SHAPES.map(compileRule);
  return compiled;
}

/**
 * The rules that could match a text: those whose first words occur in it. Every shape begins with fixed
 * words, and one search for all of them is much faster than one search for each shape.
 */
export function tokenRulesFor(text: string): readonly TokenRule[] {
  opening ??= openingOf(SHAPES);
  const { any, pattern, shapes } = opening;
  if (!any.test(text)) return [];
  const wanted = new Set<number>();
  for (const [, words = ''] of text.matchAll(pattern)) {
    for (const at of shapes.get(words.toLowerCase()) ?? []) wanted.add(at);
  }
  return wanted.size === 0 ? [] : tokenRules().filter((_, at) => wanted.has(at));
}

let opening: Opening | undefined;

interface Opening {
  /** Whether a text contains any first words. Most texts contain none and need no further search. */
  any: RegExp;
  /** Finds first words, the longest at each place, without consuming them, because they may overlap. */
  pattern: RegExp;
  /** Lower-case first words → the shapes that begin with them or with a part of them. */
  shapes: ReadonlyMap<string, readonly number[]>;
}

function openingOf(all: readonly TokenShape[]): Opening {
  const firstWords = all.map(({ before = [], secret }) => {
    const [first] = [...before, ...secret];
    if (first?.kind !== 'text') throw new Error('a shape has to begin with fixed words');
    return first.oneOf.map((words) => words.toLowerCase());
  });
  const words = [...new Set(firstWords.flat())].sort((a, b) => b.length - a.length);
  const shapes = new Map(
    words.map((longer) => [
      longer,
      firstWords.flatMap((own, at) => (own.some((part) => longer.startsWith(part)) ? [at] : [])),
    ]),
  );
  const choice = words.map(quote).join('|');
  return { any: new RegExp(choice, 'i'), pattern: new RegExp(`(?=(${choice}))`, 'gi'), shapes };
}
