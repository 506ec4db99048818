import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeForTerminal, escapeXml } from '../../src/base/escape.ts';

const FORBIDDEN =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180f\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\p{Cs}\p{Noncharacter_Code_Point}]/u;
const LONELY_SELECTOR = /(?<!\p{Extended_Pictographic})[\ufe00-\ufe0f](?!\u20e3)/u;

describe('escapeForTerminal', () => {
  it.each([
    ['CSI colour', '\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['OSC title', '\u001b]0;evil\u0007', '\\x1b]0;evil\\x07'],
    ['OSC 8 link ended by ST', '\u001b]8;;http://x\u001b\\t', '\\x1b]8;;http://x\\x1b\\t'],
    ['DCS', '\u001bP1$r\u001b\\', '\\x1bP1$r\\x1b\\'],
    ['APC, PM, SOS', '\u001b_a\u001b^b\u001bXc', '\\x1b_a\\x1b^b\\x1bXc'],
    ['C1 CSI, OSC, DCS, APC', '\u009b2J\u009dx\u0090y\u009fz', '\\x9b2J\\x9dx\\x90y\\x9fz'],
    ['NUL, backspace, DEL', 'a\u0000b\bc\u007f', 'a\\x00b\\x08c\\x7f'],
    ['carriage return that would overwrite', 'rm -rf /\recho hi', 'rm -rf /\\recho hi'],
    ['newline and tab', 'a\n\tb', 'a\\n\\tb'],
    ['bidi override and isolate', 'a\u202eb\u2066c\u2069\u061c', 'a\\u{202e}b\\u{2066}c\\u{2069}\\u{61c}'],
    ['zero width', 'a\u200bb\u200cc\u2060d\ufeff', 'a\\u{200b}b\\u{200c}c\\u{2060}d\\u{feff}'],
    ['soft hyphen', 'a\u00adb', 'a\\xadb'],
    ['tag characters', 'a\u{e0041}\u{e007f}', 'a\\u{e0041}\\u{e007f}'],
    ['variation selectors supplement', 'a\u{e0100}\u{e01ef}', 'a\\u{e0100}\\u{e01ef}'],
    ['line and paragraph separator', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['lone surrogates', 'a\ud800b\udc00', 'a\\u{d800}b\\u{dc00}'],
    ['noncharacters', 'a\uffff\ufffe\ufdd0\u{1fffe}', 'a\\u{ffff}\\u{fffe}\\u{fdd0}\\u{1fffe}'],
    ['blank fillers', 'a\u3164\u115f\uffa0', 'a\\u{3164}\\u{115f}\\u{ffa0}'],
    ['joined emoji', '👩\u200d💻', '👩\\u{200d}💻'],
    ['selector behind a letter', 'a\ufe0f', 'a\\u{fe0f}'],
    ['second selector in a row', '⚠\ufe0f\ufe0f', '⚠\ufe0f\\u{fe0f}'],
  ])('%s', (_name, text, expected) => {
    expect(escapeForTerminal(text)).toBe(expected);
  });

  it.each(['plain', 'Grüße, 日本語, العربية, עברית', '⚠\ufe0f 1\ufe0f\u20e3 🎉 🇩🇪', '\\x1b', 'e\u0301', ''])(
    'leaves %j alone',
    (text) => {
      expect(escapeForTerminal(text)).toBe(text);
    },
  );

  it('keeps newlines and tabs when asked, carriage returns never', () => {
    expect(escapeForTerminal('a\r\n\tb', { keepNewlines: true })).toBe('a\\r\n\\tb');
    expect(escapeForTerminal('a\r\n\tb', { keepTabs: true })).toBe('a\\r\\n\tb');
    expect(escapeForTerminal('a\r\n\tb', { keepNewlines: true, keepTabs: true })).toBe('a\\r\n\tb');
  });

  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.oneof(
        fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
        fc.constantFrom(
          '\u001b[2J',
          '\u202e',
          '\u200d',
          '\ufe0f',
          '❤',
          '1',
          '\u20e3',
          '\u{e0061}',
          '\ud83d',
          'a',
        ),
      ),
    }),
  );

  it('never lets such a character through', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = escapeForTerminal(text);
        expect(shown).not.toMatch(FORBIDDEN);
        expect(shown).not.toMatch(LONELY_SELECTOR);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps only the characters that it was asked to keep', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = escapeForTerminal(text, { keepNewlines: true, keepTabs: true });
        expect(shown.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(FORBIDDEN);
      }),
      { numRuns: 300 },
    );
  });

  it('is the identity on text without any, and so on its own result', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = escapeForTerminal(text);
        expect(escapeForTerminal(shown)).toBe(shown);
        if (!FORBIDDEN.test(text) && !/[\ufe00-\ufe0f]/.test(text)) expect(shown).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe('escapeXml', () => {
  it('returns only characters that XML 1.0 can contain', () => {
    expect(escapeXml('<a b="c" d=\'e\'>&\n\t\r\u0000\uffff\u202e')).toBe(
      '&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;&#10;&#9;&#13;U+0000U+FFFF&#x202e;',
    );
    expect(escapeXml('a\n\tb\r', { keepNewlines: true, keepTabs: true })).toBe('a\n\tb&#13;');
  });
});
