import { userInfo } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { osActor } from '../../src/host/actor.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo: vi.fn(),
}));
const named = (username: string) =>
  vi.mocked(userInfo).mockReturnValue({ username } as ReturnType<typeof userInfo>);

afterEach(() => vi.unstubAllEnvs());

describe('osActor', () => {
  it('is who the system says, whatever the environment claims', () => {
    vi.stubEnv('USER', 'somebody-else');
    named('jörg.smith-2@corp');
    expect(osActor()).toBe('jörg.smith-2@corp');
  });

  it('has no unusual characters', () => {
    named('CORP\\eve\n\u202e"x y');
    expect(osActor()).toBe('CORP_eve___x_y');
    named('n'.repeat(100));
    expect(osActor()).toBe('n'.repeat(64));
  });

  it('goes by the number where there is no name', () => {
    const uid = `uid-${process.getuid?.()}`;
    named('');
    expect(osActor()).toBe(uid);
    vi.mocked(userInfo).mockImplementation(() => {
      throw new Error('ENOENT');
    });
    expect(osActor()).toBe(uid);
  });
});
