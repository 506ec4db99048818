interface EscapeOptions {
  /** Keeps `\n`, for text that spans lines. `\r` is still escaped. */
  keepNewlines?: boolean;
  /** Keeps `\t`. */
  keepTabs?: boolean;
}

/**
 * Escapes text from a chain, a command or a file name before a terminal shows it (SPEC 8). Characters that a
 * terminal would execute or hide become visible escapes: controls (C0, DEL, C1, and with them every CSI, OSC,
 * DCS, APC, PM and SOS sequence) as `\x1b`, `\r`, `\n`, `\t`; bidi controls, zero-width and other
 * default-ignorable characters, tags, variation selectors, line and paragraph separators, lone surrogates and
 * noncharacters as `\u{202e}`. Other text is returned unchanged.
 *
 * Zero-width joiners are escaped even inside emoji: a family shows as its members, which is ugly and safe.
 * The emoji and text variation selectors (U+FE0E, U+FE0F) stay only directly after a pictograph, or within a
 * keycap like `1️⃣`.
 */
export function escapeForTerminal(text: string, options: EscapeOptions = {}): string {
  if (!HIDDEN.test(text)) return text;
  return text.replace(HIDDEN_ALL, (char) => {
    if (char === '\n') return options.keepNewlines ? char : '\\n';
    if (char === '\t') return options.keepTabs ? char : '\\t';
    if (char === '\r') return '\\r';
    const code = char.codePointAt(0) as number;
    const hex = code.toString(16);
    return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
  });
}

/**
 * `Cs` matches only lone surrogates because the pattern reads code points. U+FFF9-FFFB are hidden
 * annotations.
 */
const HIDDEN_SET = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u{fff9}-\u{fffb}]`;
const EMOJI_SELECTOR = String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)`;
const HIDDEN = new RegExp(`(?!${EMOJI_SELECTOR})${HIDDEN_SET}`, 'u');
const HIDDEN_ALL = new RegExp(HIDDEN, 'gu');

/** Characters that XML 1.0 can't contain, not even escaped (section 2.2). */
const FORBIDDEN_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
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
export function escapeXml(text: string, options: EscapeOptions = {}): string {
  return text
    .replace(
      FORBIDDEN_IN_XML,
      (char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`,
    )
    .replace(/[&<>"'\t\n\r]/g, (char) => {
      const isKept = (char === '\n' && options.keepNewlines) || (char === '\t' && options.keepTabs);
      return isKept ? char : ENTITIES[char]!;
    })
    .replace(/[^\x00-\x7e]/gu, (char) =>
      escapeForTerminal(char) === char ? char : `&#x${char.codePointAt(0)!.toString(16)};`,
    );
}

/** JSON text in which characters that a terminal would obey or hide are `\uXXXX` escapes. The value stays the same. */
export function escapeJson(json: string): string {
  return json.replace(/[^\x00-\x7e]/gu, (char) => (escapeForTerminal(char) === char ? char : asUnits(char)));
}

function asUnits(char: string): string {
  return Array.from({ length: char.length }, (_, at) => {
    return `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

/**
 * Copies a text into separate memory. V8 keeps a whole text alive for any slice of it, so copy what outlives
 * the source. A lone surrogate isn't preserved.
 */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}

/** The text of UTF-8 bytes, its byte order mark included; null for other bytes. */
export function strictUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** UTF-16 code units in one slice. */
const SLICE = 1024;

/**
 * The result of `segmenter.segment(text)` (Unicode Standard Annex 29) in linear time. Intl.Segmenter alone is
 * quadratic and needs minutes for 1 MiB. Grapheme clusters are identical. Words that are found by dictionary
 * may be split differently once in 1024 units of text without another boundary.
 */
export function* segmentsOf(
  segmenter: Intl.Segmenter,
  text: string,
): Generator<Pick<Intl.SegmentData, 'segment' | 'isWordLike'>> {
  let size = SLICE;
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start + size);
    const segments = [...segmenter.segment(text.slice(start, end))];
    // The last segment may continue past the slice.
    if (end < text.length) segments.pop();
    if (segments.length === 0) {
      size *= 2;
      continue;
    }
    for (const segment of segments) {
      yield segment;
      start += segment.segment.length;
    }
    size = SLICE;
  }
}

let graphemes: Intl.Segmenter | undefined;

/** The grapheme clusters of a text. The first segmenter of a process needs 16 ms, so it is made for the first text. */
export function graphemesOf(text: string): ReturnType<typeof segmentsOf> {
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return segmentsOf(graphemes, text);
}

/** Never between the halves of a surrogate pair: what follows half of one is always a boundary. */
function sliceEnd(text: string, end: number): number {
  const isHigh = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return Math.min(isHigh ? end + 1 : end, text.length);
}
