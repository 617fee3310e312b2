import { bytesOf } from "../../../bytes/latin1.ts";

/** The operators of content streams by function, with the number of their operands (ISO 32000-2, annex A). Those that set colors may have more. */
const TABLE = {
  save: "q/0",
  restore: "Q/0",
  transform: "cm/6",
  style: "w/1 J/1 j/1 M/1 d/2 ri/1 i/1",
  parameters: "gs/1",
  path: "m/2 l/2 c/6 v/4 y/4 h/0 re/4",
  clip: "W/0 W*/0",
  paint: "f/0 F/0 f*/0 S/0 s/0 B/0 B*/0 b/0 b*/0",
  endPath: "n/0",
  shade: "sh/1",
  draw: "Do/1",
  image: "BI/0",
  imageData: "ID/0",
  endImage: "EI/0",
  beginText: "BT/0",
  endText: "ET/0",
  textState: "Tc/1 Tw/1 Tz/1 TL/1 Tr/1 Ts/1",
  font: "Tf/2",
  move: "Td/2 TD/2 Tm/6 T*/0",
  show: `Tj/1 TJ/1 '/1 "/3`,
  color: "g/1 rg/3 k/4 cs/1 sc/0 scn/0 G/1 RG/3 K/4 CS/1 SC/0 SCN/0",
  mark: "BMC/1 BDC/2",
  endMark: "EMC/0",
  point: "MP/1 DP/2",
  glyph: "d0/2 d1/6",
  section: "BX/0 EX/0",
} as const;

/** The function of an operator. `unknown`: a word that is not an operator. */
export type Family = keyof typeof TABLE | "unknown";

export const FAMILIES: readonly Family[] = [...(Object.keys(TABLE) as (keyof typeof TABLE)[]), "unknown"];

export interface Operator {
  readonly name: string;
  readonly family: Family;
  /** The place of the family in `FAMILIES`. */
  readonly place: number;
  readonly operands: number;
}

/** A word that is no operator. */
export const UNKNOWN: Operator = { name: "", family: "unknown", place: FAMILIES.length - 1, operands: Infinity };

/** All operators, by their names. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  FAMILIES.flatMap((family, place) => {
    const entries = family === "unknown" ? [] : TABLE[family].split(" ").map((entry) => entry.split("/"));
    return entries.map(([name = "", operands]) => [name, { name, family, place, operands: Number(operands) }] as const);
  }),
);

/** Whether an operator that shows text first moves to the next line (9.4.3). */
export const startsLine = (operator: string): boolean => operator === "'" || operator === '"';

/** Whether an operator that sets a color sets the one for stroking (8.6.8). */
export const setsStroke = (operator: string): boolean => operator < "a";

/** Whether an operator that sets a color may name a pattern. */
export const setsPattern = (operator: string): boolean => operator === "scn" || operator === "SCN";

/** Longest operator in bytes. */
export const LONGEST_OPERATOR = 3;

/** An operator as a number. */
function codeOf(bytes: Uint8Array, start: number, end: number): number {
  let code = 0;
  for (let at = start; at < end; at++) code = (code << 8) | (bytes[at] ?? 0);
  return code;
}

const BY_CODE: ReadonlyMap<number, Operator> = new Map(
  [...OPERATORS.values()].map((operator) => [codeOf(bytesOf(operator.name), 0, operator.name.length), operator]),
);

/** The operator that a word is; undefined if it is none. Without a string for the word, which would take longer. */
export const operatorAt = (bytes: Uint8Array, start: number, end: number): Operator | undefined =>
  end - start > LONGEST_OPERATOR ? undefined : BY_CODE.get(codeOf(bytes, start, end));
