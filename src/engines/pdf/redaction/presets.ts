/** Kinds of text that a request can redact by name. */
import ipaddr from "ipaddr.js";

export const PRESETS = ["email", "phone", "iban", "credit-card", "ip", "url", "us-ssn"] as const;
export type Preset = (typeof PRESETS)[number];

interface PresetRule {
  /** Finds candidates in folded text. Every quantifier is bounded, so that it takes linear time, and a part of a text can be searched by itself. */
  readonly candidates: RegExp;
  /** The length of the match at the beginning of a candidate, or 0. `beside`: some of the text before and after it. */
  accepted(candidate: string, beside: Beside): number;
  /** Longest candidate, in UTF-16 units. */
  readonly longest: number;
  /** Fuel per character of text and per candidate, for the most expensive text. */
  readonly work: { readonly character: number; readonly candidate: number };
  /** The beginning of a match at the end of a line where it cannot end, and whether the next line follows after a space or directly. */
  readonly unfinished?: { readonly begins: RegExp; readonly joins: "spaced" | "joined" };
}

interface Beside {
  readonly before: string;
  readonly after: string;
}

const whole = (candidate: string): number => candidate.length;
const digitsOf = (text: string): string => text.replaceAll(/\D/g, "");

/** The Luhn check of payment cards (ISO/IEC 7812-1, annex B). */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]) * (place % 2 === 1 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** The check digits of an IBAN (ISO 13616-1, 6.1): modulo 97 of its digits, with the first four characters at the end. */
function passesMod97(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** The longest beginning of a candidate that passes, which ends where a group of its letters and digits ends. */
function longest(candidate: string, passes: (beginning: string) => boolean): number {
  for (let end = candidate.length; end > 0; end--) {
    const isEnd = end === candidate.length || /[ -]/.test(candidate[end] ?? "");
    if (isEnd && /[A-Za-z\d]/.test(candidate[end - 1] ?? "") && passes(candidate.slice(0, end))) return end;
  }
  return 0;
}

/** How long the IBANs of each country are (ISO 13616, the registry of SWIFT), and of countries that use the form without being in it. */
const IBAN_LENGTHS = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 " +
    "GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 " +
    "MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 " +
    "XK20 YE30 GF27 GP27 MQ27 RE27 PF27 TF27 YT27 NC27 BL27 MF27 PM27 WF27 DZ26 AO25 BJ28 BF28 CM27 CV25 CF27 TD27 KM27 CG27 CI28 GA27 GQ27 GW25 IR26 " +
    "MG27 ML28 MA28 MZ25 NE28 SN28 TG28"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

function isIban(beginning: string): boolean {
  const plain = beginning.replaceAll(/[ -]/g, "").toUpperCase();
  return plain.length === IBAN_LENGTHS.get(plain.slice(0, 2)) && passesMod97(plain);
}

/** How card numbers begin, and how many digits they have (ISO/IEC 7812, and the rules of the networks). */
const CARDS: readonly (readonly [prefix: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:36|38|39|30[0-5])/, [14, 16, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^(?:62|6011|64[4-9]|65)/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|63|67)/, [16, 17, 18, 19]],
  [/^(?:60|220[0-4]|9792)/, [16, 17, 18, 19]],
];

/** As cards and forms have it: without separators, in groups of four, or of four, six, and the rest. */
const CARD_GROUPS = /^(?:\d+|\d{4}([ -])(?:\d{4}\1){1,3}\d{1,4}|\d{4}([ -])\d{6}\2\d{4,5})$/;

function isCard(beginning: string): boolean {
  const digits = digitsOf(beginning);
  if (/^(\d)\1*$/.test(digits) || !CARD_GROUPS.test(beginning)) return false;
  return (
    CARDS.some(([prefix, lengths]) => prefix.test(digits) && lengths.includes(digits.length)) && passesLuhn(digits)
  );
}

/** Words before a telephone number, at whose end one may be that looks like any other number. */
const PHONE_LABEL = String.raw`(?<=(?:\b(?:tel|phone|fon|fax|mob|handy|cell|móvil|celular|tlf|tél|puh|gsm|whatsapp)[\p{L}.]{0,9}|телефон|тел\.?|факс|τηλ\.?|電話|电话|전화|☎|✆)[:. ]{0,3})`;

/**
 * Telephone numbers in common forms (ITU-T E.123, DIN 5008, and national ones). With a country code; with a trunk prefix and an area code; in groups
 * as in North America, Brazil, and Russia; and, after a word for a telephone, any digits in groups.
 */
const PHONE = new RegExp(
  String.raw`(?<![\w.+,/@#-])(?:(?:\+|00 ?)[1-9]\d{0,2}(?:[ .\-/]{0,2}(?:\(\d{1,5}\)|\d{1,5})){2,7}` +
    String.raw`|(?:\(0[1-9]\d{0,4}\)|0[1-9]\d{0,4})(?:[ .\-/]{1,3}\d{2}(?: \d\d){1,3} \d(?!\d)|(?:[ .\-/]{1,3}\d{2,8}){1,5})|\(0[1-9]\d{0,4}\)\d{5,8}|0[1-9]\d{8,9}` +
    String.raw`|(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}|\([1-9]\d\) ?\d{4,5}[ -]\d{4}|8 ?\(\d{3}\) ?\d{3}[ -]\d{2}[ -]\d{2}` +
    String.raw`|${PHONE_LABEL}(?:\(\d{1,5}\)|\d{1,8})(?:[ .\-/]{0,2}(?:\(\d{1,5}\)|\d{1,8})){0,7})(?![\w%]|[.,:/-]\d| ?(?:[€$£¥]|EUR|USD|GBP|CHF|PLN|SEK)\b)`,
  "giu",
);

const HAS_PHONE_LABEL = new RegExp(`${PHONE_LABEL}$`, "iu");

/** Other kinds of numbers that resemble one: recognized by the words before them, and by the head of an IBAN. */
const OTHER_NUMBER =
  /(?:\b(?:isbn|issn|iban|kto|konto(?:nr|nummer)?|blz|art|artikel|item|order|bestell(?:ung|nummer|nr)?|invoice|rechnung(?:s(?:nr|nummer))?|auftrag|vat|ust|steuer(?:nr|nummer)|tax|siret|siren|hrb|id|ref|reference|customer|kunden(?:nr|nummer)|account|acct|serial|sn|s\/n|p\/n|part|doi|ean|gtin|upc|imei|policy|contract|case|docket|patent|no|nr|n°|№|pp?|pages?|version|ssn|bsn|nip|pesel|cpf|cnpj|nif|cif|abn|tfn)\b[.:°#-]{0,2} ?(?:-?(?:nr|no|num(?:ber|mer|ero)?|id|code)\b[.:]{0,2} ?)?|#|§+ ?|[€$£¥] ?|\b(?:EUR|USD|GBP|CHF) |\b[A-Z]{2}\d{2}[ -]?(?:[A-Z\d]{4}[ -]?){0,8})$/iu;

/** A date in the order of day and month, alone or at the beginning of a range. */
const DATE =
  /^(?:(?:0?[1-9]|[12]\d|3[01])([./ -])(?:0?[1-9]|[12]\d|3[01])(?:\1(?:(?:19|20)\d{2}|(?<! )\d{2})(?!\1?\d)|\.(?=[ -]))|(?:0[1-9]|1[0-2])[/.-](?:19|20)\d{2}(?!\d))/;

function phoneLength(candidate: string, { before }: Beside): number {
  const isInternational = /^(?:\+|00)/.test(candidate);
  const { length } = digitsOf(candidate.replace(/^00/, "").replace(/^(\+?\d{1,3} ?)\(0\)/, "$1"));
  const isLabeled = HAS_PHONE_LABEL.test(before);
  const [least, most] = isInternational ? [7, 15] : [isLabeled ? 5 : 8, 12];
  if (length < least || length > most) return 0;
  if (DATE.test(candidate) && !isInternational) return 0;
  if (!isLabeled && !candidate.startsWith("+") && OTHER_NUMBER.test(before)) return 0;
  return candidate.length;
}

/** A number of a version, a section, or an object rather than an address. */
const VERSION =
  /(?:\b(?:v|ver|version|rev|release|rel|build|firmware|section|sect?|chapter|chap|clause|article|kapitel|abschnitt|figure|fig|table|oid|item|step)\b\.?:?|§+) ?$/iu;

/** Without the punctuation of the sentence around it: a bracket belongs to an address that has its opening one. */
function addressLength(candidate: string): number {
  const counts = new Map<string, number>();
  for (const [bracket] of candidate.matchAll(/[()[\]{}]/g)) counts.set(bracket, (counts.get(bracket) ?? 0) + 1);
  let end = candidate.length;
  for (; end > 0; end--) {
    const last = candidate[end - 1] ?? "";
    if (/[.,;:!?'"”’»…]/.test(last)) continue;
    const opening = { ")": "(", "]": "[", "}": "{" }[last];
    const count = counts.get(last) ?? 0;
    if (opening === undefined || (counts.get(opening) ?? 0) >= count) break;
    counts.set(last, count - 1);
  }
  return end;
}

export const presetRules: Readonly<Record<Preset, PresetRule>> = {
  email: {
    candidates:
      /[\p{L}\p{M}\p{N}_%+-][\p{L}\p{M}\p{N}.'_%+&-]{0,63}@(?:[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,62})\.){1,8}(?:[\p{L}\p{M}]{2,24}|xn--[a-z\d-]{2,59})/giu,
    longest: 700,
    work: { character: 40, candidate: 300 },
    // The name of an image for dense screens.
    accepted: (candidate) => (/@\d(?:\.\d)?x\.[a-z]{2,5}$/i.test(candidate) ? 0 : candidate.length),
    unfinished: { begins: /@/, joins: "joined" },
  },
  phone: {
    candidates: PHONE,
    longest: 160,
    work: { character: 20, candidate: 1_000 },
    accepted: phoneLength,
    unfinished: { begins: /^\+/, joins: "spaced" },
  },
  iban: {
    candidates: /(?<![A-Za-z\d])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z\d]{1,4}){3,30}/g,
    longest: 160,
    work: { character: 8, candidate: 10_000 },
    accepted: (candidate) => longest(candidate, isIban),
    unfinished: { begins: /^[A-Z]{2}\d{2}/, joins: "spaced" },
  },
  "credit-card": {
    candidates: /(?<![\d.,])\d(?:[ -]?\d){12,18}(?!\d|[.,]\d)/g,
    longest: 40,
    work: { character: 8, candidate: 3_000 },
    accepted: (candidate) => longest(candidate, isCard),
  },
  ip: {
    candidates:
      /(?<![\w.:])(?:(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)|(?=[\dA-Fa-f:.]{2,45})(?:[\dA-Fa-f]{0,4}:){2,7}[\dA-Fa-f.]{0,15}(?![\w:]))/g,
    longest: 64,
    work: { character: 8, candidate: 1_000 },
    accepted: (candidate, { before }) => {
      const address = candidate.replace(/\.$/, "");
      if (ipaddr.IPv4.isValidFourPartDecimal(address)) return VERSION.test(before) ? 0 : address.length;
      return address.length > 2 && ipaddr.IPv6.isValid(address) ? address.length : 0;
    },
  },
  url: {
    candidates:
      /(?<![\p{L}\p{N}])(?:(?:https?|ftp):\/\/(?=[^\s<>"/]{0,256}[\p{L}\p{N}])[\p{L}\p{N}[]|www\.(?=[\p{L}\p{N}-]{1,63}\.[\p{L}\p{N}]))[^\s<>"]{0,2048}/giu,
    longest: 2_400,
    work: { character: 8, candidate: 30_000 },
    accepted: addressLength,
  },
  "us-ssn": {
    candidates: /(?<![\w-])(?!000|666|9\d\d)\d{3}([ -])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/g,
    longest: 16,
    work: { character: 8, candidate: 100 },
    accepted: whole,
  },
};
