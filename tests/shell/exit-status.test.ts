import { describe, expect, it } from 'vitest';
import { parseScript } from '../../src/shell/commands.ts';
import { canFail, setOptions } from '../../src/shell/exit-status.ts';

const fails = (script: string) => {
  const parsed = parseScript(script);
  return canFail(parsed.tree, setOptions(parsed));
};

describe('canFail', () => {
  it.each([
    'echo ok',
    'true',
    ':',
    'npm test || true',
    'npm test; echo done',
    'npm test || echo failed',
    'npm test; exit 0',
    '# npm test',
    '',
    'export TOKEN=$(get-token)',
    'if npm test; then echo good; else echo bad; fi',
    'npm test &',
    'echo a && echo b',
    'for f in *; do echo "$f"; done',
    'npm test | true',
    'f() { npm test; }',
  ])('is false: %s', (script) => {
    expect(fails(script)).toBe(false);
  });

  it.each([
    'npm test',
    'echo ok && npm test',
    'test -f a || { echo missing; exit 1; }',
    'npm test || exit 1; echo done',
    'set -e; npm test; echo done',
    'echo "${TARGET:?set it}"',
    'echo x > /etc/motd',
    '! grep -q TODO file',
    'version=$(cat VERSION)',
    'until curl -f localhost; do sleep 1; done',
    'if npm test; then echo good; else exit 1; fi',
    'case $x in a) exit 1;; *) echo fine;; esac',
    'set -o pipefail; npm test | tee log | true',
    '[[ -f a ]]',
    '(exit 3)',
  ])('is true: %s', (script) => {
    expect(fails(script)).toBe(true);
  });
});
