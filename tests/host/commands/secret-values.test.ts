import { describe, expect, it } from 'vitest';
import { isSecretName, secretForms } from '../../../src/host/secrets/secret-values.ts';

describe('isSecretName', () => {
  it.each([
    'API_KEY',
    'GITHUB_TOKEN',
    'githubToken',
    'AWS_SECRET_ACCESS_KEY',
    'PGPASSWORD',
    'MYSQL_PWD',
    'DB_PASS',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'NODE_AUTH_TOKEN',
    'HTTP_AUTHORIZATION',
    'SENTRY_DSN',
    'GH_PAT',
    'npm_config__auth',
    'GIT_AUTHOR_TOKEN',
  ])('%s is one', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'SSH_AUTH_SOCK',
    'GIT_AUTHOR_NAME',
    'XAUTHORITY',
    'KEYBOARD_LAYOUT',
    'COMPAT',
    'PASSENGER',
  ])('%s is not a secret name', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('secretForms', () => {
  it('lists each form once, longest first, under the name of its variable', () => {
    expect(
      secretForms({ A_KEY: 'abcdef', B_KEY: 'abcdef', C_KEY: 'abc', D: 'abcdefg', E_KEY: undefined }),
    ).toEqual([
      { name: 'A_KEY', form: 'YWJjZGVm' },
      { name: 'A_KEY', form: 'FiY2RlZ' },
      { name: 'A_KEY', form: 'hYmNkZW' },
      { name: 'A_KEY', form: 'abcdef' },
    ]);
  });

  it('accepts a value with lone surrogates unchanged', () => {
    expect(secretForms({ A_KEY: 'abc\ud800def' }).map(({ form }) => form)).toContain('abc\ud800def');
  });
});
