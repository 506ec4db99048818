import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../../.ci/run', import.meta.url));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kairos-ci-'));
  mkdirSync(join(root, '.ci'));
  cpSync(RUN, join(root, '.ci/run'));
  mkdirSync(join(root, 'tmp'));
  mkdirSync(join(root, 'bin'));
  for (const name of ['npm', 'npx', 'node', 'python3', 'apt-get']) {
    writeFileSync(join(root, 'bin', name), PROGRAM);
    chmodSync(join(root, 'bin', name), 0o755);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Notes its call. One that matches STAYS goes on until it is ended, and the failing one waits until that one is there. */
const PROGRAM = `#!/bin/bash
call="\${0##*/} $*"
echo "$call" >>"$ROOT/calls"
echo "output of $call"
if [ -n "$STAYS" ] && [[ "$call" == *"$STAYS"* ]]; then
  mkfifo "$ROOT/never"
  echo $$ >"$ROOT/stays.new" && mv "$ROOT/stays.new" "$ROOT/stays"
  read -r <"$ROOT/never"
fi
if [ -n "$FAILS" ] && [[ "$call" == *"$FAILS"* ]]; then
  until [ -z "$STAYS" ] || [ -e "$ROOT/stays" ]; do sleep 0.01; done
  exit 7
fi
exit 0
`;

function run({ fails = '', stays = '' } = {}) {
  const env = {
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    TMPDIR: join(root, 'tmp'),
    ROOT: root,
    FAILS: fails,
    STAYS: stays,
  };
  const { status, stdout, stderr } = spawnSync('bash', [join(root, '.ci/run')], { env, encoding: 'utf8' });
  const calls = readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n');
  return { status, stdout, stderr, calls };
}

function isThere(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

const STEPS = [
  'npm ci --no-audit --no-fund',
  'npm run --silent typecheck',
  'npm run --silent lint',
  'npm run --silent boundaries',
  'npm run --silent unused',
  'npm run --silent prose',
  'npm run --silent docs',
  'node scripts/test-on-node.mjs 22 --get',
  'node scripts/test-on-node.mjs 24 --get',
  'npx --no-install vitest run --project process tests/process/package.test.ts',
  'npm test',
  'npx --no-install vitest run --project process --exclude tests/process/package.test.ts',
  'node scripts/test-on-node.mjs 22 --project unit',
  'node scripts/test-on-node.mjs 24 --project unit --project spawn',
];

describe.runIf(process.platform !== 'win32')('.ci/run', () => {
  it('goes through every step, and shows what each printed', () => {
    const { status, stdout, stderr, calls } = run();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(calls).toEqual(expect.arrayContaining(STEPS));
    expect(calls.slice(-4)).toEqual(STEPS.slice(-4));
    for (const call of STEPS) expect(stdout.split('\n')).toContain(`output of ${call}`);
  });

  it.each(STEPS)('fails when this fails, and shows its output: %s', (fails) => {
    const { status, stdout, stderr } = run({ fails });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/: failed with exit code 7\n$/),
    });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`output of ${fails}`);
  });

  it('leaves nothing running and no file when a step fails', async () => {
    const { status } = run({ fails: 'lint', stays: 'typecheck' });
    expect(status).toBe(1);
    const id = Number(readFileSync(join(root, 'stays'), 'utf8'));
    // An ended process keeps its number until the first process of the system has read its end.
    await expect.poll(() => isThere(id), { timeout: 60_000 }).toBe(false);
    expect(readdirSync(join(root, 'tmp'))).toEqual([]);
  });
});
