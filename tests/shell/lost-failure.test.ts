import { describe, expect, it } from 'vitest';
import { lostFailures } from '../../src/lint/rules/shell-lost-failure.ts';
import { parseScript } from '../../src/shell/commands.ts';

const lost = (script: string) =>
  lostFailures(parseScript(script)).map(({ by, pos, end, decidedBy }) => [
    by,
    script.slice(pos, end),
    decidedBy,
  ]);

describe('a list', () => {
  it.each([
    ['npm ci; npm test', ['list', 'npm ci', 'npm']],
    ['cd build\nmake', ['list', 'cd build', 'make']],
    ['(cd a; make)', ['list', 'cd a', 'make']],
    ['for d in a b; do cd $d; make; done', ['list', 'cd $d', 'make']],
    ['if true; then npm ci; npm test; fi', ['list', 'npm ci', 'npm']],
    ['bash -c "npm ci; npm test"', ['list', 'bash -c "npm ci; npm test"', 'npm']],
  ])('loses a failure: %s', (script, finding) => {
    expect(lost(script)).toEqual([finding]);
  });

  it.each([
    'npm ci && npm test',
    'set -e; npm ci; npm test',
    'set -eu\nnpm ci\nnpm test',
    'bash -ec "npm ci; npm test"',
    'echo start; npm test',
    'version=1.2.3; npm test',
    'npm ci || exit 1; npm test',
    'npm test || { echo broken; exit 1; }; npm run build',
    '[ -f out ] && rm out; npm test',
    'rm -f out; npm test',
    'npm test; status=$?; docker compose down; exit $status',
    'for i in 1 2 3; do curl -f localhost && break; sleep 2; done',
    'while read -r line; do echo "$line"; done < list',
    'x=$(date); echo "$x"',
    'if npm test; then echo fine; fi',
    'server & npm test',
  ])('is careful or harmless: %s', (script) => {
    expect(lost(script)).toEqual([]);
  });

  it('reports where `&&` could be', () => {
    const [separator] = lostFailures(parseScript('npm ci ; npm test')).map((found) => found.separator);
    expect(separator).toEqual([6, 8]);
    expect(lostFailures(parseScript('npm ci; npm test || true'))[0]?.separator).toBeNull();
    expect(lostFailures(parseScript('npm ci; server &'))[0]?.separator).toBeNull();
  });
});

describe('a pipe', () => {
  it.each([
    ['npm test | tee log', ['pipe', 'npm test', 'tee']],
    ['npm test 2>&1 | tail -20', ['pipe', 'npm test 2>&1', 'tail']],
    ['curl -f http://localhost | jq .status', ['pipe', 'curl -f http://localhost', 'jq']],
  ])('loses a failure: %s', (script, finding) => {
    expect(lost(script)).toEqual([finding]);
  });

  it.each([
    'bash -o pipefail -c "npm test | tee log"',
    'set -o pipefail; npm test | tee log',
    'curl -f http://localhost | jq -e .ok',
    'git status --porcelain | grep -q package.json',
    'ls | wc -l',
    'latest=$(git tag | tail -1) && test -n "$latest"',
    'npm ls --json | node check.js',
    "kubectl get pods | awk '/Error/ {exit 1}'",
  ])('is careful or harmless: %s', (script) => {
    expect(lost(script)).toEqual([]);
  });
});
