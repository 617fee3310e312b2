/** The written form of a file and its objects (ISO 19005-1, 6.1; ISO 19005-2 and -3, 6.1; ISO 19005-4, 6.1). */
import { rulesOn, type ConformanceRule } from "./rule.ts";
import { LONGEST_SIDE, SHORTEST_SIDE } from "../../../geometry.ts";

/** Filters of PDF 1.7 and 2.0 that are allowed (ISO 32000-1, table 6). */
export const FILTERS: ReadonlySet<string> = new Set([
  "ASCIIHexDecode",
  "ASCII85Decode",
  "FlateDecode",
  "RunLengthDecode",
  "CCITTFaxDecode",
  "JBIG2Decode",
  "DCTDecode",
  "JPXDecode",
]);
/** The same with the short names of inline images. */
export const INLINE_FILTERS: ReadonlySet<string> = new Set([...FILTERS, "AHx", "A85", "Fl", "RL", "CCF", "DCT"]);
const [MOST_INTEGER, MOST_REAL, LEAST_REAL] = [2_147_483_647, 3.403e38, 1.175e-38];
/** Bytes of a string. */
export const MOST_STRING = 32_767;
const MOST_SAVED = 28;
const MOST_OBJECTS = 8_388_607;

/** Whether the bytes of a name are UTF-8. */
export function isUtf8(name: string): boolean {
  if (/^[\0-\x7f]*$/.test(name)) return true;
  const bytes = Uint8Array.from(name, (character) => character.charCodeAt(0));
  return !new TextDecoder().decode(bytes).includes("\ufffd");
}

export const FILE_RULES: readonly ConformanceRule[] = [
  ...rulesOn("file", [
    {
      clauses: { 1: "6.1.2-1", 2: "6.1.2-1" },
      message: "The file does not begin with the header %PDF-1.n, with n from 0 to 7.",
      holds: ({ headerIsFirst, header }) => headerIsFirst && /^%PDF-1\.[0-7]$/.test(header),
    },
    {
      clauses: { 4: "6.1.2-1" },
      message: "The file does not begin with the header %PDF-2.n.",
      holds: ({ headerIsFirst, header }) => headerIsFirst && /^%PDF-2\.\d$/.test(header),
    },
    {
      clauses: { 1: "6.1.2-2", 2: "6.1.2-2", 4: "6.1.2-2" },
      message: "The header is not followed by a comment with at least four bytes above 127.",
      holds: ({ hasBinaryComment }) => hasBinaryComment,
    },
    {
      clauses: { 1: "6.1.3-1", 2: "6.1.3-1", 4: "6.1.3-1" },
      message: "The trailer has no ID.",
      holds: ({ lastId }) => lastId !== undefined && lastId.length > 1,
    },
    {
      clauses: { 1: "6.1.3-2", 2: "6.1.3-2", 4: "6.1.3-2" },
      message: "The file is encrypted.",
      holds: ({ isEncrypted }) => !isEncrypted,
    },
    {
      clauses: { 1: "6.1.3-3", 2: "6.1.3-3", 4: "6.1.3-3" },
      message: "Data follows the last end-of-file marker.",
      holds: ({ bytesAfterEnd }) => bytesAfterEnd === 0,
    },
    {
      clauses: { 1: "6.1.3-4" },
      message: "The first and last trailer of a linearized file have different IDs.",
      holds: ({ isLinearized, firstId, lastId }) => !isLinearized || firstId === undefined || firstId === lastId,
    },
    {
      clauses: { 1: "6.1.4-2", 2: "6.1.4-2", 4: "6.1.4-2" },
      message:
        "A cross-reference table has other white space than a line end after `xref` and single spaces in its headers.",
      holds: ({ tablesAreSound }) => tablesAreSound,
    },
    {
      clauses: { 1: "6.1.4-3" },
      message: "The file has a cross-reference stream.",
      holds: ({ hasXrefStream }) => !hasXrefStream,
    },
    {
      clauses: { 1: "6.1.12-7", 2: "6.1.13-7" },
      message: "The file has more than 8,388,607 objects.",
      holds: ({ objectCount }) => objectCount <= MOST_OBJECTS,
    },
  ]),
  ...rulesOn("hexString", [
    {
      clauses: { 1: "6.1.6-1", 2: "6.1.6-1", 4: "6.1.5-1" },
      message: "A string in hexadecimal has an odd number of digits.",
      holds: ({ digits }) => digits % 2 === 0,
    },
    {
      clauses: { 1: "6.1.6-2", 2: "6.1.6-2", 4: "6.1.5-2" },
      message: "A string in hexadecimal has characters that are no digits.",
      holds: ({ isClean }) => isClean,
    },
  ]),
  ...rulesOn("writtenStream", [
    {
      clauses: { 1: "6.1.7-1", 2: "6.1.7.1-1", 4: "6.1.6.1-1" },
      message: "The Length of a stream differs from the size of its data.",
      holds: ({ lengthIsRight }) => lengthIsRight,
    },
    {
      clauses: { 1: "6.1.7-2", 2: "6.1.7.1-2" },
      message: "The keywords `stream` and `endstream` are not on lines of their own.",
      holds: ({ keywordsAreSound }) => keywordsAreSound,
    },
  ]),
  ...rulesOn("writtenObject", [
    {
      clauses: { 1: "6.1.8-1", 2: "6.1.9-1", 4: "6.1.8-1" },
      message: "The number, the generation, `obj`, and `endobj` of an object are not separated as required.",
      holds: ({ hasSoundSpacing }) => hasSoundSpacing,
    },
  ]),
  ...rulesOn("stream", [
    {
      clauses: { 1: "6.1.7-3", 2: "6.1.7.1-3", 4: "6.1.6.1-2" },
      message: "The data of a stream are in another file.",
      holds: ({ dictionary }) => !["F", "FFilter", "FDecodeParms"].some((key) => dictionary.entries.has(key)),
    },
    {
      clauses: { 1: "6.1.10-1" },
      message: "A stream is compressed with LZW.",
      holds: ({ filters }) => !filters.includes("LZWDecode"),
    },
    {
      clauses: { 2: "6.1.7.2-1", 4: "6.1.6.2-1" },
      message: "A stream has a filter that is not allowed, such as LZWDecode or Crypt.",
      holds: ({ filters, dictionary }, { document }) =>
        filters.every(
          (filter) =>
            FILTERS.has(filter) ||
            (filter === "Crypt" && (document.name(dictionary, "DecodeParms", "Name") ?? "Identity") === "Identity"),
        ),
    },
  ]),
  ...rulesOn("inlineFilters", [
    {
      clauses: { 1: "6.1.10-2" },
      message: "An inline image is compressed with LZW.",
      holds: ({ filters }) => !filters.includes("LZW") && !filters.includes("LZWDecode"),
    },
    {
      clauses: { 2: "6.1.10-1", 4: "6.1.9-1" },
      message: "An inline image has a filter that is not allowed.",
      holds: ({ filters }) => filters.every((filter) => INLINE_FILTERS.has(filter)),
    },
  ]),
  ...rulesOn("unicodeName", [
    {
      clauses: { 2: "6.1.8-1", 4: "6.1.7-1" },
      message: "The name of a font or a colorant is not UTF-8.",
      holds: ({ name }) => isUtf8(name),
    },
  ]),
  ...rulesOn("permissions", [
    {
      clauses: { 2: "6.1.12-1", 4: "6.1.11-1" },
      message: "The permissions of the document have other entries than UR3 and DocMDP.",
      holds: ({ dictionary }) => [...dictionary.entries.keys()].every((key) => key === "UR3" || key === "DocMDP"),
    },
  ]),
  ...rulesOn("signatureReference", [
    {
      clauses: { 2: "6.1.12-2", 4: "6.1.11-2" },
      message: "A signature reference has a digest, though the document has DocMDP permissions.",
      holds: ({ dictionary }, { document }) =>
        !document.has(document.get(document.root, "Perms"), "DocMDP") ||
        !["DigestLocation", "DigestMethod", "DigestValue"].some((key) => dictionary.entries.has(key)),
    },
  ]),
  ...rulesOn("writtenNumber", [
    {
      clauses: { 1: "6.1.12-1", 2: "6.1.13-1" },
      message: "An integer is beyond 32 bits.",
      holds: ({ value, isReal }) => isReal || (value <= MOST_INTEGER && value >= -MOST_INTEGER - 1),
    },
    {
      clauses: { 1: "6.1.12-2" },
      message: "A real number is beyond 32,767.",
      holds: ({ value, isReal }) => !isReal || Math.abs(value) <= 32_767,
    },
    {
      clauses: { 2: "6.1.13-2" },
      message: "A real number is larger than 3.403e38.",
      holds: ({ value, isReal }) => !isReal || Math.abs(value) <= MOST_REAL,
    },
    {
      clauses: { 2: "6.1.13-5" },
      message: "A real number is closer to zero than 1.175e-38.",
      holds: ({ value, isReal }) => !isReal || value === 0 || Math.abs(value) >= LEAST_REAL,
    },
  ]),
  ...rulesOn("sizedValue", [
    {
      clauses: { 1: "6.1.12-3" },
      message: "A string has more than 65,535 bytes.",
      holds: ({ kind, size }) => kind !== "string" || size <= 65_535,
    },
    {
      clauses: { 2: "6.1.13-3" },
      message: "A string has more than 32,767 bytes.",
      holds: ({ kind, size }) => kind !== "string" || size <= MOST_STRING,
    },
    {
      clauses: { 1: "6.1.12-4", 2: "6.1.13-4" },
      message: "A name has more than 127 bytes.",
      holds: ({ kind, size }) => kind !== "name" || size <= 127,
    },
    {
      clauses: { 1: "6.1.12-5" },
      message: "An array has more than 8,191 items.",
      holds: ({ kind, size }) => kind !== "array" || size <= 8191,
    },
    {
      clauses: { 1: "6.1.12-6" },
      message: "A dictionary has more than 4,095 entries.",
      holds: ({ kind, size }) => kind !== "dictionary" || size <= 4095,
    },
  ]),
  ...rulesOn("savedStates", [
    {
      clauses: { 1: "6.1.12-8", 2: "6.1.13-8" },
      message: "Content saves more than 28 graphics states within each other.",
      holds: ({ depth }) => depth <= MOST_SAVED,
    },
  ]),
  ...rulesOn("deviceN", [
    {
      clauses: { 1: "6.1.12-9" },
      message: "A DeviceN color space has more than 8 colorants.",
      holds: ({ colorants }) => colorants.length <= 8,
    },
    {
      clauses: { 2: "6.1.13-9" },
      message: "A DeviceN color space has more than 32 colorants.",
      holds: ({ colorants }) => colorants.length <= 32,
    },
  ]),
  ...rulesOn("font", [
    {
      clauses: { 1: "6.1.12-10", 2: "6.1.13-10" },
      message: "A CMap has a CID above 65,535.",
      holds: ({ descendant }) => (descendant?.map.largestCid ?? 0) <= 65_535,
    },
  ]),
  ...rulesOn("page", [
    {
      clauses: { 2: "6.1.13-11" },
      message: "A side of a page box is shorter than 3 units or longer than 14,400 units.",
      holds: ({ sides }) => sides.every((side) => side >= SHORTEST_SIDE && side <= LONGEST_SIDE),
    },
  ]),
  ...rulesOn("catalog", [
    {
      clauses: { 1: "6.1.13-1" },
      message: "The document has optional content.",
      holds: ({ dictionary }) => !dictionary.entries.has("OCProperties"),
    },
    {
      clauses: { 4: "6.1.12-1" },
      message: "The Version of the catalog is not 2.n.",
      holds: ({ dictionary }, { document }) =>
        !dictionary.entries.has("Version") || /^2\.\d$/.test(document.name(dictionary, "Version") ?? ""),
    },
    {
      clauses: { 4: "6.1.3-4" },
      message: "The trailer has Info, though the catalog has no PieceInfo.",
      holds: ({ dictionary }, { document }) =>
        !document.has(document.trailer, "Info") || dictionary.entries.has("PieceInfo"),
    },
    {
      clauses: { 2: "6.11-1", 4: "6.12-1" },
      message: "The catalog has Requirements.",
      holds: ({ dictionary }) => !dictionary.entries.has("Requirements"),
    },
    {
      clauses: { 2: "6.10-1", 4: "6.11-1" },
      message: "The document has alternate presentations.",
      holds: ({ dictionary }, { document }) =>
        !document.has(document.get(dictionary, "Names"), "AlternatePresentations"),
    },
  ]),
  ...rulesOn("page", [
    {
      clauses: { 2: "6.10-2", 4: "6.11-2" },
      message: "A page has presentation steps.",
      holds: ({ dictionary }) => !dictionary.entries.has("PresSteps"),
    },
  ]),
];
