import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../src/protocol/block/yaml.ts';
import { plainYaml } from '../../../src/protocol/frontmatter.ts';
import { runs } from '../../support/thorough.ts';

const RUNS = { numRuns: runs(300) };

const LINES = [
  ...[
    'proof_of_work:',
    'type: comment',
    'type: shell',
    'comment:',
    'shell:',
    'min_length: 40',
    'cmd: npm test',
  ],
  ...[
    'cmd: "make x && test -s y"',
    'cmd: \'echo "a"\'',
    'cmd: a: b',
    'cmd: a #b',
    'cmd: "a\\nb"',
    'cmd: |',
    'env:',
  ],
  ...[
    '- PATH',
    'env: [A, B]',
    'required: false',
    'required: yes',
    'a: 007',
    'a: 1.5',
    'a: 1e3',
    'a: ~',
    'a: null',
  ],
  ...[
    '',
    '# comment',
    '---',
    '...',
    'a:  two',
    'a: b ',
    'a:b',
    'type: True',
    'a: "x" y',
    "a: ''",
    'a: ""',
    'a: 2024-01-01',
  ],
  ...[
    'a: 0',
    'a: 999999999',
    'a: 1.2.3',
    'a: -1',
    'text',
    '<<: a',
    '? a',
    'a: &x y',
    'a: *x',
    'a: !t y',
    'a: %b',
    'a: @b',
  ],
];

const document = fc
  .array(fc.tuple(fc.constantFrom('', '', '  ', '  ', '    ', '   '), fc.constantFrom(...LINES)), {
    maxLength: 7,
  })
  .map((lines) => lines.map(([indent, line]) => indent + line).join('\n'));

/** Nested as step blocks are, each line with a fair chance of being right. */
const likely = fc
  .tuple(...Array.from({ length: 4 }, () => fc.constantFrom(...LINES)))
  .map(([a, b, c, d]) => `proof_of_work:\n  ${a}\n  shell:\n    ${b}\n    ${c}\n${d}`);

/** Nothing doubled and nothing out of place: most of these are plain. */
const right = fc
  .uniqueArray(fc.tuple(fc.constantFrom('cmd', 'type', 'required', 'title'), fc.constantFrom(...LINES)), {
    selector: ([key]) => key,
    minLength: 1,
  })
  .map((pairs) => {
    const lines = pairs.map(([key, line]) => `    ${key}: ${/^\w+: (.+)$/.exec(line)?.[1] ?? 'x'}`);
    return `proof_of_work:\n  shell:\n${lines.join('\n')}`;
  });

describe('plainYaml', () => {
  it('returns the same as YAML, or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(document, likely, right), (text) => {
        const value = plainYaml(text);
        if (value === null) return;
        const reading = readYaml(text);
        expect('value' in reading ? reading.value : reading).toEqual(value);
      }),
      RUNS,
    );
  });

  it('reads a step block', () => {
    const text =
      'proof_of_work:\n  type: shell\n  shell:\n    cmd: "npm test && npm run build"\n    timeout_seconds: 60\n\n  required: false\n';
    expect(plainYaml(text)).toEqual({
      proof_of_work: {
        type: 'shell',
        shell: { cmd: 'npm test && npm run build', timeout_seconds: 60 },
        required: false,
      },
    });
  });

  it.each([
    '',
    '\n',
    'a:',
    'a:\nb: c',
    'a: b\n  c: d',
    'a: b\na: c',
    '  a: b',
    'a: [b]',
    'a: - b',
    'a:\n\tb: c',
  ])('leaves %j to YAML', (text) => {
    expect(plainYaml(text)).toBeNull();
  });
});
