/**
 * Guesses the encoding of a text that is not UTF-8 and declares none: the one in which it has words. Texts have the letters of one language, words
 * are of one script, and Chinese, Japanese, and Korean use the common characters of their standards.
 */

/** The letters beyond ASCII of languages with Latin letters. Rare letters are left out if they are common ones of a language in another encoding. */
const LATIN = [
  "äöüß",
  "àâæçéèêëîïôœùûüÿ",
  "áéíñóúü",
  "áâãàçéêíóôõúü",
  "àèéìíîòóùú",
  "àçèéíïòóúü",
  "äåöé",
  "æøåéäö",
  "áäéëíïóöúü",
  "áðéíóúýþæö",
  "ąćęłńóśźż",
  "áčďéěíňóřšťúůýž",
  "áäčďéíľňóôšťúýž",
  "áéíóöőúüű",
  "ăâîşţșț",
  "čćđšž",
  "çğıİöşüâî",
].map((letters) => new Set(letters + letters.toUpperCase()));
/** Those that are a word of their own. */
const WORDS = new Set("àáèéêíòóőÀÁÈÉÊÍÒÓŐ");
/** By script: characters that no word has, the letters of its languages, and the six most common ones, which are a third of any text. */
const ALPHABETS = [
  { script: /\p{Script=Cyrillic}/u, wrong: /\p{Ll}\p{Lu}/u, letters: /^[а-яёіїєґўђјљњћџ]$/iu, common: /[оеаинті]/giu },
  {
    script: /\p{Script=Greek}/u,
    wrong: /\p{Ll}\p{Lu}|ς\p{L}/u,
    letters: /^[α-ωάέήίόύώϊϋΐΰ]$/iu,
    common: /[αοιετσςνηί]/giu,
  },
];
const COMMON_SHARE = 0.33;
const SYMBOLS = new Set("€£§©®°±·•–—…‘’‚“”„«»‹›™¿¡²³¼½¾×÷µ†‡‰ºª\u00a0\u00ad");

type Plausible = (text: string, bytes: Uint8Array) => boolean;

function isLatin(text: string): boolean {
  const letters = new Set<string>();
  for (const { 0: character, index } of text.matchAll(/[^\0-\x7f]/gu)) {
    if (SYMBOLS.has(character)) continue;
    if (!/\p{Script=Latin}/u.test(character)) return false;
    const [before = "", after = ""] = [text[index - 1], text[index + 1]];
    const isAlone = !/\p{L}/u.test(before + after);
    if (/\d/.test(before + after) || (isAlone && !WORDS.has(character))) return false;
    letters.add(character);
  }
  return !/\p{Ll}[\u00c0-\u00de]/u.test(text) && LATIN.some((language) => letters.isSubsetOf(language));
}

function isAlphabetic(text: string): boolean {
  for (const { script, wrong, letters, common } of ALPHABETS) {
    if (!script.test(text)) continue;
    const words = text.match(/\p{L}+/gu)?.filter((word) => /[^\0-\x7f]/.test(word)) ?? [];
    const all = words.join("");
    const others = text.match(/[^\0-\x7f\p{L}]/gu) ?? [];
    return (
      others.every((character) => SYMBOLS.has(character) || character === "№") &&
      [...all].every((character) => letters.test(character)) &&
      words.some((word) => word.length > 2) &&
      !words.some((word) => wrong.test(word)) &&
      (all.match(common)?.length ?? 0) >= all.length * COMMON_SHARE
    );
  }
  return isLatin(text);
}

/** Two bytes of which the first is between the numbers, and the second from `trail` on. */
interface CommonRows {
  readonly from: number;
  readonly to: number;
  readonly trail: number;
  readonly share: number;
}

const EAST_ASIAN =
  /^[\u2000-\u206f\u2200-\u22ff\u2460-\u25ff\u3000-\u30ff\uff01-\uff5e\p{Script=Han}\p{Script=Hangul}]$/u;

/** Whether enough of the characters are in the rows of the common ones. `phonetic`: letters, which are common too. */
const hasCommon =
  ({ from, to, trail, share }: CommonRows, phonetic: RegExp, lead: (byte: number) => boolean): Plausible =>
  (text, bytes) => {
    const wide = text.match(/[^\0-\x7f]/gu) ?? [];
    if (!wide.every((character) => EAST_ASIAN.test(character))) return false;
    const ideographs = wide.filter(
      (character) => /[\p{Script=Han}\p{Script=Hangul}]/u.test(character) && !phonetic.test(character),
    );
    let common = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (!lead(byte)) continue;
      at += 1;
      if (byte >= from && byte <= to && (bytes[at] ?? 0) >= trail) common += 1;
    }
    const letters = wide.filter((character) => phonetic.test(character)).length;
    const runs = text.match(/[\p{Script=Han}\p{Script=Hangul}\u3040-\u30ff]{2,}/gu)?.join("").length ?? 0;
    const counted = ideographs.length + letters;
    return (
      counted > 0 &&
      runs >= counted / 2 &&
      common >= ideographs.length * share &&
      (letters > 0 || ideographs.length > 1)
    );
  };

const KANA = /[\u3040-\u30ff]/u;
const NONE = /[^\s\S]/u;
const above = (byte: number): boolean => byte > 0x80;
const shiftJis = (byte: number): boolean => (byte > 0x80 && byte < 0xa0) || byte >= 0xe0;

const CANDIDATES: readonly (readonly [encoding: string, plausible: Plausible])[] = [
  ["windows-1252", isAlphabetic],
  ["iso-8859-15", isAlphabetic],
  ["windows-1250", isAlphabetic],
  ["iso-8859-2", isAlphabetic],
  ["windows-1254", isAlphabetic],
  ["windows-1251", isAlphabetic],
  ["koi8-u", isAlphabetic],
  ["ibm866", isAlphabetic],
  ["windows-1253", isAlphabetic],
  ["shift_jis", hasCommon({ from: 0x88, to: 0x98, trail: 0x40, share: 0.85 }, KANA, shiftJis)],
  ["euc-jp", hasCommon({ from: 0xb0, to: 0xcf, trail: 0xa1, share: 0.85 }, KANA, above)],
  ["gbk", hasCommon({ from: 0xb0, to: 0xd7, trail: 0xa1, share: 0.85 }, NONE, above)],
  ["big5", hasCommon({ from: 0xa4, to: 0xc6, trail: 0x40, share: 0.9 }, NONE, above)],
  ["euc-kr", hasCommon({ from: 0xb0, to: 0xc8, trail: 0xa1, share: 0.9 }, NONE, above)],
];

/** Bytes that are looked at: of lines that have others than ASCII. */
const SAMPLE_BYTES = 8192;

function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(Math.min(bytes.length, SAMPLE_BYTES));
  let length = 0;
  for (let start = 0; start < bytes.length && length < sample.length;) {
    const found = bytes.indexOf(0x0a, start);
    const end = found < 0 ? bytes.length : found + 1;
    const line = bytes.subarray(start, end);
    start = end;
    if (!line.some((byte) => byte > 0x7f)) continue;
    const piece = line.subarray(0, sample.length - length);
    sample.set(piece, length);
    length += piece.length;
  }
  return sample.subarray(0, length);
}

/** The encodings that a text may be in, one for each text that it may be. */
export function guessEncodings(bytes: Uint8Array): string[] {
  const sample = sampleOf(bytes);
  const texts = new Map<string, string>();
  for (const [encoding, plausible] of CANDIDATES) {
    let text;
    try {
      // The sample may end within a character.
      text = new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(sample, { stream: true });
    } catch {
      continue;
    }
    if (!texts.has(text) && plausible(text, sample)) texts.set(text, encoding);
  }
  return [...texts.values()];
}
