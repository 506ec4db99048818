import fc from 'fast-check';
import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { describe, expect, it } from 'vitest';
import { plainTree } from '../../src/shell/plain.ts';

/** A node with its computed properties, as plain data. */
function whole(node: SyntaxNode): unknown {
  const children: unknown[] = [];
  forEachChild(node, (child) => children.push(whole(child)));
  const seen = (each: SyntaxNode) => `${each.type} ${each.pos}-${each.end}`;
  const { type, pos, end } = node;
  const place = { type, pos, end, children };
  switch (node.type) {
    case 'Script':
      return { ...place, shebang: node.shebang, errors: node.errors };
    case 'Statement':
      return { ...place, background: node.background };
    case 'AndOr':
      return { ...place, operators: node.operators };
    case 'Pipeline':
      return { ...place, operators: node.operators, prefixes: node.prefixes.map(seen) };
    case 'Command':
      return {
        ...place,
        name: node.name?.text,
        ...{ prefix: node.prefix.map(seen), suffix: node.suffix.map(seen) },
        ...{ args: node.args.map(seen), redirects: node.redirects.map(({ operator }) => operator) },
      };
    case 'Word':
      return { ...place, text: node.text, value: node.value, parts: node.parts };
    default:
      return { ...place, other: JSON.stringify(node) };
  }
}

const isPlain = (script: string) => plainTree(script) !== null;

describe('the tree of plain commands', () => {
  it('is read without the parser for what most calls are', () => {
    const plain = [
      'git push',
      'npm test | tail -5; ls -la && wc -l README.md || true;',
      'git push --force-with-lease=main:abc origin HEAD\n',
      '\tcd /srv/app_2 &&  ./deploy.sh a,b +x 50% user@host:/x',
      'echo if then; ls time',
    ];
    const other = [
      ...['', ' ', '\n', ';', 'a;;b', 'a &&', '| a', 'a | | b', 'a |& b', 'a &', 'a & b', 'a\nb', 'a\r'],
      ...[
        'A=x',
        'A=x b',
        'make A=x',
        'export a=b',
        'a+=b',
        'time a',
        'ls; time a',
        'if a; then b; fi',
        '! a',
        'a | ! b',
      ],
      ...[
        'a "b"',
        "a 'b'",
        'a\\ b',
        'a $B',
        'a `b`',
        'a *',
        'a ?',
        'a [b]',
        'a {b,c}',
        'a ~',
        'a ~/b',
        'a #b',
        'a > b',
      ],
      ...[
        'a 2>&1',
        'a < b',
        '(a)',
        'a (b)',
        'a() b',
        '{ a; }',
        'a\0b',
        'a\u00a0b',
        'ä',
        'a ^b',
        'coproc a',
        'function a',
      ],
    ];
    expect({ plain: plain.filter(isPlain), other: other.filter(isPlain) }).toEqual({ plain, other: [] });
  });

  const pieces = [
    ...[
      'a',
      'git',
      'push',
      '-la',
      '--x=y',
      '-',
      '--',
      '.',
      './a',
      '..',
      ':',
      '@',
      '%',
      '%1',
      '+',
      '+x',
      ',',
      '1',
      '2',
      '_',
      'a=b',
      '=',
    ],
    ...[
      'if',
      'then',
      'elif',
      'else',
      'fi',
      'for',
      'while',
      'until',
      'do',
      'done',
      'case',
      'esac',
      'in',
      'select',
      'function',
    ],
    ...[
      'time',
      '-p',
      'coproc',
      'export',
      'declare',
      'local',
      'readonly',
      'typeset',
      'alias',
      'let',
      'eval',
      'exec',
      'test',
      'source',
    ],
    ...[
      '!',
      '[',
      ']',
      '[[',
      ']]',
      '{',
      '}',
      '(',
      ')',
      '((',
      '))',
      '#',
      '~',
      '$',
      '$a',
      '*',
      '?',
      '^',
      '\\',
      '"',
      "'",
      '`',
      '\0',
      'ä',
    ],
  ];
  const operators = [
    ' && ',
    '&&',
    ' || ',
    '||',
    ' | ',
    '|',
    '; ',
    ';',
    ' ; ',
    ' ',
    '  ',
    '\t',
    '',
    '\n',
    '&',
    ' & ',
    '<',
    '>',
    '|&',
    '\r',
  ];
  const mostly = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...operators));
  const scripts = fc.oneof(
    fc.array(mostly, { maxLength: 8 }).map((parts) => parts.flat().join('')),
    fc.string({ unit: fc.constantFrom(...'ab1=-./:@%+,_ \t;&|\n'), maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  it('is the tree of the parser', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const tree = plainTree(script);
        if (tree !== null) expect(whole(tree)).toEqual(whole(parse(script)));
      }),
      { numRuns: 5000 },
    );
  });
});
