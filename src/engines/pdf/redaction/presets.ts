/** Kinds of text that a request can redact by name. */
import ipaddr from "ipaddr.js";

export const PRESETS = ["email", "phone", "iban", "credit-card", "ip", "url", "us-ssn"] as const;
export type Preset = (typeof PRESETS)[number];

interface PresetRule {
  /** Finds candidates in folded text. Every quantifier is bounded, so that it takes linear time. */
  readonly candidates: RegExp;
  /** How much of a candidate is one: its first characters, or 0. `beside`: some of what stands before and after it. */
  accepted(candidate: string, beside: Beside): number;
  /** How it begins at the end of a line where it cannot end, and whether the next line goes on behind a space or joins it. */
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

/** The longest beginning of a candidate whose letters and digits pass, which ends where a group of them ends. */
function longest(candidate: string, passes: (plain: string) => boolean): number {
  for (let end = candidate.length; end > 0; end--) {
    const isEnd = end === candidate.length || /[ -]/.test(candidate[end] ?? "");
    if (isEnd && /[A-Za-z\d]/.test(candidate[end - 1] ?? "") && passes(candidate.slice(0, end).replaceAll(/[ -]/g, "")))
      return end;
  }
  return 0;
}

export const presetRules: Readonly<Record<Preset, PresetRule>> = {
  email: {
    candidates: /[\p{L}\p{M}\p{N}._%+-]{1,64}@(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}[\p{L}\p{M}]{2,24}/gu,
    accepted: whole,
    unfinished: { begins: /@/, joins: "joined" },
  },
  phone: {
    // With a country code, or a trunk prefix, or in groups as in North America.
    candidates:
      /(?<![\w.+-])(?:(?:\+|00)[1-9]\d{0,2}(?:[ .\-/]{0,2}\(?\d{1,5}\)?){2,7}|\(?0\d{1,5}\)?(?:[ .\-/]{1,2}\d{2,8}){1,5}|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}([ .-])\d{3}\1\d{4})(?!\w)/g,
    accepted: (candidate) => {
      const { length } = digitsOf(candidate);
      return length >= 7 && length <= 17 ? candidate.length : 0;
    },
    unfinished: { begins: /^\+/, joins: "spaced" },
  },
  iban: {
    candidates: /(?<![A-Za-z\d])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z\d]{1,4}){3,30}/g,
    accepted: (candidate) =>
      longest(candidate, (plain) => plain.length >= 15 && plain.length <= 34 && passesMod97(plain.toUpperCase())),
    unfinished: { begins: /^[A-Z]{2}\d{2}/, joins: "spaced" },
  },
  "credit-card": {
    candidates: /(?<![\d.,])\d(?:[ -]?\d){12,18}(?![\d])/g,
    accepted: (candidate) =>
      longest(candidate, (digits) => digits.length >= 13 && !/^(\d)\1*$/.test(digits) && passesLuhn(digits)),
  },
  ip: {
    candidates:
      /(?<![\w.:])(?:(?:\d{1,3}\.){3}\d{1,3}|(?=[\dA-Fa-f:.]{2,45})(?:[\dA-Fa-f]{0,4}:){2,7}[\dA-Fa-f.]{0,15})(?![\w:])/g,
    accepted: (candidate) => {
      const address = candidate.replace(/\.$/, "");
      return address.length > 2 && (ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address))
        ? address.length
        : 0;
    },
  },
  url: {
    candidates: /(?<![\p{L}\p{N}])(?:(?:https?|ftp):\/\/|www\.)[^\s<>"]{1,2048}/giu,
    accepted: (candidate) => candidate.replace(/[.,;:!?'")\]}]{1,20}$/, "").length,
  },
  "us-ssn": {
    candidates: /(?<![\w-])(?!000|666|9\d\d)\d{3}([ -])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/g,
    accepted: whole,
  },
};
