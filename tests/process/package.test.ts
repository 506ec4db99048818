import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'kairos-package-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** An environment without what npm set for the tests: the program looks at it to see how it was called. */
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
const env = {
  ...clean,
  PATH: [dirname(process.execPath), ...(process.env.PATH ?? '').split(':')]
    .filter((folder) => !folder.endsWith('node_modules/.bin'))
    .join(':'),
  HOME: root,
  KAIROS_DATA_DIR: join(root, 'data'),
  KAIROS_CONFIG_DIR: join(root, 'config'),
  npm_config_cache: join(root, 'cache'),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_offline: 'true',
};

function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    ...options,
  });
  expect({ command, args, status, stderr }).toMatchObject({ command, args, status: 0 });
  return stdout;
}

function folder(name: string): string {
  const path = join(root, name);
  // A second try begins anew.
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  return path;
}

const EMPTY = 'No protocols yet. Store one with: ';

describe('the packed package', () => {
  let tarball: string;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

  beforeAll(() => {
    run('npm', ['pack', '--ignore-scripts', '--pack-destination', root], { cwd: ROOT });
    tarball = join(root, readdirSync(root).find((name) => name.endsWith('.tgz'))!);
  });

  it('is one package of at most 45 MB when it is installed, with a man page', () => {
    const prefix = folder('global');
    run('npm', ['install', '--global', '--prefix', prefix, tarball]);
    const modules = join(prefix, 'lib/node_modules');
    expect(readdirSync(modules)).toEqual(['kairos-protocols']);
    expect(readdirSync(join(modules, 'kairos-protocols'))).not.toContain('node_modules');
    const [kilobytes] = run('du', ['-sk', modules]).split('\t');
    expect(Number(kilobytes)).toBeLessThan(45 * 1024);
    expect(existsSync(join(prefix, 'share/man/man1/kairos.1'))).toBe(true);
  });

  it('runs as kairos after a global installation', () => {
    expect(run('node', ['--version'])).toBe(`${process.version}\n`);
    const bin = join(root, 'global/bin');
    const onPath = { ...env, PATH: `${bin}:${env.PATH}` };
    expect(run('kairos', ['--version'], { env: onPath })).toBe(`${version}\n`);
    expect(run('kairos', ['list'], { env: onPath })).toContain(`${EMPTY}kairos mint FILE`);
    expect(run(join(bin, 'kairos'), ['list'])).toContain(`${EMPTY}node ${join(bin, 'kairos')} mint FILE`);
  });

  it('runs through npx and npm exec, and prints commands for them', () => {
    const empty = folder('empty');
    const hint = `${EMPTY}npx file:${tarball} mint FILE`;
    expect(run('npx', ['--yes', `file:${tarball}`, 'list'], { cwd: empty })).toContain(hint);
    expect(
      run('npm', ['exec', '--yes', '--package', tarball, '--', 'kairos', 'list'], { cwd: empty }),
    ).toContain(hint);
  });

  it('runs as a dependency of a project', () => {
    const project = folder('project');
    const scripts = { list: 'kairos list' };
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, scripts }));
    run('npm', ['install', tarball], { cwd: project });
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'kairos-protocols',
    ]);
    // `npx kairos-protocols` finds this installation only from the project; the path works from everywhere.
    const hint = `${EMPTY}node ${join(project, 'node_modules/.bin/kairos')} mint FILE`;
    expect(run('npx', ['kairos-protocols', 'list'], { cwd: project })).toContain(hint);
    expect(run('npm', ['run', '--silent', 'list'], { cwd: project })).toContain(hint);
    const library = "import('kairos-protocols').then((module) => console.log(typeof module.parseProtocol))";
    expect(run('node', ['--eval', library], { cwd: project })).toBe('function\n');
  });

  it('runs a protocol that it ships', () => {
    const shipped = join(root, 'project/node_modules/kairos-protocols/protocols');
    const file = join(shipped, 'verify-fresh-install.md');
    const kairos = join(root, 'global/bin/kairos');
    const { digest } = JSON.parse(run(kairos, ['show', file, '--json'])).chains[0];
    const answers = join(shipped, 'verify-fresh-install.answers.yaml');
    const output = run(kairos, ['run', file, '--answers', answers, '--trust', digest]);
    expect(output).toContain('Run sealed with outcome success.');
    run(kairos, ['verify', 'latest']);
  });
});

// The last commit, with what the build needs from the npm cache or the registry.
describe.runIf(existsSync(join(ROOT, '.git')))('a git address', () => {
  const online = { ...env, npm_config_offline: 'false', npm_config_prefer_offline: 'true' };
  const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();

  it.each([
    ['a global installation', ['--global', '--prefix', join(root, 'from-git')], 'from-git/bin/kairos'],
    ['a project', ['--prefix', join(root, 'git-project')], 'git-project/node_modules/.bin/kairos'],
  ])('installs into %s', { timeout: 600_000 }, (_, where, bin) => {
    run('npm', ['install', ...where, `git+file://${ROOT.replace(/\/$/, '')}`], {
      env: { ...online, npm_config_cache: cache },
    });
    expect(run(join(root, bin), ['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run(join(root, bin), ['list', '--json'])).toContain('"chains":[');
  });
});
