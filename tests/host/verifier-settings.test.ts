import { describe, expect, it } from 'vitest';
import { verifierSettings } from '../../src/host/settings/model-settings.ts';

const local = { verifier_url: 'http://127.0.0.1:11434/v1/', verifier_model: 'm' };

describe('verifierSettings', () => {
  it('is off until an address is configured', () => {
    expect(verifierSettings({}, {})).toBeNull();
    expect(verifierSettings({ verifier_model: 'm' }, { KAIROS_VERIFIER_API_KEY: 'k' })).toBeNull();
  });

  it('uses the environment before the configuration', () => {
    expect(verifierSettings(local, {})).toEqual({
      url: 'http://127.0.0.1:11434/v1',
      model: 'm',
      apiKey: null,
      timeoutMs: 30_000,
    });
    const env = {
      KAIROS_VERIFIER_URL: 'https://models.example/v1',
      KAIROS_VERIFIER_MODEL: 'n',
      KAIROS_VERIFIER_API_KEY: 'k',
      KAIROS_VERIFIER_TIMEOUT_SECONDS: '5',
    };
    expect(verifierSettings({ ...local, verifier_timeout_seconds: 9 }, env)).toEqual({
      url: 'https://models.example/v1',
      model: 'n',
      apiKey: 'k',
      timeoutMs: 5000,
    });
  });

  it.each([
    [{ verifier_url: 'http://h/v1' }, {}, 'verifier_url is set, and verifier_model is not'],
    [{ ...local, verifier_url: 'ftp://h' }, {}, 'verifier_url is not an http or https address'],
    [{ ...local, verifier_url: 'https://me:secret@h' }, {}, 'verifier_url is not an http or https address'],
    [
      { ...local, verifier_url: 'http://h/v1', verifier_api_key: 'k' },
      {},
      'verifier_url would send the key unencrypted',
    ],
    [
      local,
      { KAIROS_VERIFIER_TIMEOUT_SECONDS: 'soon' },
      'KAIROS_VERIFIER_TIMEOUT_SECONDS is not a whole number',
    ],
    [
      local,
      { KAIROS_VERIFIER_TIMEOUT_SECONDS: '601' },
      'KAIROS_VERIFIER_TIMEOUT_SECONDS is not a whole number',
    ],
  ])('never leaves out a configured verifier: %j %j', (user, env, message) => {
    expect(() => verifierSettings(user, env)).toThrow(message);
  });

  it('lets the key go in the open to this machine only', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const user = { ...local, verifier_url: `http://${host}:1/v1`, verifier_api_key: 'k' };
      expect(verifierSettings(user, {})?.apiKey).toBe('k');
    }
  });
});
