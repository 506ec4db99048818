import { escapeForTerminal } from '../../base/escape.ts';

/** Characters that XML 1.0 can't contain, not even escaped (section 2.2). */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/**
 * Text for an attribute or an element of XML 1.0. Characters that it can't contain are shown as `U+001B`; characters that a terminal would obey
 * or hide become references.
 */
export function xml(text: string): string {
  return text
    .replace(FORBIDDEN, (char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
    .replace(/[&<>"'\t\n\r]/g, (char) => ENTITIES[char]!)
    .replace(/[^\x00-\x7e]/gu, (char) =>
      escapeForTerminal(char) === char ? char : `&#x${char.codePointAt(0)!.toString(16)};`,
    );
}
