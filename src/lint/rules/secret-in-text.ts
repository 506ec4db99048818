import { secretsIn } from '../facts/secrets.ts';
import type { LintRule } from '../rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Joined here so that no secret scanner reports it as a real one. */
const MADE_UP = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`;

/** Keys and passwords in a protocol. */
export const secretInText: LintRule = {
  id: 'secret-in-text',
  family: 'safety',
  severity: 'error',
  summary: 'A protocol contains no key, token or password.',
  why: 'Protocols are committed, minted, searched and shown to agents, and every revision is kept. Every reader of any of these knows a secret in it, and replacing the text does not revoke it.',
  fixable: false,
  alwaysOn: true,
  get examples() {
    return [
      {
        title: 'A token in a command',
        source: chain(
          'Release',
          step('Publish', 'Upload it.', shellBlock(`GH_TOKEN=${MADE_UP} gh release create v1`)),
        ),
        findings: [
          {
            line: 8,
            column: 64,
            reason:
              'This looks like a secret (github-token). Revoke it where it was issued, and let the command read a new one from a variable listed in "env".',
          },
        ],
      },
      {
        title: 'A password in a URL, anywhere in the text',
        source: chain('Restore', step('Connect', 'Use postgres://admin:hunter2secret@db/app for that.')),
        findings: [{ line: 5, column: 22 }],
      },
      {
        title: 'Passwords in the usual places of commands',
        source: chain(
          'Restore',
          step('Load', 'Load it.', shellBlock('PGPASSWORD=kahvi7kuppi psql -h db -f dump.sql')),
          step('Ask', 'Call it.', shellBlock('curl -fsS -u admin:kahvi7kuppi https://db.test/api')),
          step('Copy', 'Copy it.', shellBlock('sshpass -p kahvi7kuppi scp dump.sql db:')),
        ),
        findings: [{ line: 8 }, { line: 16 }, { line: 24 }],
      },
      {
        title: 'Words of examples, code of programs',
        source: chain(
          'Call',
          step(
            'Ask',
            'Send `Authorization: Bearer your-jwt-token`. In Ruby it is `authorization = user.authorizations.first`; locally `postgresql://postgres:my-local-password@localhost/app` does.',
          ),
        ),
        findings: [],
      },
      {
        title: 'Variables and placeholders instead of a secret',
        source: chain(
          'Restore',
          step(
            'Connect',
            'Use postgres://admin:$PASSWORD@db/app, or https://user:<password>@host, or `Authorization: Bearer …`. Not https://ada:lovelace@example.org either.',
          ),
          step(
            'Ask',
            'Call it.',
            shellBlock('curl -H "Authorization: Bearer $TOKEN" localhost', { env: ['TOKEN'] }),
          ),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    const { source } = context;
    let end = 0;
    for (const { name, start, stop } of secretsIn(source)) {
      if (start < end) continue;
      end = stop;
      context.report({
        place: context.place(start, stop),
        reason: `This looks like a secret (${name}). Revoke it where it was issued, and let the command read a new one from a variable listed in "env".`,
      });
    }
  },
};
