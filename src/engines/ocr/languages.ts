import { models } from "../../../wasm/generated/models.js";

/** Which of Tesseract's models to read with: `fast` ones are smaller and read less accurately. */
export type Accuracy = keyof typeof models;

/** The supported languages by Tesseract's codes, sorted. */
export const languages: readonly string[] = [...new Set([...models.best, ...models.fast])].toSorted();

/** The languages that have a model of this accuracy. */
export const languagesWith = (accuracy: Accuracy): readonly string[] => models[accuracy];

/** Tesseract's codes for languages whose code in BCP 47 (RFC 5646) has two letters or differs otherwise. */
const CODES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    af: "afr",
    ar: "ara",
    az: "aze",
    be: "bel",
    bg: "bul",
    bn: "ben",
    ca: "cat",
    cs: "ces",
    cy: "cym",
    da: "dan",
    de: "deu",
    el: "ell",
    en: "eng",
    es: "spa",
    et: "est",
    eu: "eus",
    fa: "fas",
    fi: "fin",
    fr: "fra",
    ga: "gle",
    gl: "glg",
    gu: "guj",
    he: "heb",
    hi: "hin",
    hr: "hrv",
    hu: "hun",
    hy: "hye",
    id: "ind",
    is: "isl",
    it: "ita",
    ja: "jpn",
    ka: "kat",
    kk: "kaz",
    km: "khm",
    kn: "kan",
    ko: "kor",
    la: "lat",
    lt: "lit",
    lv: "lav",
    mk: "mkd",
    ml: "mal",
    mr: "mar",
    ms: "msa",
    mt: "mlt",
    nb: "nor",
    ne: "nep",
    nl: "nld",
    nn: "nor",
    no: "nor",
    pa: "pan",
    pl: "pol",
    pt: "por",
    ro: "ron",
    ru: "rus",
    sk: "slk",
    sl: "slv",
    sq: "sqi",
    sr: "srp",
    sv: "swe",
    sw: "swa",
    ta: "tam",
    te: "tel",
    th: "tha",
    tr: "tur",
    uk: "ukr",
    ur: "urd",
    uz: "uzb",
    vi: "vie",
  }),
);

/** The code of a language requested by Tesseract's code or by a BCP 47 tag; undefined if there is no model for it. */
export function languageCode(asked: string): string | undefined {
  const own = languages.find((code) => code.toLowerCase() === asked.toLowerCase());
  if (own !== undefined) return own;
  const locale = localeOf(asked);
  if (!locale) return undefined;
  const code =
    locale.language === "zh"
      ? locale.maximize().script === "Hant"
        ? "chi_tra"
        : "chi_sim"
      : CODES.get(locale.language);
  return languages.find((known) => known === code);
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}
