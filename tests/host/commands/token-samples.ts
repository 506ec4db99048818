/** Made-up tokens, put together here so that no scanner of repositories takes them for real ones. */
const word = (length: number) => 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(5).slice(0, length);
const upper = (length: number) => word(200).toUpperCase().slice(0, length);
const pem = (kind: string, end: string) => `-----BEGIN ${kind}-----\n${word(64)}\n${word(40)}==\n${end}`;

/** [name, the whole of which is secret] */
export const TOKEN_SAMPLES: [string, string][] = [
  ['github-token', `ghp_${word(36)}`],
  ['github-token', `ghs_${word(80)}`],
  ['github-token', `github_pat_${word(22)}_${word(59)}`],
  ['gitlab-token', `glpat-${word(20)}`],
  ['aws-access-key', `AKIA${upper(16)}`],
  ['slack-token', `xoxb-${'1'.repeat(12)}-${word(24)}`],
  ['npm-token', `npm_${word(36)}`],
  ['pypi-token', `pypi-${word(100)}`],
  ['stripe-key', `sk_live_${word(24)}`],
  ['google-api-key', `AIza${word(35)}`],
  ['google-oauth', `ya29.${word(60)}`],
  ['api-key', `sk-ant-api03-${word(90)}`],
  ['api-key', `sk-${word(48)}`],
  ['sendgrid-key', `SG.${word(22)}.${word(43)}`],
  ['huggingface-token', `hf_${word(34)}`],
  ['docker-token', `dckr_pat_${word(27)}`],
  ['digitalocean-token', `dop_v1_${'0a1b2c3d'.repeat(8)}`],
  ['vault-token', `hvs.${word(90)}`],
  ['age-key', `AGE-SECRET-KEY-1${upper(58)}`],
  ['jwt', `eyJ${word(30)}.eyJ${word(70)}.${word(43)}`],
];

/** [text, what becomes of it] */
export const BASIC_SAMPLES: [string, string][] = [
  ['Authorization: Bearer abc-123', 'Authorization: Bearer [redacted:authorization]'],
  ["curl -H 'authorization: Basic dTpw' x", "curl -H 'authorization: Basic [redacted:authorization]' x"],
  ['{"Authorization": "token abcd"}', '{"Authorization": "token [redacted:authorization]"}'],
  ['Authorization: 0123456789', 'Authorization: [redacted:authorization]'],
  [`bearer ${word(20)}==`, 'bearer [redacted:bearer-token]'],
  ['https://user:p@ss@host/path', 'https://user:[redacted:url-password]@host/path'],
  [
    'postgres://u:pw@h:5432/db, redis://:pw@h',
    'postgres://u:[redacted:url-password]@h:5432/db, redis://:[redacted:url-password]@h',
  ],
  ['//registry/:_authToken=abcdef123', '//registry/:_authToken=[redacted:npm-token]'],
  [`aws_secret_access_key = ${word(40)}`, 'aws_secret_access_key = [redacted:aws-secret-key]'],
  [
    `https://hooks.slack.com/services/T0/B0/${word(24)}`,
    'https://hooks.slack.com/services/[redacted:slack-webhook]',
  ],
  [
    pem('RSA PRIVATE KEY', '-----END RSA PRIVATE KEY-----\nok'),
    '[redacted:private-key]-----END RSA PRIVATE KEY-----\nok',
  ],
  [
    pem('PRIVATE KEY', '-----END PRIVATE KEY-----').replaceAll('\n', '\\n'),
    '[redacted:private-key]-----END PRIVATE KEY-----',
  ],
  [
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n${word(64)}\n-----END`,
    '[redacted:private-key]-----END',
  ],
  [pem('PGP PRIVATE KEY BLOCK', '-----END'), '[redacted:private-key]-----END'],
];
