import { tokenRulesFor } from '../../base/token-rules.ts';
import type { Rule } from '../rule.ts';
import { chain, shell, step } from './support/example.ts';

/** Put together here so that no scanner of repositories takes it for a real one. */
const MADE_UP = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`;

/** Keys and passwords in a protocol. */
export const secretInText: Rule = {
  id: 'secret-in-text',
  family: 'safety',
  severity: 'error',
  summary: 'A protocol holds no key, token or password.',
  why: 'Protocols are committed, minted, searched and shown to agents, and every revision is kept. A secret in one of them is known to all who can read any of these, and replacing the text does not take it back.',
  fixable: false,
  alwaysOn: true,
  get examples() {
    return [
      {
        title: 'A token in a command',
        source: chain(
          'Release',
          step('Publish', 'Upload it.', shell(`GH_TOKEN=${MADE_UP} gh release create v1`)),
        ),
        findings: [
          {
            line: 8,
            column: 64,
            reason:
              'This looks like a secret (github-token). Replace it at its issuer, and let the command read it from a variable that is listed in "env".',
          },
        ],
      },
      {
        title: 'A password in a URL, anywhere in the text',
        source: chain('Restore', step('Connect', 'Use postgres://admin:hunter2secret@db/app for that.')),
        findings: [{ line: 5, column: 22 }],
      },
      {
        title: 'Variables and placeholders where a secret would stand',
        source: chain(
          'Restore',
          step(
            'Connect',
            'Use postgres://admin:$PASSWORD@db/app, or https://user:<password>@host, or `Authorization: Bearer …`. Not https://ada:lovelace@example.org either.',
          ),
          step(
            'Ask',
            'Call it.',
            shell('curl -H "Authorization: Bearer $TOKEN" localhost', { env: ['TOKEN'] }),
          ),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    const { source } = context;
    let end = 0;
    for (const { name, start, stop } of tokensIn(source)) {
      if (start < end) continue;
      end = stop;
      context.report({
        place: context.place(start, stop),
        reason: `This looks like a secret (${name}). Replace it at its issuer, and let the command read it from a variable that is listed in "env".`,
      });
    }
  },
};

interface Token {
  name: string;
  start: number;
  stop: number;
}

function tokensIn(source: string): Token[] {
  const found: Token[] = [];
  for (const { name, whole } of tokenRulesFor(source)) {
    for (const match of source.matchAll(whole)) {
      const [, before = '', secret = ''] = match;
      const start = match.index + before.length;
      const after = source.slice(start + secret.length, start + secret.length + 80);
      if (!isStandIn(secret) && !isExample(name, secret, after))
        found.push({ name, start, stop: start + secret.length });
    }
  }
  return found.length < 2 ? found : found.sort((a, b) => a.start - b.start || b.stop - a.stop);
}

/** A password for a name that never exists (RFC 2606) or of three letters, and a key whose body was left out. */
function isExample(name: string, secret: string, after: string): boolean {
  if (name === 'private-key')
    return secret.replace(/^-+BEGIN [A-Z0-9 ]+-+/, '').replace(/\W|n/g, '').length < 40;
  if (name !== 'url-password') return false;
  return (
    secret.length < 4 || /^@(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid)(?![\w.-])/.test(after)
  );
}

/** A variable, a placeholder, an ellipsis or a row of one character: what stands where a secret would. */
function isStandIn(secret: string): boolean {
  if (/^[\\"'`]*[$%{<[(…*]|\.\.\.|^(?:x+|X+|\*+|\.+)$|example|placeholder|redacted|change-?me/i.test(secret))
    return true;
  if (/^(?:your|my|the|some|new|old)[-_]?(?:token|password|passwd|secret|key|pass)/i.test(secret))
    return true;
  return /^(?:token|password|passwd|pass|secret|bearer|basic|key|apikey|credentials?)\W*$/i.test(secret);
}
