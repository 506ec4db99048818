import { problemRule } from '../problem-rule.ts';
import { fenceAround } from './support/blocks.ts';
import { chain, commentBlock, shellBlock, step } from './support/example.ts';

/** Unknown keys. */
export const blockUnknownKey = problemRule('block-unknown-key', {
  family: 'block',
  severity: 'error',
  summary: 'A step block contains only known keys.',
  why: 'An unknown key is usually a slip, and its value would be ignored silently: `timeout` instead of `timeout_seconds` is a command without its limit.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'A key by nearly the right name',
      source: chain(
        'Release',
        step('Test', 'Test it.', {
          proof_of_work: { type: 'shell', shell: { cmd: 'npm test', timeout_second: 60 } },
        }),
      ),
      findings: [{ line: 8, column: 66 }],
      fixed: chain('Release', step('Test', 'Test it.', shellBlock('npm test'))),
    },
    {
      title: 'A misspelt proof_of_work',
      source: chain(
        'Release',
        step('Test', 'Test it.', { 'proof-of-work': { type: 'comment', comment: { min_length: 40 } } }),
      ),
      findings: [{ line: 8, column: 2 }],
      fixed: chain('Release', step('Test', 'Test it.', commentBlock(40))),
    },
    {
      title: 'In YAML',
      source: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n  coment:\n    min_length: 40\n```',
        ),
      ),
      findings: [{ line: 10, column: 3 }],
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n  comment:\n    min_length: 40\n```',
        ),
      ),
    },
    {
      title: 'Keys of a JSON Schema and of arguments are the author’s own',
      source: chain(
        'Release',
        step('Test', 'Call it.', {
          proof_of_work: {
            type: 'mcp',
            mcp: { tool_name: 'read', arguments: { any: 1 }, result_schema: { 'x-own': true } },
          },
        }),
      ),
      findings: [],
    },
  ],
  fix({ place, args: { key, suggestion } }, { source }) {
    const range: [number, number] = [place.start.offset, place.end.offset];
    const written = source.slice(...range);
    const quote = /^["']/.exec(written)?.[0] ?? '';
    const [start, end] = fenceAround(source, range[0]);
    // Two keys of one name would be worse.
    if (new RegExp(`\\b${suggestion}["']?\\s*:`).test(source.slice(start, end))) return undefined;
    if (suggestion === undefined || written !== `${quote}${key}${quote}`) return undefined;
    return { range, replacement: `${quote}${suggestion}${quote}`, safe: false };
  },
});
