import fc from 'fast-check';
import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { describe, expect, it } from 'vitest';
import { plainTree } from '../../src/shell/plain.ts';

/** A tree as plain data, each command with what is computed from it. */
function whole(node: SyntaxNode): unknown {
  const computed: unknown[] = [];
  const visit = (each: SyntaxNode) => {
    if (each.type === 'Command') computed.push({ args: each.args, redirects: each.redirects });
    forEachChild(each, visit);
  };
  visit(node);
  return JSON.parse(JSON.stringify({ node, computed }));
}

/** Commands are compared by their data, with its order; words only by their value or text. */
const dataOf = (node: SyntaxNode) =>
  JSON.stringify(node, (key, value) => (key === 'parts' ? undefined : value));

const isPlain = (script: string) => plainTree(script) !== null;

describe('the tree of plain commands', () => {
  it('is read without the parser for what most calls are', () => {
    const plain = [
      'git push',
      'npm test | tail -5; ls -la && wc -l README.md || true;',
      'git push --force-with-lease=main:abc origin HEAD\n',
      '\tcd /srv/app_2 &&  ./deploy.sh a,b +x 50% user@host:/x',
      'echo if then; ls time',
      'npm run build > out.log 2>&1 && tail "$HOME/x y" ~/z &>> "${LOG}" </dev/null',
      'A=x B="y z" npm test -- --name=\'a $b\' \\( "a\\"b" ${C}x$D\\;',
      '#!/bin/sh\n# a comment\n\nset -eu # more\nexport A=x PATH="$PATH:y"\n\nls *.ts src/?.ts |\n  xargs -n1 echo \\\n  b &&\n# and\n d\n',
      'ls "$HOME" && npm test "" $1 $? "$@"',
      'ls "$(pwd)" && npm test',
      'a\\\r',
      'A=$(git rev-parse HEAD) B="x $(ls $C | wc -l)y" a$(b; c)d > $(e)\ncd "$(git rev-parse --show-toplevel)"',
    ];
    const lists = [
      '',
      ' ',
      '\n',
      ';',
      'a;;b',
      'a &&',
      '| a',
      'a | | b',
      'a |& b',
      'a &',
      'a & b',
      'a\n;b',
      'a\r',
    ];
    const words = [
      'time a',
      'ls; time a',
      'A=x if',
      'if a; then b; fi',
      '! a',
      'a | ! b',
      'a+=b',
      '"a"=b',
      'a[1]=b',
    ];
    const signs = [
      'a `b`',
      'a [b]',
      'a {b,c}',
      'a $(b "c")',
      'a "$(b "c")"',
      'a $(b $(c))',
      'a $()',
      'a $(b\n# c\n)',
      'a $((1))',
      'a "$(b &)"',
      'a $(if b)',
      "a $'b'",
      'a "b',
      "a 'b",
      'a "b"#c',
      'a \\',
    ];
    const marks = ['a <<b', 'a <<<b', 'a 22>b', 'a >', 'a <(b)', 'a >|b', '(a)', 'a (b)', 'a() b', '{ a; }'];
    const others = [
      'a\0b',
      'a\u00a0b',
      'ä',
      'coproc a',
      'function a',
      'a "${b:-c}"',
      'a ${#b}',
      'a b\\\nc',
      'a=(b)',
    ];
    const other = [...lists, ...words, ...signs, ...marks, ...others];
    expect({ plain: plain.filter(isPlain), other: other.filter(isPlain) }).toEqual({ plain, other: [] });
    for (const script of plain) expect(whole(plainTree(script)!)).toEqual(whole(parse(script)));
  });

  const words = 'a git push -la --x=y - -- . ./a .. : @ %1 + +x , 1 2 _ a=b = a= _=1 A=$a a+=b 1=2 -a=b';
  const reserved =
    'if then elif else fi for while until do done case esac in select function time -p coproc export declare local readonly ' +
    'typeset alias let eval exec test source';
  const signs =
    '! [ ] [[ ]] { } {} ( ) (( )) # ~ $ $a $1 $@ $* $# $? $$ ${a} ${a ${1} * ** ? ^ \\ \\a \\" \\; " \' `';
  const redirections = '> >> < 2> 2>&1 >&2 <&3 &> &>> >| <> << <<< 12> >& >&-';
  const quoted = [
    `''`,
    `'a b'`,
    `'$a'`,
    '""',
    '"a b"',
    '"$a b"',
    '"${a}b$1"',
    '"\\$a\\""',
    '"a\\b"',
    '"*"',
    '"!"',
    '"$"',
    '$(a)',
    '"$(a b)"',
    '$(git log | a)x',
    '"a$(a >b;$c)"',
    '$(<a)',
    '"$(A=b)"',
    '$( a\n)',
  ];
  const pieces = [words, reserved, signs, redirections]
    .flatMap((text) => text.split(' '))
    .concat(quoted, '\0', 'ä');
  const blanks = [' ', '  ', '\t', '', ' \\\n', '\\\n', '\n', ' # c\n', '\n# c\n'];
  const operators = [
    ' && ',
    '&&',
    ' || ',
    '||',
    ' | ',
    '|',
    '; ',
    ';',
    '&',
    ' & ',
    '<',
    '>',
    '|&',
    '\r',
    ...blanks,
  ];
  const mostly = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...blanks, ...operators));
  const scripts = fc.oneof(
    fc.array(mostly, { maxLength: 8 }).map((parts) => parts.flat().join('')),
    fc.string({ unit: fc.constantFrom(...'ab1=-./:@%+,_ \t;&|\n#~^*?<>$"\'\\{}()'), maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  it('is the tree of the parser', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const tree = plainTree(script);
        if (tree === null) return;
        expect(whole(tree)).toEqual(whole(parse(script)));
        expect(dataOf(tree)).toBe(dataOf(parse(script)));
      }),
      { numRuns: 5000 },
    );
  });
});
