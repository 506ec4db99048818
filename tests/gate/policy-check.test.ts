import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPolicy } from '../../src/gate/policy/read.ts';
import { publicKeyOfSeed } from './support/case.ts';
import { policyChecks } from './support/policy-checks.ts';

const checks = await policyChecks();
const [ada, bob, cyd] = ['ada', 'bob', 'cyd'].map((name) => ({
  name,
  actors: [`os-${name}`],
  keys: [{ key: publicKeyOfSeed(name) }],
})) as [Person, Person, Person];
interface Person {
  name: string;
  actors: string[];
  keys: object[];
}
const people = [ada, bob, cyd];
const withKey = (key: string) => ({ approvers: [{ name: 'ada', keys: [{ key }] }] });
const rule = (more: object) => ({ approvers: people, rules: [{ match: {}, ...more }] });

function problemsOf(policy: object): string[] {
  const reading = readPolicy(JSON.parse(JSON.stringify({ version: 1, ...policy })), checks);
  return reading.ok ? [] : reading.problems.map(({ path, message }) => `${path}: ${message}`);
}

/** Keys of other kinds, made by OpenSSH and thrown away. */
const made = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'kairos-keys-'));
  const keygen = (...args: string[]) => execFileSync('ssh-keygen', ['-q', ...args], { cwd: folder });
  const line = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
  keygen('-t', 'ed25519', '-N', '', '-f', 'ca');
  keygen('-t', 'ed25519', '-N', '', '-f', 'user');
  keygen('-s', 'ca', '-I', 'user', '-n', 'user', 'user.pub');
  keygen('-t', 'rsa', '-b', '1024', '-N', '', '-f', 'small');
  keygen('-t', 'rsa', '-b', '3072', '-N', '', '-f', 'rsa');
  keygen('-t', 'ecdsa', '-N', '', '-f', 'ecdsa');
  const keys = {
    user: line('user.pub'),
    certificate: line('user-cert.pub'),
    small: line('small.pub'),
    rsa: line('rsa.pub'),
    ecdsa: line('ecdsa.pub'),
  };
  rmSync(folder, { recursive: true });
  return keys;
})();

/** The same Ed25519 point with its sign flipped. */
function negated(line: string): string {
  const [type, base64] = line.split(' ') as [string, string];
  const blob = Buffer.from(base64, 'base64');
  blob[blob.length - 1] = blob[blob.length - 1]! ^ 0x80;
  return `${type} ${blob.toString('base64')}`;
}

describe('a policy that means what it states', () => {
  it.each<[string, object]>([
    [
      'keys of each kind',
      {
        approvers: [made.user, made.rsa, made.ecdsa].map((key, at) => ({ name: `p${at}`, keys: [{ key }] })),
      },
    ],
    ['a threshold that sets the class', rule({ threshold: { n: 2, of: ['ada', 'bob', 'cyd'] } })],
    [
      'a quorum by group',
      {
        ...rule({ threshold: { groups: { ops: 1, board: 1 } } }),
        groups: { ops: ['ada'], board: ['bob', 'cyd'] },
      },
    ],
    [
      'single by a terminal',
      {
        approvers: [{ name: 'ada', actors: ['os-ada'] }],
        approvals: { terminal: true },
        rules: [{ match: {}, approval_class: 'single' }],
      },
    ],
    [
      'lists and patterns',
      rule({ match: { resource_type: ['table', '~index_.*'], domain: '~(?:a|b)\\.example' } }),
    ],
    [
      'a window',
      rule({ windows: [{ days: ['mon'], from: '22:00', until: '24:00', time_zone: 'Asia/Kathmandu' }] }),
    ],
    [
      'windows that meet, and those of other actions',
      {
        rules: [
          { match: { domain: 'a' }, windows: [{ days: ['sun'], from: '23:00', time_zone: 'UTC' }] },
          {
            match: { domain: 'a' },
            windows: [{ days: ['mon'], until: '01:00', time_zone: 'Europe/Vienna' }],
          },
          { match: { domain: 'b' }, windows: [{ days: ['wed'], time_zone: 'UTC' }], actors: ['ops'] },
        ],
      },
    ],
    ['a pattern for the characters of one', rule({ match: { resource_id: '~orders\\*' } })],
    [
      'a key that has expired, of which the moment of a decision judges',
      {
        approvers: [{ name: 'ada', keys: [{ key: made.user, valid_until: '2020-01-01T00:00:00Z' }] }],
        rules: [{ match: {}, approval_class: 'single' }],
      },
    ],
  ])('%s', (_name, policy) => {
    expect(problemsOf(policy)).toEqual([]);
  });
});

describe('a policy is refused', () => {
  it.each<[string, object, string]>([
    // Keys.
    [
      'a certificate',
      withKey(made.certificate),
      "approvers.0.keys.0: This key can't be used: it is a certificate",
    ],
    ['a key too short to be one', withKey('ssh-ed25519 AAAA'), 'approvers.0.keys.0: This key'],
    [
      'a type over the bytes of another',
      withKey(`ssh-rsa ${made.user.split(' ')[1]}`),
      'its type is ssh-rsa, but its bytes are of type "ssh-ed25519"',
    ],
    [
      'padding after the base64',
      withKey(`${made.user.split(' ').slice(0, 2).join(' ')}=`),
      'not the base64 text',
    ],
    [
      'bytes after the key',
      withKey(
        `ssh-ed25519 ${Buffer.concat([Buffer.from(made.user.split(' ')[1]!, 'base64'), Buffer.from([0])]).toString('base64')}`,
      ),
      'bytes follow after its end',
    ],
    ['a type that nobody knows', withKey('ssh-foo BBBB'), 'its type "ssh-foo" is not one of'],
    ['a short RSA key', withKey(made.small), 'needs 2048'],
    [
      'a point whose signatures can be forged',
      withKey('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
      'a signature for it can be forged',
    ],
    [
      'one key of two people',
      {
        approvers: [
          { name: 'ada', keys: [{ key: made.user }] },
          { name: 'bob', keys: [{ key: `${made.user} another comment` }] },
        ],
      },
      'approvers.1.keys.0: This key is one of "ada" too',
    ],
    [
      'one private key with another sign',
      {
        approvers: [
          { name: 'ada', keys: [{ key: made.user }] },
          { name: 'bob', keys: [{ key: negated(made.user) }] },
        ],
      },
      'approvers.1.keys.0: This key is one of "ada" too',
    ],
    [
      'a key that is never valid',
      {
        approvers: [
          {
            name: 'ada',
            keys: [
              { key: made.user, valid_from: '2030-01-01T00:00:00Z', valid_until: '2029-01-01T00:00:00Z' },
            ],
          },
        ],
      },
      'It is never valid',
    ],
    [
      'only software keys where hardware is wanted',
      { approvers: people, approvals: { hardware_keys: true } },
      'approvers.0.keys: hardware_keys is true',
    ],
    // People.
    [
      'a name in two spellings',
      { approvers: [ada, { ...bob, name: 'ADA' }] },
      'approvers.1: The name "ADA" is used twice',
    ],
    [
      'an account of two people',
      { approvers: [ada, { ...bob, actors: ['OS-Ada'] }] },
      'The account "OS-Ada" is listed twice',
    ],
    [
      'an account that is another person',
      { approvers: [ada, { ...bob, actors: ['ada'] }] },
      'approvers.0.name: "ada" is an account of "bob" too',
    ],
    [
      'a group of nobody that is known',
      { approvers: people, groups: { ops: ['adda'] } },
      'groups.ops: "adda" is not an approver of this policy. Did you mean ada?',
    ],
    [
      'a group named like a person',
      { approvers: people, groups: { ada: ['bob'] } },
      'groups.ada: An approver has the same name.',
    ],
    // Quorums.
    [
      'dual with a threshold',
      rule({ approval_class: 'dual', threshold: { n: 3, of: ['ada', 'bob', 'cyd'] } }),
      'rules.0: It asks for class dual and for a threshold',
    ],
    [
      'single with a list of people',
      rule({ approval_class: 'single', threshold: { n: 1, of: ['ada'] } }),
      'rules.0: It asks for class single and for a threshold',
    ],
    [
      'none with a threshold',
      rule({ approval_class: 'none', threshold: { n: 1, of: ['ada'] } }),
      'rules.0: It asks for class none and for a threshold',
    ],
    ['threshold without one', rule({ approval_class: 'threshold' }), 'rules.0: Class threshold needs'],
    [
      'more people than are named',
      rule({ threshold: { n: 3, of: ['ada', 'bob'] } }),
      'rules.0.threshold: 3 of these people are required, and 2 can approve with a key that is usable.',
    ],
    [
      'the same person named twice',
      rule({ threshold: { n: 2, of: ['ada', 'ada'] } }),
      '2 of these people are required, and 1 can approve with a key that is usable.',
    ],
    [
      'somebody unknown',
      rule({ threshold: { n: 1, of: ['eve'] } }),
      'rules.0.threshold.of: "eve" is not an approver of this policy.',
    ],
    [
      'a group that is not there',
      rule({ threshold: { groups: { ops: 1 } } }),
      'rules.0.threshold.groups: There is no group "ops".',
    ],
    [
      'fewer than a group asks for',
      { ...rule({ threshold: { n: 1, groups: { ops: 2 } } }), groups: { ops: ['ada', 'bob'] } },
      'rules.0.threshold.n: It is 1, and a group alone asks for 2.',
    ],
    ['neither number nor people', rule({ threshold: {} }), 'The people are missing'],
    [
      'dual with one approver',
      { approvers: [ada], rules: [{ match: {}, approval_class: 'dual' }] },
      'rules.0: 2 of the approvers are required, and 1 can approve with a key that is usable.',
    ],
    [
      'single without approvers',
      { rules: [{ match: {}, approval_class: 'single' }] },
      'rules.0: 1 of the approvers is required, and 0 can approve with a key that is usable.',
    ],
    [
      'single whose approvers have no keys',
      { approvers: [{ name: 'ada', actors: ['os-ada'] }], rules: [{ match: {}, approval_class: 'single' }] },
      'and 0 can approve',
    ],
    [
      'only revoked keys',
      {
        approvers: [{ name: 'ada', keys: [{ key: made.user, revoked: true }] }],
        rules: [{ match: {}, approval_class: 'single' }],
      },
      'and 0 can approve',
    ],
    [
      'the only approver is the only one who may propose',
      { approvers: [ada], rules: [{ match: {}, approval_class: 'single', actors: ['os-ada'] }] },
      'and 0 can approve',
    ],
    // Rules.
    [
      'a pattern outside RE2',
      rule({ match: { domain: '~(?=x)' } }),
      'rules.0.match.domain: The pattern "~(?=x)" can\'t be used',
    ],
    ['an empty pattern', rule({ match: { domain: ['a', '~'] } }), 'it is empty'],
    ['a pattern that nothing fulfils', rule({ match: { domain: '~[^\\s\\S]' } }), 'can never match'],
    [
      'a pattern whose ~ was forgotten',
      rule({ match: { domain: '.*\\.prod\\.example' } }),
      'rules.0.match.domain: ".*\\\\.prod\\\\.example" looks like a pattern, and it would be read as this very text. Begin a pattern with ~',
    ],
    [
      'a pattern of a shell',
      rule({ match: { resource_id: ['main', '*.prod.example'] } }),
      'write "~\\\\*\\\\.prod\\\\.example".',
    ],
    [
      'a pattern among actors',
      rule({ actors: ['ops', 'deploy-*'] }),
      'rules.0.actors: "deploy-*" looks like a pattern',
    ],
    [
      'a pattern among effects',
      rule({ forbidden_effects: ['~network.*'] }),
      'rules.0.forbidden_effects: "~network.*" looks like a pattern',
    ],
    [
      'windows that exclude one another',
      {
        rules: [
          { name: 'sat', match: { domain: 'A.example' }, windows: [{ days: ['sat'], time_zone: 'UTC' }] },
          {
            match: { domain: '~a.*', action_types: ['write'] },
            windows: [{ days: ['sun'], time_zone: 'UTC' }],
          },
        ],
      },
      'rules.1: There is no time that the windows of both "rules.1" and "sat" allow',
    ],
    [
      'windows that exclude one another in different zones',
      {
        rules: [
          { match: {}, windows: [{ from: '09:00', until: '12:00', time_zone: 'Europe/Vienna' }] },
          { match: {}, windows: [{ from: '09:00', until: '12:00', time_zone: 'America/New_York' }] },
        ],
      },
      'rules.1: There is no time',
    ],
    [
      'actors that exclude one another',
      {
        rules: [
          { match: { domain: 'a' }, actors: ['ops'] },
          { match: { resource_id: 'b' }, actors: ['dev'] },
        ],
      },
      'rules.1: There is no actor that both',
    ],
    ['a name that nothing can have', rule({ match: { domain: 'a.example ' } }), 'can never match'],
    ['a name with a hidden character', rule({ match: { domain: 'a\u200b.example' } }), 'can never match'],
    [
      'an effect allowed and forbidden',
      rule({ allowed_effects: ['log', 'mail'], forbidden_effects: ['mail'] }),
      'rules.0: The effect "mail" is allowed and forbidden.',
    ],
    [
      'a zone that is not there',
      rule({ windows: [{ time_zone: 'Mars/Olympus' }] }),
      'rules.0.windows.0.time_zone: "Mars/Olympus" is not a time zone',
    ],
    [
      'a window that never opens',
      rule({ windows: [{ from: '17:00', until: '09:00', time_zone: 'UTC' }] }),
      'rules.0.windows.0: It never opens',
    ],
    [
      'two rules of one name',
      {
        approvers: people,
        rules: [
          { name: 'a', match: {} },
          { name: 'a', match: {} },
        ],
      },
      'rules.1.name: Another rule is named "a".',
    ],
    [
      'an action that is none',
      rule({ match: { action_types: ['remove'] } }),
      'rules.0.match.action_types: Expected a value or a list of values',
    ],
    [
      'a tool mapped twice',
      {
        tools: [1, 2].map(() => ({
          tool_name: 't',
          action_type: 'read',
          target: { resource_type: 'a', resource_id: 'b', domain: 'c', constraints: {} },
        })),
      },
      'tools.1: The tool "t" is mapped twice.',
    ],
    // Schemas.
    [
      'a schema with a type that is none',
      { constraints: { most: { value: { type: 5 } } } },
      "constraints.most.value: The schema can't be used: /type must be equal to one of the allowed values.",
    ],
    [
      'a keyword that is misspelt',
      { constraints: { most: { parameters: { minimun: 1 } } } },
      'constraints.most.parameters: The schema can\'t be used: unknown keyword: "minimun"',
    ],
    [
      'a schema that lies elsewhere',
      { constraints: { most: { value: { $ref: 'https://example.com/x.json' } } } },
      "constraints.most.value: The schema can't be used",
    ],
    [
      'a schema with a pattern outside RE2',
      { constraints: { most: { value: { pattern: '(?=x)' } } } },
      "constraints.most.value: The schema can't be used",
    ],
    [
      'a constraint that kairos has',
      { constraints: { allowed_fields: {} } },
      'constraints.allowed_fields: kairos has this constraint already',
    ],
    // Shape.
    [
      'a key that is misspelt',
      rule({ aproval_class: 'dual' }),
      'rules.0: There is no key "aproval_class" here. Did you mean approval_class?',
    ],
    [
      'a number where a text belongs',
      { approvers: [{ name: 7 }] },
      'approvers.0.name: Expected a text, not 7.',
    ],
    [
      'a text where a number belongs',
      { approvals: { ttl_ms: '1h' } },
      'approvals.ttl_ms: Expected a number, not "1h".',
    ],
    ['no version', { version: undefined }, 'version: Expected 1, and it is missing.'],
    ['another version', { version: 2 }, 'version: Expected 1, not 2.'],
    [
      'a class that is none',
      rule({ approval_class: 'triple' }),
      'rules.0.approval_class: Expected one of none, single, dual, threshold, not "triple".',
    ],
    [
      'a time without a zone',
      { approvers: [{ name: 'ada', keys: [{ key: made.user, valid_from: '2026-01-01' }] }] },
      'Expected an instant like 2026-01-31T09:00:00+01:00, not "2026-01-01".',
    ],
  ])('%s', (_name, policy, expected) => {
    expect(problemsOf(policy).join('\n')).toContain(expected);
  });

  it('with every problem together', () => {
    const policy = {
      approvers: [ada, ada],
      rules: [
        { match: { domain: '~(' }, approval_class: 'threshold' },
        { match: {}, threshold: { n: 9, of: ['eve'] } },
      ],
    };
    expect(problemsOf(policy).length).toBeGreaterThanOrEqual(5);
  });
});
