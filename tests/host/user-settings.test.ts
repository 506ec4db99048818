import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadUserSettings } from '../../src/host/settings/user-settings.ts';

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'kairos-settings-'));
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

function load(name: string, text: string) {
  writeFileSync(join(config, name), text, { mode: 0o600 });
  return loadUserSettings({ config });
}
const failure = (name: string, text: string) =>
  load(name, text).then(
    () => 'loaded',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message.replace(config, '…')}`,
  );

describe('loadUserSettings', () => {
  it('is empty without a file', async () => {
    expect(await loadUserSettings({ config })).toEqual({});
    expect(await loadUserSettings({ config: join(config, 'none') })).toEqual({});
  });

  it.runIf(process.platform !== 'win32')('follows a link of the user to a private file', async () => {
    const target = join(config, 'dotfiles');
    mkdirSync(target);
    writeFileSync(join(target, 'mine.yaml'), 'space: team\n', { mode: 0o600 });
    symlinkSync('dotfiles/mine.yaml', join(config, 'kairos.config.yaml'));
    expect(await loadUserSettings({ config })).toEqual({ space: 'team' });
    chmodSync(join(target, 'mine.yaml'), 0o666);
    await expect(loadUserSettings({ config })).rejects.toThrow('others can write to it (mode 0666)');
    chmodSync(join(target, 'mine.yaml'), 0o600);
    chmodSync(target, 0o777);
    await expect(loadUserSettings({ config })).rejects.toThrow('a folder that others can write to');
    rmSync(target, { recursive: true });
    await expect(loadUserSettings({ config })).rejects.toThrow('a broken symbolic link');
  });

  it('reads YAML, or else JSON', async () => {
    expect(await load('kairos.config.json', '{"space": "json"}')).toEqual({ space: 'json' });
    expect(await load('kairos.config.yaml', 'store: /x.db\nspace: team\nlint: {rules: {}}\n')).toEqual({
      store: '/x.db',
      space: 'team',
    });
    expect(await load('kairos.config.yaml', '')).toEqual({});
  });

  it('reads what the director of the server may do', async () => {
    const settings = {
      user_input_driver: 'sampling',
      enable_user_input_server_driver: true,
      user_input_timeout_seconds: 120,
      allow_auto_sampling: ['sort-mail'],
    };
    expect(await load('kairos.config.json', JSON.stringify(settings))).toEqual(settings);
  });

  it.each([
    ['kairos.config.yaml', 'stor: x', '"stor" is not known; known are store, space, '],
    ['kairos.config.yaml', 'store: 3', 'store must be a text'],
    ['kairos.config.yaml', '- a', 'it is not a mapping'],
    [
      'kairos.config.yaml',
      'user_input_driver: pigeon',
      'user_input_driver must be one of elicitation, sampling, agent',
    ],
    [
      'kairos.config.yaml',
      'enable_user_input_server_driver: maybe',
      'enable_user_input_server_driver must be true or false',
    ],
    [
      'kairos.config.yaml',
      'user_input_timeout_seconds: 0',
      'user_input_timeout_seconds must be a whole number',
    ],
    [
      'kairos.config.yaml',
      'user_input_timeout_seconds: 1.5',
      'user_input_timeout_seconds must be a whole number',
    ],
    ['kairos.config.yaml', 'allow_auto_sampling: my-slug', 'allow_auto_sampling must be a list of slugs'],
    ['kairos.config.json', '{', "Expected property name or '}' in JSON at position 1"],
    ['kairos.config.yaml', 'a: &a x\nspace: *a', 'aliases are not read'],
  ])('reports what it does not understand: %s %j', async (name, text, reason) => {
    expect(await failure(name, text)).toMatch(
      new RegExp(
        `^INVALID_INPUT: the configuration …/${name} cannot be used: ${reason.replace(/[*+?^${}()|[\]\\]/g, '\\$&')}`,
      ),
    );
  });

  it.skipIf(process.platform === 'win32')('does not rely on a file that others may write to', async () => {
    await load('kairos.config.yaml', 'space: a');
    chmodSync(join(config, 'kairos.config.yaml'), 0o622);
    await expect(loadUserSettings({ config })).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });
});
