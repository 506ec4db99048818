import { describe, expect, it } from 'vitest';
import { elicitationSettings } from '../../../src/mcp/elicitation/settings.ts';

const DEFAULTS = {
  driver: 'elicitation',
  serverDriver: false,
  samplingDriver: 'client',
  timeoutMs: 600_000,
  allowAutoSampling: [],
};

describe('the settings of the director', () => {
  it('are careful by default', () => {
    expect(elicitationSettings({}, {}, {})).toEqual(DEFAULTS);
    const empty = { KAIROS_USER_INPUT_DRIVER: '', KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER: '' };
    expect(elicitationSettings({}, empty, {})).toEqual(DEFAULTS);
  });

  it('come from the environment', () => {
    const env = {
      KAIROS_USER_INPUT_DRIVER: 'sampling',
      KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER: 'TRUE',
      KAIROS_USER_INPUT_TIMEOUT_SECONDS: '5',
      KAIROS_ALLOW_AUTO_SAMPLING: 'sort-mail, name-files,',
    };
    expect(elicitationSettings({}, env, {})).toEqual({
      driver: 'sampling',
      serverDriver: true,
      samplingDriver: 'client',
      timeoutMs: 5000,
      allowAutoSampling: ['sort-mail', 'name-files'],
    });
  });

  it('are set by a flag first, then by the environment, then by the user', () => {
    const user = {
      userInputDriver: 'agent',
      userInputServerDriver: true,
      userInputTimeoutSeconds: 3,
      allowAutoSampling: ['c'],
    } as const;
    expect(elicitationSettings({}, {}, user)).toEqual({
      driver: 'agent',
      serverDriver: true,
      samplingDriver: 'client',
      timeoutMs: 3000,
      allowAutoSampling: ['c'],
    });
    const env = { KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER: '0', KAIROS_ALLOW_AUTO_SAMPLING: '' };
    const flags = { userInputDriver: 'elicitation', userInputTimeoutSeconds: 1 } as const;
    expect(elicitationSettings(flags, env, user)).toEqual({
      driver: 'elicitation',
      serverDriver: false,
      samplingDriver: 'client',
      timeoutMs: 1000,
      allowAutoSampling: [],
    });
  });

  it.each([
    ['KAIROS_USER_INPUT_DRIVER', 'pigeon', 'one of elicitation, sampling, agent'],
    ['KAIROS_ENABLE_USER_INPUT_SERVER_DRIVER', 'perhaps', 'true or false'],
    ['KAIROS_USER_INPUT_TIMEOUT_SECONDS', '0', 'a whole number of seconds'],
    ['KAIROS_USER_INPUT_TIMEOUT_SECONDS', '10s', 'a whole number of seconds'],
    ['KAIROS_USER_INPUT_TIMEOUT_SECONDS', '86401', 'a whole number of seconds'],
  ])('refuse %s=%s', (name, value, expected) => {
    expect(() => elicitationSettings({}, { [name]: value }, {})).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining(name),
        hint: expect.stringContaining(expected),
      }),
    );
  });
});
