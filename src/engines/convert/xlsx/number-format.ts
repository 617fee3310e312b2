/** Numbers, dates, and times as a number format shows them (ECMA-376, part 1, 18.8.31). */

/** The formats that have a number only (18.8.30). */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  5: '"$"#,##0;-"$"#,##0',
  6: '"$"#,##0;-"$"#,##0',
  7: '"$"#,##0.00;-"$"#,##0.00',
  8: '"$"#,##0.00;-"$"#,##0.00',
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "m/d/yyyy",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "m/d/yyyy h:mm",
  37: "#,##0;(#,##0)",
  38: "#,##0;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
  44: '"$"#,##0.00;("$"#,##0.00)',
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  48: "##0.0E+0",
  49: "@",
};

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY = 86_400;
/** Days from 1899-12-30 to 1970-01-01, and to the start of the other calendar. */
const [EPOCH_1900, TO_1904] = [25_569, 1_462];
/** The last day that there is: 9999-12-31. */
const LAST_DAY = 2_958_465;
/** Fuel per square of a character of a format. */
const SQUARE_WORK = 5;

type Token = { readonly kind: "text" | "code"; readonly text: string };

/** A section of a format: literal text, and codes. */
function tokensOf(section: string): Token[] {
  const tokens: Token[] = [];
  const pattern =
    /"([^"]*)"|\\(.)|_.|\*.|\[\$([^\]-]*)[^\]]*\]|\[(h+|m+|s+)\]|\[[^\]]*\]|(AM\/PM|A\/P)|(y+|m+|d+|h+|s+|\.0+(?=[^#0?]|$)|[#0?.,%]+|E[+-]0+|@|\/|General)|(.)/gi;
  for (const [, quoted, escapedCharacter, currency, elapsed, half, code, other] of section.matchAll(pattern)) {
    const text = quoted ?? escapedCharacter ?? currency ?? other;
    if (elapsed !== undefined) tokens.push({ kind: "code", text: `[${elapsed.toLowerCase()}]` });
    else if (half !== undefined) tokens.push({ kind: "code", text: half.toUpperCase() });
    else if (code !== undefined) tokens.push({ kind: "code", text: code });
    else if (text !== undefined && text !== "") tokens.push({ kind: "text", text });
  }
  return tokens;
}

const sectionsOf = (format: string): string[] =>
  format.match(/(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)/g) ?? [""];
const bare = (section: string): string => section.replace(/"[^"]*"|\\.|\[\$[^\]]*\]|_.|\*./g, "");
const isDate = (section: string): boolean =>
  /[ydhs]|m(?!\w*[#0])/i.test(
    bare(section)
      .replace(/\[(?!h|m|s)[^\]]*\]/gi, "")
      .replace(/General|E[+-]/gi, ""),
  );

/** A number with up to eleven digits, as cells without a format show it. */
function general(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e11) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e11 || size < 1e-9))
    return value
      .toExponential(5)
      .replace(/\.?0+e/, "e")
      .replace("e", "E")
      .replace(/E([+-])(\d)$/, "E$10$2");
  return String(Number(value.toPrecision(10)));
}

export class NumberFormats {
  readonly #own: ReadonlyMap<number, string>;
  readonly #from1904: boolean;

  constructor(own: ReadonlyMap<number, string>, from1904: boolean) {
    this.#own = own;
    this.#from1904 = from1904;
  }

  #codeOf(id: number): string {
    return this.#own.get(id) ?? BUILT_IN[id] ?? "General";
  }

  /** Fuel for one value: each code of a date looks at those around it. */
  workOf(id: number): number {
    return SQUARE_WORK * this.#codeOf(id).length ** 2;
  }

  text(value: string, id: number): string {
    const section = sectionsOf(this.#codeOf(id))[3];
    return section === undefined || !section.includes("@")
      ? value
      : tokensOf(section)
          .map(({ kind, text }) => (kind === "text" ? text : value))
          .join("");
  }

  number(value: number, id: number): string {
    const format = this.#codeOf(id);
    if (/^general$/i.test(format.trim()) || format === "@") return general(value);
    const sections = sectionsOf(format).filter((section, index) => index < 3 || !section.includes("@"));
    const index = value < 0 && sections.length > 1 ? 1 : value === 0 && sections.length > 2 ? 2 : 0;
    const section = sections[index] ?? "General";
    if (isDate(section)) return this.#date(value, section);
    return numberIn(index === 1 ? Math.abs(value) : value, section);
  }

  #date(value: number, section: string): string {
    const days = value + (this.#from1904 ? TO_1904 : 0);
    if (days < 0 || days > LAST_DAY + 1) return general(value);
    const tokens = tokensOf(section);
    const codes = tokens.map(({ kind, text }) => (kind === "code" ? text.toLowerCase() : ""));
    const fraction = codes.some((code) => code.startsWith(".0"));
    const seconds = fraction ? days * DAY : Math.round(days * DAY);
    // Excel has a day that never was: 1900-02-29.
    const shifted = !this.#from1904 && days < 60 ? seconds + DAY : seconds;
    const date = new Date(Math.round((shifted - EPOCH_1900 * DAY) * 1000));
    const halves = codes.some((code) => code === "am/pm" || code === "a/p");
    return tokens
      .map((token, index) =>
        token.kind === "text"
          ? token.text
          : dateCode(token.text.toLowerCase(), { codes, index, date, seconds, halves }),
      )
      .join("");
  }
}

interface DateContext {
  readonly codes: readonly string[];
  readonly index: number;
  readonly date: Date;
  readonly seconds: number;
  readonly halves: boolean;
}

const padded = (value: number, length: number): string => String(value).padStart(Math.min(length, 2), "0");

function dateCode(code: string, { codes, index, date, seconds, halves }: DateContext): string {
  const hours = date.getUTCHours();
  if (/^y+$/.test(code))
    return code.length > 2 ? String(date.getUTCFullYear()) : padded(date.getUTCFullYear() % 100, 2);
  if (/^d+$/.test(code)) {
    const day = DAYS[date.getUTCDay()] ?? "";
    return code.length > 3 ? day : code.length === 3 ? day.slice(0, 3) : padded(date.getUTCDate(), code.length);
  }
  if (/^m+$/.test(code)) {
    const before = codes.slice(0, index).findLast((other) => /^(\[?[hs]|y|d)/.test(other));
    const after = codes.slice(index + 1).find((other) => /^(\[?[hs]|y|d)/.test(other));
    if (before?.includes("h") || after?.includes("s")) return padded(date.getUTCMinutes(), code.length);
    const month = MONTHS[date.getUTCMonth()] ?? "";
    return code.length === 5
      ? month.slice(0, 1)
      : code.length === 4
        ? month
        : code.length === 3
          ? month.slice(0, 3)
          : padded(date.getUTCMonth() + 1, code.length);
  }
  if (/^h+$/.test(code)) return padded(halves ? ((hours + 11) % 12) + 1 : hours, code.length);
  if (/^s+$/.test(code)) return padded(date.getUTCSeconds(), code.length);
  if (/^\[h+\]$/.test(code)) return padded(Math.floor(seconds / 3600), code.length - 2);
  if (/^\[m+\]$/.test(code)) return padded(Math.floor(seconds / 60), code.length - 2);
  if (/^\[s+\]$/.test(code)) return padded(Math.floor(seconds), code.length - 2);
  if (/^\.0+$/.test(code)) return (date.getUTCMilliseconds() / 1000).toFixed(Math.min(code.length - 1, 3)).slice(1);
  if (code === "am/pm") return hours < 12 ? "AM" : "PM";
  if (code === "a/p") return hours < 12 ? "A" : "P";
  return code;
}

function numberIn(value: number, section: string): string {
  const tokens = tokensOf(section);
  const pattern = tokens.flatMap(({ kind, text }) => (kind === "code" ? [text] : [])).join("");
  if (pattern === "" || /^general$/i.test(pattern))
    return tokens.map(({ kind, text }) => (kind === "text" ? text : general(value))).join("");
  if (pattern.includes("/")) return general(value);
  const shown = digitsOf(value, pattern);
  let done = false;
  return tokens
    .map(({ kind, text }) => {
      if (kind === "text") return text;
      if (/^%+$/.test(text)) return text;
      if (done) return "";
      done = true;
      return shown + (/[#0?.,]%/.test(text) ? "%" : "");
    })
    .join("");
}

function digitsOf(value: number, pattern: string): string {
  const percent = (pattern.match(/%/g) ?? []).length;
  const plain = pattern.replaceAll("%", "");
  const exponent = /^(.*?)E([+-])(0+)$/i.exec(plain);
  if (exponent) {
    const decimals = /\.([0#?]*)/.exec(exponent[1] ?? "")?.[1]?.length ?? 0;
    const [mantissa = "", power = "0"] = value.toExponential(Math.min(decimals, 20)).split("e");
    const size = String(Math.abs(Number(power))).padStart(exponent[3]?.length ?? 1, "0");
    return `${mantissa}E${Number(power) < 0 ? "-" : exponent[2] === "+" ? "+" : ""}${size}`;
  }
  const thousands = /,+$/.exec(plain.replace(/\..*$/, ""))?.[0].length ?? /,+$/.exec(plain)?.[0].length ?? 0;
  const scaled = (value * 100 ** percent) / 1000 ** thousands;
  const [whole = "", fraction = ""] = plain.replace(/,+$/, "").split(".");
  const most = Math.min((fraction.match(/[0#?]/g) ?? []).length, 20);
  const least = (fraction.match(/0/g) ?? []).length;
  let [integer = "0", decimals = ""] = roundedAt(Math.abs(scaled), most).split(".");
  while (decimals.length > least && decimals.endsWith("0")) decimals = decimals.slice(0, -1);
  const digits = (whole.match(/0/g) ?? []).length;
  integer = integer === "0" && digits === 0 && decimals !== "" ? "" : integer.padStart(Math.min(digits, 30), "0");
  if (/[#0?],[#0?]/.test(whole)) integer = integer.replace(/\B(?=(\d{3})+$)/g, ",");
  const isZero = !/[1-9]/.test(integer + decimals);
  return `${scaled < 0 && !isZero ? "-" : ""}${integer}${decimals === "" ? "" : `.${decimals}`}`;
}

/** Rounded as decimal, as Excel does: 1.005 becomes 1.01. */
function roundedAt(value: number, places: number): string {
  if (value >= 1e21) return value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 0 });
  const exact = Number(`${Math.round(Number(`${Number(value.toPrecision(15))}e${places}`))}e-${places}`);
  return (Number.isFinite(exact) ? exact : value).toFixed(places);
}
