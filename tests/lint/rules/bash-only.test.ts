import { describe, expect, it } from 'vitest';
import { bashOnly } from '../../../src/lint/rules/shell-bash-only.ts';
import { parseScript } from '../../../src/shell/commands.ts';

const found = (script: string) => bashOnly(parseScript(script)).map(({ what }) => what);

describe('bashOnly', () => {
  it.each([
    ['[[ -f a ]] && b', ['[[ … ]]']],
    ['cmp <(a) <(b)', ['<( … )', '<( … )']],
    ['grep x <<< "$y"', ['<<<']],
    ['source env.sh', ['source']],
    ['set -euo pipefail', ['set -o pipefail']],
    ['[ a == b ]', ['== in a test']],
    ['echo "${name,,}"', ['a change of case in a variable']],
    ['files=(a b)', ['an array']],
    ['cp a.{txt,md} b', ['a brace expansion']],
    ['npm test &> log', ['&>']],
    ['a |& b', ['|&']],
    ['(( a > b ))', ['(( … ))']],
    ['function build { make; }; build', ['function']],
    ['list=a; list+=" b"', ['+=']],
    ['make >& build.log', ['>& FILE']],
    ['printf -v name %s x', ['printf -v']],
    ['sleep $RANDOM', ['$RANDOM']],
    ['sleep $((RANDOM % 5))', ['$RANDOM']],
    ['sleep $(( $RANDOM % 5 + 1 ))', ['$RANDOM']],
    ['echo "${HOSTNAME}"', ['$HOSTNAME']],
    ['case $x in a) b;;& c) d;; esac', [';;&']],
    ['x=$((x++))', ['++ in $(( … ))']],
    ['echo $[1 + 2]', ['$[ … ]']],
    ['read -p "Go? " answer', ['read -p']],
    ['trap cleanup ERR', ['trap on ERR, DEBUG or RETURN']],
  ])('knows %s', (script, expected) => {
    expect(found(script)).toEqual(expected);
  });

  it.each([
    '[ -f a ] && [ "$b" = c ]',
    'set -eu',
    '. ./env.sh',
    'bash -o pipefail -c "a | b"',
    'bash -c "[[ -f a ]]"',
    'echo "${name:-x} ${name%.md} $(( 1 + 2 ))"',
    'find . -exec wc -l {} +',
    'git show HEAD@{1}',
    'a > log 2>&1',
    'a >&2',
    'a 2>&-',
    'build() { make; }; build',
    'read -r line < file',
    'x=$((x + 1))',
    'trap cleanup EXIT',
    'printf %s x',
  ])('lets %s be', (script) => {
    expect(found(script)).toEqual([]);
  });
});
