import { describe, expect, it } from 'vitest';
import { commandEnvironment } from '../../../src/host/commands/shell-step.ts';

const source = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C.UTF-8',
  LCD: 'no',
  AWS_SECRET_ACCESS_KEY: 'no',
  NODE_OPTIONS: '--require evil',
  DEPLOY_TARGET: 'staging',
  EMPTY: '',
  UNSET: undefined,
};

describe('commandEnvironment', () => {
  it('passes the allowlist only', () => {
    expect(commandEnvironment(source)).toEqual({
      env: { PATH: '/bin', HOME: '/home/me', LC_ALL: 'C.UTF-8' },
      missing: [],
    });
  });

  it('adds what the step names, and reports what is missing', () => {
    expect(commandEnvironment(source, ['DEPLOY_TARGET', 'EMPTY', 'UNSET', 'toString', 'UNSET'])).toEqual({
      env: { PATH: '/bin', HOME: '/home/me', LC_ALL: 'C.UTF-8', DEPLOY_TARGET: 'staging', EMPTY: '' },
      missing: ['UNSET', 'toString'],
    });
  });
});
