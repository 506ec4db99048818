import { describe, expect, it } from 'vitest';
import { isActorName, namedCaller, osActor, osCaller } from '../../src/host/system.ts';

const actorOf = (username: string) => osActor(() => ({ username }));

describe('osCaller', () => {
  const root = () => ({ username: 'root' });

  it('is root where root runs, with the person that sudo names', () => {
    const actor = 'root (sudo by ada)';
    expect(osCaller({ SUDO_USER: 'ada' }, true, root)).toEqual({ actor, actorOrigin: 'sudo' });
    expect(osCaller({ SUDO_USER: 'e\nve' }, true, root).actor).toBe('root (sudo by e_ve)');
  });

  it.each([{}, { SUDO_USER: '' }, { SUDO_USER: 'root' }])('is the account without one: %j', (env) => {
    expect(osCaller(env, true, root)).toEqual({ actor: 'root', actorOrigin: 'account' });
  });

  it('is the account of every other user, with any value of the variable', () => {
    const bob = () => ({ username: 'bob' });
    expect(osCaller({ SUDO_USER: 'ada' }, false, bob)).toEqual({ actor: 'bob', actorOrigin: 'account' });
  });
});

describe('namedCaller', () => {
  const root = { actor: 'root', actorOrigin: 'account' } as const;
  const named = (flag?: string, config?: string) =>
    namedCaller(root, { flag, config }, (text) => text.replace('s3cret', '[redacted]'));

  it('is the flag, then the configuration, then the caller; the identity stays', () => {
    expect(named('bob', 'carol')).toEqual({ actor: 'bob', actorOrigin: 'flag', identity: 'root' });
    expect(named(undefined, 'carol')).toEqual({ actor: 'carol', actorOrigin: 'config', identity: 'root' });
    expect(named()).toEqual({ actor: 'root', actorOrigin: 'account', identity: 'root' });
  });

  it('contains no secret', () => {
    expect(named('bob s3cret').actor).toBe('bob [redacted]');
  });

  it.each(['', ' ', ' bob', 'bob\n', 'a\tb', 'a\u202eb', 'a\u200bb', 'n'.repeat(201), 7, null])(
    'is not %j',
    (name) => {
      expect(isActorName(name)).toBe(false);
      if (typeof name === 'string') expect(() => named(name)).toThrow('--actor must be a name');
    },
  );

  it.each(['bob', 'Ada Byron', 'jörg', '王芳', '😀'.repeat(200)])('may be %j', (name) => {
    expect(named(name).actor).toBe(name);
  });
});

describe('osActor', () => {
  it('is the user of the system', () => {
    expect(actorOf('jörg.smith-2@corp')).toBe('jörg.smith-2@corp');
  });

  it('has no unusual characters', () => {
    expect(actorOf('CORP\\eve\n\u202e"x y')).toBe('CORP_eve___x_y');
    expect(actorOf('n'.repeat(100))).toBe('n'.repeat(64));
  });

  it('is the number where there is no name', () => {
    const uid = `uid-${process.getuid?.()}`;
    expect(actorOf('')).toBe(uid);
    const absent = () => {
      throw new Error('ENOENT');
    };
    expect(osActor(absent)).toBe(uid);
  });
});
