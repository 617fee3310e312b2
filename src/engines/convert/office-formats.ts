/** The formats that an office converter reads, by their usual extensions. It goes by these, and then by the content. */

/** Those that the service does not read itself, with their names in sentences. */
export const OFFICE_FORMATS = {
  doc: "a Word document of Office 97 to 2003 (DOC)",
  xls: "an Excel workbook of Office 97 to 2003 (XLS)",
  ppt: "a PowerPoint presentation of Office 97 to 2003 (PPT)",
  pptx: "a PowerPoint presentation (PPTX)",
  xlsb: "a binary Excel workbook (XLSB)",
  odp: "an OpenDocument presentation (ODP)",
  odg: "an OpenDocument drawing (ODG)",
  fodt: "a flat OpenDocument text (FODT)",
  fods: "a flat OpenDocument spreadsheet (FODS)",
  fodp: "a flat OpenDocument presentation (FODP)",
  fodg: "a flat OpenDocument drawing (FODG)",
  vsd: "a Visio drawing of before 2013 (VSD)",
  vsdx: "a Visio drawing (VSDX)",
  pub: "a Publisher document (PUB)",
  wpd: "a WordPerfect document (WPD)",
} as const;
export type OfficeFormat = keyof typeof OFFICE_FORMATS;

/** Those that the service reads itself, for `engine=office`. */
const READ_BY_BOTH: ReadonlySet<string> = new Set(["docx", "xlsx", "odt", "ods", "rtf"]);

/** `name`: that of a format of the service. */
export const officeReads = (name: string): boolean => READ_BY_BOTH.has(name);

/** By the name of a stream or storage at the root of a compound file. */
export const COMPOUND_FORMATS: Readonly<Record<string, OfficeFormat>> = {
  WordDocument: "doc",
  Workbook: "xls",
  Book: "xls",
  "PowerPoint Document": "ppt",
  VisioDocument: "vsd",
  Quill: "pub",
};

/** By an entry that only packages of the format have. */
export const PACKAGE_FORMATS: readonly (readonly [RegExp, OfficeFormat])[] = [
  [/^xl\/workbook\.bin$/, "xlsb"],
  [/^ppt\/presentation\.xml$/, "pptx"],
  [/^visio\/document\.xml$/, "vsdx"],
];

/** By the end of a media type of OpenDocument (part 2, 3.3), of a package and of a flat document. */
export const OPEN_DOCUMENT_FORMATS: Readonly<
  Record<string, { readonly package?: OfficeFormat; readonly flat: OfficeFormat }>
> = {
  text: { flat: "fodt" },
  spreadsheet: { flat: "fods" },
  presentation: { package: "odp", flat: "fodp" },
  graphics: { package: "odg", flat: "fodg" },
};
