import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { calledAs } from '../../src/host/called-as.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-called-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let at = 0;
beforeEach(() => {
  at += 1;
  folder = join(root, String(at));
});

function file(path: string, text = '#!/usr/bin/env node\n'): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, 0o755);
  return full;
}

function link(target: string, path: string): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  symlinkSync(target, full);
  return full;
}

interface Start {
  script: string;
  /** Folders on PATH, below the folder of the test. */
  path?: string[];
  env?: NodeJS.ProcessEnv;
}

const start = ({ script, path = [], env = {} }: Start) =>
  calledAs({
    argv: ['/opt/node/bin/node', script],
    execPath: '/opt/node/bin/node',
    env: { PATH: path.map((each) => join(folder, each)).join(':'), ...env },
  });

const NPX = { npm_command: 'exec', npm_lifecycle_event: 'npx' };

describe.skipIf(process.platform === 'win32')('calledAs', () => {
  it('returns the name that PATH leads to this program by', () => {
    const script = file('lib/kairos-protocols/bin/kairos.js');
    const global = link(script, 'bin/kairos');
    expect(start({ script: global, path: ['bin'] })).toEqual(['kairos']);
    expect(start({ script, path: ['empty', 'bin'] })).toEqual(['kairos']);
  });

  it('returns another name of the link', () => {
    const other = link(file('lib/kairos-protocols/bin/kairos.js'), 'bin/ks');
    expect(start({ script: other, path: ['bin'] })).toEqual(['ks']);
  });

  it('accepts the launcher that another package manager writes', () => {
    const script = file('pnpm/kairos-protocols/bin/kairos.js');
    file('bin/kairos', '#!/bin/sh\nexec node "$basedir/../pnpm/kairos-protocols/bin/kairos.js" "$@"\n');
    expect(start({ script, path: ['bin'] })).toEqual(['kairos']);
  });

  it('ignores a program of the same name', () => {
    const script = file('clone/bin/kairos.js');
    file('bin/kairos', '#!/bin/sh\necho something else\n');
    file('bin/node');
    expect(start({ script, path: ['bin'] })).toEqual(['node', script]);
  });

  it('returns the whole path of the script, wherever it was started', () => {
    const script = file('clone/bin/kairos.js');
    file('bin/node');
    expect(start({ script, path: ['bin'] })).toEqual(['node', script]);
    expect(start({ script })).toEqual(['/opt/node/bin/node', script]);
  });

  it('returns npx with the package that it was asked for', () => {
    const script = link(
      file('_npx/1/node_modules/kairos-protocols/bin/kairos.js'),
      '_npx/1/node_modules/.bin/kairos',
    );
    const packages = (...names: string[]) =>
      file('_npx/1/package.json', JSON.stringify({ _npx: { packages: names } }));
    const call = { script, path: ['_npx/1/node_modules/.bin'], env: NPX };
    expect(start(call)).toEqual(['npx', 'kairos-protocols']);
    packages('kairos-protocols@0.2.0');
    expect(start(call)).toEqual(['npx', 'kairos-protocols@0.2.0']);
    packages('/tmp/kairos-protocols-0.2.0.tgz');
    expect(start(call)).toEqual(['npx', 'file:/tmp/kairos-protocols-0.2.0.tgz']);
    packages();
    expect(start(call)).toEqual(['npx', 'kairos-protocols']);
  });

  it('returns kairos under npx where it is installed as well', () => {
    const script = file('lib/node_modules/kairos-protocols/bin/kairos.js');
    const global = link(script, 'bin/kairos');
    expect(start({ script: global, path: ['bin'], env: NPX })).toEqual(['kairos']);
  });

  it('returns the path in a project that has it as a dependency, because npx finds it only there', () => {
    const script = link(
      file('app/node_modules/kairos-protocols/bin/kairos.js'),
      'app/node_modules/.bin/kairos',
    );
    file('bin/node');
    const call = { script, path: ['app/node_modules/.bin', 'bin'] };
    const scriptOf = { npm_command: 'run-script', npm_lifecycle_event: 'release' };
    expect(start({ ...call, env: NPX })).toEqual(['node', script]);
    expect(start({ ...call, env: scriptOf })).toEqual(['node', script]);
    // The user has that folder on PATH.
    expect(start(call)).toEqual(['kairos']);
  });

  it.each([
    ['pnpm/dlx/4f2c/1/node_modules/kairos-protocols/bin/kairos.js', ['pnpm', 'dlx', 'kairos-protocols']],
    ['tmp/dlx-4121/node_modules/kairos-protocols/bin/kairos.js', ['pnpm', 'dlx', 'kairos-protocols']],
    ['tmp/xfs-1a2b/dlx-41/node_modules/kairos-protocols/bin/kairos.js', ['yarn', 'dlx', 'kairos-protocols']],
    ['tmp/bunx-0-kairos-protocols@latest/node_modules/.bin/kairos', ['bunx', 'kairos-protocols']],
  ])('knows the runner of %s', (path, words) => {
    expect(start({ script: file(path) })).toEqual(words);
  });
});
