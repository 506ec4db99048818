import { userInfo } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { accountHome, userFolders } from '../../src/host/files/paths.ts';

describe('userFolders', () => {
  it('goes by what was chosen', () => {
    expect(userFolders({ HOME: '/home/me', KAIROS_DATA_DIR: '/d', KAIROS_CONFIG_DIR: '/c' })).toEqual({
      home: '/home/me',
      data: '/d',
      config: '/c',
      dataIsChosen: true,
      configIsMoved: true,
    });
  });

  it.runIf(process.platform === 'linux')('else by the XDG base directories', () => {
    expect(userFolders({ HOME: '/home/me', XDG_DATA_HOME: '/xd', XDG_CONFIG_HOME: '/xc' })).toEqual({
      home: '/home/me',
      data: '/xd/kairos',
      config: '/xc/kairos',
      dataIsChosen: false,
      configIsMoved: true,
    });
  });

  it.runIf(process.platform === 'linux')(
    'else by the home folder; empty and relative settings do not count',
    () => {
      expect(
        userFolders({
          HOME: '/home/me',
          KAIROS_DATA_DIR: '',
          XDG_DATA_HOME: 'relative',
          XDG_CONFIG_HOME: '',
        }),
      ).toEqual({
        home: '/home/me',
        data: '/home/me/.local/share/kairos',
        config: '/home/me/.config/kairos',
        dataIsChosen: false,
        configIsMoved: false,
      });
    },
  );

  it.runIf(process.platform === 'linux')('knows the usual place under any name', () => {
    const moved = (env: object) => userFolders({ HOME: '/home/me', ...env }).configIsMoved;
    expect([
      moved({ XDG_CONFIG_HOME: '/home/me/.config' }),
      moved({ KAIROS_CONFIG_DIR: '/home/me/.config/kairos/' }),
      moved({ KAIROS_CONFIG_DIR: '/home/me/.config' }),
    ]).toEqual([false, false, true]);
  });

  it('reads a tilde in a choice as the home folder', () => {
    expect(userFolders({ HOME: '/home/me', KAIROS_DATA_DIR: '~/d', KAIROS_CONFIG_DIR: '~' })).toMatchObject({
      data: '/home/me/d',
      config: '/home/me',
    });
    expect(() => userFolders({ HOME: '/home/me', KAIROS_DATA_DIR: '~you/d' })).toThrow('~you/d');
  });

  it('refuses a relative choice', () => {
    expect(() => userFolders({ KAIROS_DATA_DIR: 'here' })).toThrow(
      expect.objectContaining({ code: 'USAGE', message: 'KAIROS_DATA_DIR is not an absolute path: here' }),
    );
  });
});

it('accountHome asks the system, not the environment', () => {
  vi.stubEnv('HOME', '/elsewhere');
  try {
    expect(accountHome()).toBe(userInfo().homedir);
  } finally {
    vi.unstubAllEnvs();
  }
});
