import { describe, expect, it } from 'vitest';
import { storeLocation } from '../../src/host/settings/user-settings.ts';

const locate = (flag: string | undefined, env: NodeJS.ProcessEnv = {}, store?: string) =>
  storeLocation(flag, env, { store }, '/work');

describe('storeLocation', () => {
  it('uses the flag, then the environment, then the configuration', () => {
    const env = { KAIROS_STORE: '/env.db', QDRANT_URL: 'https://q.example:6333' };
    expect([
      locate('/flag.db', env, '/set.db'),
      locate(undefined, env, '/set.db'),
      locate(undefined, { QDRANT_URL: 'https://q.example:6333' }, '/set.db'),
      locate(undefined, { KAIROS_STORE: '' }, '/set.db'),
      locate(undefined),
    ]).toEqual(['/flag.db', '/env.db', 'qdrant:https://q.example:6333', '/set.db', null]);
  });

  it.each([
    ['a/b.db', '/work/a/b.db'],
    ['./a b.db', '/work/a b.db'],
    ['sqlite:a.db', 'sqlite:/work/a.db'],
    ['sqlite::memory:', 'sqlite::memory:'],
    ['/abs.db', '/abs.db'],
    [':memory:', ':memory:'],
    ['file:///abs.db', 'file:///abs.db'],
    ['qdrant://host:6333/c', 'qdrant://host:6333/c'],
    ['qdrant+https://host/c?replicas=2', 'qdrant+https://host/c?replicas=2'],
    ['C:\\data\\k.db', 'C:\\data\\k.db'],
  ])('counts a relative path from the working directory: %s', (given, location) => {
    expect(locate(given)).toBe(location);
  });
});
