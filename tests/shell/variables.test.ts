import { describe, expect, it } from 'vitest';
import { parseScript } from '../../src/shell/commands.ts';
import { outsideVariables } from '../../src/shell/variables.ts';

const names = (script: string) => outsideVariables(parseScript(script))?.map(({ name }) => name) ?? null;

describe('outsideVariables', () => {
  it.each([
    ['test -n "$TARGET" && deploy "$TARGET"', ['TARGET']],
    ['echo ${A} ${B:-x} ${C:?no} ${D#pre}', ['A', 'C', 'D']],
    ['version=$(cat V) && echo "$version"', []],
    ['A=1 sh -c "echo \\$B"', ['B']],
    ["sh -c 'echo $OTHER'", ['OTHER']],
    ["echo '$QUOTED' \\$ESCAPED", []],
    ['for f in *; do echo "$f"; done', []],
    ['while read -r line; do echo "$line"; done < f', []],
    ['echo $? $1 $@ $$ $PWD', []],
    ['cat <<EOF\n$NAME\nEOF', ['NAME']],
    ["cat <<'EOF'\n$NAME\nEOF", []],
    ["awk '{ print $1, $NF }' f", []],
    ['export TOKEN && use $TOKEN', ['TOKEN']],
    ['echo $((COUNT + 1)) $(( $SIZE * 2 ))', ['COUNT', 'SIZE']],
    ['n=1; n=$((n + 1)); echo $((i = 0, i += n)) $((RANDOM % 5))', []],
    ['for ((i = 0; i < LAST; i++)); do echo "$i"; done', ['LAST']],
    ['echo $((a[1] + 0x1F))', []],
  ])('of %s', (script, expected) => {
    expect(names(script)).toEqual(expected);
  });

  it("can't be known when another script is read", () => {
    expect(names('. ./.env && echo $A')).toBeNull();
    expect(names('eval "$x"')).toBeNull();
  });
});
