/** SASLprep (RFC 4013): normalizes passwords that look alike, as ISO 32000-2, 7.6.4.3.3 requires for revision 6. */

/** RFC 3454, table C.1.2: spaces other than U+0020. */
const SPACES = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu;

/** RFC 3454, table B.1: characters mapped to nothing, such as soft hyphens and variation selectors. */
const NOTHING = /\u034f|[\u00ad\u1806\u200b-\u200d\u2060\ufeff]|[\u180b-\u180d]|[\ufe00-\ufe0f]/gu;

/** RFC 3454, tables C.2.1 to C.9, prohibited characters: controls, private use, surrogates, tags, direction marks. */
const PROHIBITED = new RegExp(
  `[${[
    "\\p{Cc}\\p{Co}\\p{Cs}\\p{Noncharacter_Code_Point}",
    "\\u06dd\\u070f\\u180e\\u200c-\\u200f\\u2028-\\u202e\\u2060-\\u2063\\u206a-\\u206f",
    "\\u0340\\u0341\\u2ff0-\\u2ffb\\ufff9-\\ufffd",
    "\\u{1d173}-\\u{1d17a}\\u{e0001}\\u{e0020}-\\u{e007f}",
  ].join("")}]`,
  "u",
);

/**
 * The prepared text, or undefined if it contains a prohibited character. Omits the rule for bidirectional text: it forbids
 * an Arabic word before a digit, and no known reader refuses to open such a file.
 */
export function saslPrep(text: string): string | undefined {
  const prepared = text.replace(NOTHING, "").replace(SPACES, " ").normalize("NFKC");
  return PROHIBITED.test(prepared) ? undefined : prepared;
}
