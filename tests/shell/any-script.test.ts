import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bashOnly } from '../../src/lint/rules/shell-bash-only.ts';
import { lostFailures } from '../../src/lint/rules/shell-lost-failure.ts';
import { parseScript } from '../../src/shell/commands.ts';
import { findDangers, runsDownload } from '../../src/shell/danger.ts';
import { canFail, mayExit, setOptions } from '../../src/shell/exit-status.ts';
import { asksPerson, neverEnds } from '../../src/shell/never-ends.ts';
import { placeholders } from '../../src/shell/placeholder.ts';
import { outsideVariables } from '../../src/shell/variables.ts';

const PIECES = [
  ...['npm test', 'rm -rf "$DIR"', 'curl x', 'sh', 'echo', 'exit 1', 'set -e', 'a=$(b)', '`c \\`d\\``', '!'],
  ...[
    ';',
    '&&',
    '||',
    '|',
    '|&',
    '&',
    '\n',
    ' ',
    '(',
    ')',
    '{',
    '}',
    '$(',
    '"',
    "'",
    '`',
    '<',
    '>',
    '<<EOF\n',
  ],
  ...[
    'if',
    'then',
    'else',
    'fi',
    'for f in',
    'do',
    'done',
    'while',
    'case x in',
    'esac',
    '[[',
    ']]',
    '((',
    '))',
  ],
  ...[
    '<name>',
    '{{x}}',
    '${A:?}',
    '${B,,}',
    '$C',
    'YOUR_KEY',
    "sh -c 'a; b'",
    'sudo',
    'timeout 5',
    '#',
    '\\',
  ],
];
const script = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 15 }).map((parts) => parts.join(' ')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 15 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

it('is judged without throwing, and every place lies inside of it', () => {
  fc.assert(
    fc.property(script, (text) => {
      const parsed = parseScript(text);
      const options = setOptions(parsed);
      const places = [
        ...parsed.commands,
        ...bashOnly(parsed),
        ...runsDownload(parsed),
        ...placeholders(parsed),
        ...lostFailures(parsed),
        ...(outsideVariables(parsed) ?? []),
        ...findDangers(parsed).map(({ command }) => command),
      ];
      for (const { pos, end } of places) {
        expect(pos).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThanOrEqual(pos);
        expect(end).toBeLessThanOrEqual(text.length);
      }
      for (const command of parsed.commands) {
        for (const what of [asksPerson(command), neverEnds(command)]) expect(what).not.toBe('');
      }
      // What ends the script with a failure can fail.
      if (mayExit(parsed.tree)) expect(canFail(parsed.tree, options)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
