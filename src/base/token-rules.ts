import { DASHED_TOKEN_PREFIXES, TOKEN_PREFIXES } from './token-prefixes.ts';
import { compileRule, optional, quote, run, type TokenRule, type TokenShape, text } from './token-rule.ts';

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
  text(': '),
  run('[^\\r\\n]', 0, 120),
);

const privateKey = (opening: string, body: string): TokenShape => ({
  name: 'private-key',
  secret: [
    text(opening),
    run('[A-Z0-9 ]', 0, 40),
    text('PRIVATE KEY-----', 'PRIVATE KEY BLOCK-----'),
    HEADER_LINE,
    HEADER_LINE,
    HEADER_LINE,
    run(body, 0),
  ],
});

const AUTHORIZATION = [
  text('authorization'),
  run('["\']', 0, 1),
  run(BLANK, 0, 4),
  text(':', '='),
  run('["\' \\t]', 0, 4),
];

/** Tokens with a known shape. The earlier rule names a secret that several rules match. */
const SHAPES: readonly TokenShape[] = [
  { name: 'github-token', secret: [text('ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'), run(WORD, 36)] },
  { name: 'github-token', secret: [text('github_pat_'), run('[A-Za-z0-9_]', 22)] },
  { name: 'gitlab-token', secret: [text('glpat-', 'gldt-', 'glrt-', 'glcbt-'), run(WORD_DASH, 20)] },
  { name: 'aws-access-key', secret: [text('AKIA', 'ASIA'), run('[A-Z0-9]', 16)] },
  {
    name: 'aws-secret-key',
    before: [text('secret_access_key', 'SecretAccessKey'), run('["\'= \\t:]', 1, 8)],
    secret: [run('[A-Za-z0-9/+]', 40)],
    ignoreCase: true,
  },
  {
    name: 'slack-token',
    secret: [
      text('xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'),
      run('[A-Za-z0-9.%-]', 10),
    ],
  },
  { name: 'slack-webhook', before: [text('hooks.slack.com/services/')], secret: [run('[A-Za-z0-9/]', 20)] },
  { name: 'npm-token', secret: [text('npm_'), run(WORD, 36)] },
  {
    name: 'npm-token',
    before: [text('_authToken', '_auth', '_password'), run(BLANK, 0, 4), text('='), run('["\' \\t]', 0, 4)],
    secret: [run(VALUE, 6)],
  },
  { name: 'pypi-token', secret: [text('pypi-'), run(WORD_DASH, 16)] },
  {
    name: 'stripe-key',
    secret: [text('sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'), run(WORD, 16)],
  },
  { name: 'google-api-key', secret: [text('AIza'), run(WORD_DASH, 35)] },
  { name: 'google-oauth', secret: [text('ya29.', 'GOCSPX-'), run(WORD_DASH, 20)] },
  { name: 'api-key', secret: [text('sk-ant-', 'sk-proj-', 'sk-svcacct-', 'sk-or-'), run(WORD_DASH, 20)] },
  { name: 'api-key', secret: [text('sk-'), run(WORD, 32)] },
  { name: 'sendgrid-key', secret: [text('SG.'), run(WORD_DASH, 16, 32), text('.'), run(WORD_DASH, 16)] },
  { name: 'huggingface-token', secret: [text('hf_'), run(WORD, 30)] },
  { name: 'docker-token', secret: [text('dckr_pat_', 'dckr_oat_'), run(WORD_DASH, 20)] },
  { name: 'digitalocean-token', secret: [text('dop_v1_', 'doo_v1_', 'dor_v1_'), run('[a-f0-9]', 32)] },
  { name: 'vault-token', secret: [text('hvs.', 'hvb.'), run(WORD_DASH, 24)] },
  { name: 'token', secret: [text(...TOKEN_PREFIXES), run(WORD, 20)] },
  { name: 'token', secret: [text(...DASHED_TOKEN_PREFIXES), run(WORD_DASH, 20)] },
  { name: 'age-key', secret: [text('AGE-SECRET-KEY-1'), run('[A-Z0-9]', 20)] },
  { name: 'jwt', secret: [text('eyJ'), run(JWT_HEADER, 8, 1024), text('.'), run('[A-Za-z0-9_.-]', 8)] },
  privateKey('-----BEGIN ', '[A-Za-z0-9+/=\\s\\\\]'),
  // A key that a diff removes: every line starts with a dash.
  privateKey('------BEGIN ', '[A-Za-z0-9+/=\\s\\\\-]'),
  {
    name: 'authorization',
    before: [...AUTHORIZATION, text('basic', 'bearer', 'digest', 'token', 'apikey'), run(BLANK, 1, 4)],
    secret: [run(VALUE, 4)],
    ignoreCase: true,
  },
  // Without a scheme; long enough not to be one.
  { name: 'authorization', before: AUTHORIZATION, secret: [run(VALUE, 8)], ignoreCase: true },
  {
    name: 'bearer-token',
    before: [text('bearer'), run(BLANK, 1, 4)],
    secret: [run('[A-Za-z0-9._~+/=-]', 16)],
    ignoreCase: true,
  },
  {
    name: 'url-password',
    before: [text('://'), run('[^\\s/:@[\\]"\'<>]', 0, 256), text(':')],
    secret: [run('[^\\s/:@[\\]"\'<>]', 1, 1), run('[^\\s/"\'<>]', 0, 512)],
    after: [text('@')],
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
