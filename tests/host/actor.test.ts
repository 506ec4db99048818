import { describe, expect, it } from 'vitest';
import { osActor } from '../../src/host/system.ts';

const actorOf = (username: string) => osActor(() => ({ username }));

describe('osActor', () => {
  it('is who the system says', () => {
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
