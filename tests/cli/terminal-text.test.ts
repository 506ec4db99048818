import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeForTerminal, escapeJson } from '../../src/base/escape.ts';
import { gate, terminalJson } from '../../src/cli/output.ts';

const unicode = fc.string({ unit: 'binary', maxLength: 40 });

describe('gate', () => {
  it('lets colours through only when there are colours', () => {
    expect(gate('\x1b[31mred\x1b[39m', true)).toBe('\x1b[31mred\x1b[39m');
    expect(gate('\x1b[31mred\x1b[39m', false)).toBe('\\x1b[31mred\\x1b[39m');
  });

  it('lets no other sequence through', () => {
    expect(gate('\x1b]0;title\x07\x1b[2Ja\rb\tc\n', true)).toBe('\\x1b]0;title\\x07\\x1b[2Ja\\rb\tc\n');
    expect(gate('\u202egnp.exe', true)).toBe('\\u{202e}gnp.exe');
  });

  it('contains no hidden character for any input', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        const shown = gate(text, true).replace(/\x1b\[[\d;]*m/g, '');
        expect(escapeForTerminal(shown, { keepNewlines: true, keepTabs: true })).toBe(shown);
      }),
      { numRuns: 200 },
    );
  });
});

describe('terminalJson', () => {
  it('writes what is hidden as escapes of JSON', () => {
    expect(terminalJson({ a: '\u202e\x7f\u{e0041}\x1b' })).toBe(
      '{"a":"\\u202e\\u007f\\udb40\\udc41\\u001b"}',
    );
  });

  it('keeps the value, in one line that hides nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const json = terminalJson(value);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toContain('\n');
        // Pictographs keep their selectors apart: what stands alone is escaped, so nothing is left to hide.
        expect([...json].map((char) => escapeForTerminal(char)).join('')).toBe(json);
      }),
      { numRuns: 200 },
    );
  });
});

describe('escapeJson', () => {
  it('leaves the breaks between lines of JSON', () => {
    expect(escapeJson('{"a":"é"}\n{"b":"\u200b"}\n')).toBe('{"a":"é"}\n{"b":"\\u200b"}\n');
  });
});
