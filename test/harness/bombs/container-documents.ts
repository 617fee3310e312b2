/** Documents with one container of many entries: one for each place in which operations walk over a container (ISO 32000-2). */
import { latin1, pdf, type PdfObject } from "../fixtures/pdf-writer.ts";

/** What a document has beside a page: entries of its dictionaries, and objects from number 10. */
export interface Parts {
  readonly catalog?: string;
  readonly page?: string;
  readonly resources?: string;
  readonly info?: string;
  readonly trailer?: string;
  readonly kids?: string;
  readonly content?: string;
  readonly objects?: readonly PdfObject[];
}

const array = (count: number, item: (index: number) => string): string => {
  const parts: string[] = [];
  for (let index = 0; index < count; index++) parts.push(item(index));
  return `[${parts.join(" ")}]`;
};
const dictionary = (count: number, value: string): string =>
  `<<${array(count, (index) => `/k${String(index).padStart(7, "0")} ${value}`).slice(1, -1)}>>`;

const FORM: PdfObject = { entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9]", data: latin1("0 0 9 9 re f") };
const SQUARE = "<< /Type /Annot /Subtype /Square /Rect [10 10 60 60] /C [1 0 0] >>";
const FIELD = "<< /T (a) /FT /Tx /Subtype /Widget /Type /Annot /Rect [10 10 60 30] /DA (/F1 9 Tf) /V (one) >>";
const withField = (entries: string): Parts => ({
  catalog: "/AcroForm << /Fields [10 0 R] /DA (/F1 9 Tf) /DR << /Font << /F1 7 0 R >> >> >>",
  page: "/Annots [10 0 R]",
  objects: [FIELD.replace("/T (a)", `/T (a) ${entries}`)],
});
const withAnnotation = (entries: string): Parts => ({
  page: "/Annots [10 0 R]",
  objects: [SQUARE.replace(">>", `${entries} >>`), FORM],
});
const withFont = (entries: string, subtype = "TrueType"): Parts => ({
  resources: "/Font << /F1 7 0 R /F2 10 0 R >>",
  content: "BT /F1 20 Tf 20 100 Td (Hello) Tj /F2 20 Tf (World) Tj ET",
  objects: [`<< /Type /Font /Subtype /${subtype} /BaseFont /Arial ${entries} >>`, FORM],
});
const inResources =
  (category: string, value: string, objects: readonly PdfObject[]) =>
  (count: number): Parts => ({
    resources: `/Font << /F1 7 0 R >> /${category} ${dictionary(count, value)}`,
    objects,
  });

/** What has a container of `count` entries. */
export const arrays = {
  "associated files": (count) => ({
    catalog: `/AF ${array(count, () => "10 0 R")}`,
    objects: ["<< /Type /Filespec /F (a.txt) /EF << /F 11 0 R >> >>", { entries: "", data: latin1("text") }],
  }),
  layers: (count) => ({
    catalog: `/OCProperties << /OCGs ${array(count, () => "10 0 R")} /D << /ON ${array(count, () => "10 0 R")} >> >>`,
    objects: ["<< /Type /OCG /Name (a) >>"],
  }),
  "order of layers": (count) => ({
    catalog: `/OCProperties << /OCGs [10 0 R] /D << /Order ${array(count, () => "10 0 R")} >> >>`,
    objects: ["<< /Type /OCG /Name (a) >>"],
  }),
  threads: (count) => ({ catalog: `/Threads ${array(count, () => "10 0 R")}`, objects: ["<< /I << /Title (a) >> >>"] }),
  "output intents": (count) => ({
    catalog: `/OutputIntents ${array(count, () => "10 0 R")}`,
    objects: ["<< /Type /OutputIntent /S /GTS_PDFX /OutputConditionIdentifier (a) >>"],
  }),
  "roots of fields": (count) => ({
    catalog: `/AcroForm << /Fields ${array(count, () => "<< /T (a) /FT /Tx >>")} >>`,
  }),
  "the same field": (count) => ({
    catalog: `/AcroForm << /Fields ${array(count, () => "10 0 R")} /CO ${array(count, () => "10 0 R")} >>`,
    page: "/Annots [10 0 R]",
    objects: [FIELD],
  }),
  "kids of a field": (count) => withField(`/Kids ${array(count, () => "10 0 R")}`),
  "kids that are nothing": (count) => withField(`/Kids ${array(count, () => "null")}`),
  options: (count) => withField(`/Opt ${array(count, () => "(a)")}`),
  "chosen options": (count) =>
    withField(`/FT /Ch /Opt [(a)] /I ${array(count, () => "0")} /V ${array(count, () => "(a)")}`),
  annotations: (count) => ({ page: `/Annots ${array(count, () => "10 0 R")}`, objects: [SQUARE] }),
  "annotations that are nothing": (count) => ({ page: `/Annots ${array(count, () => "null")}` }),
  "direct annotations": (count) => ({ page: `/Annots ${array(count, () => SQUARE)}` }),
  contents: (count) => ({ page: `/Contents ${array(count, () => "6 0 R")}` }),
  "contents that are nothing": (count) => ({ page: `/Contents ${array(count, () => "null")}` }),
  "a box": (count) => ({ page: `/CropBox ${array(count, () => "90")}` }),
  "kids of the page tree": (count) => ({ kids: array(count, () => "null") }),
  quadrilaterals: (count) => withAnnotation(`/QuadPoints ${array(count, () => "9")}`),
  "a border": (count) => withAnnotation(`/Border ${array(count, () => "9")}`),
  dashes: (count) => withAnnotation(`/BS << /S /D /D ${array(count, () => "9")} >>`),
  actions: (count) => withAnnotation(`/A << /S /URI /URI (a) /Next ${array(count, () => "<< /S /URI /URI (a) >>")} >>`),
  widths: (count) => withFont(`/FirstChar 32 /LastChar 255 /Widths ${array(count, () => "500")}`),
  differences: (count) =>
    withFont(`/Encoding << /Differences ${array(count, (index) => (index % 2 ? "/a" : "65"))} >>`),
  "widths of a composite font": (count) =>
    withFont(
      `/Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W ${array(count, () => "1")} >>]`,
      "Type0",
    ),
  "names of destinations": (count) => ({
    catalog: `/Names << /Dests << /Names ${array(count, (index) => (index % 2 ? "[3 0 R /Fit]" : `(k${String(index).padStart(7, "0")})`))} >> >>`,
  }),
  "names of attachments": (count) => ({
    catalog: `/Names << /EmbeddedFiles << /Names ${array(count, (index) => (index % 2 ? "10 0 R" : `(k${String(index).padStart(7, "0")})`))} >> >>`,
    objects: ["<< /Type /Filespec /F (a.txt) /EF << /F 11 0 R >> >>", { entries: "", data: latin1("text") }],
  }),
  "kids of a name tree": (count) => ({ catalog: `/Names << /Dests << /Kids ${array(count, () => "<<>>")} >> >>` }),
  "page labels": (count) => ({
    catalog: `/PageLabels << /Nums ${array(count, (index) => (index % 2 ? "<< /S /D >>" : String(index)))} >>`,
  }),
  elements: (count) => ({
    catalog: `/MarkInfo << /Marked true >> /StructTreeRoot << /Type /StructTreeRoot /K ${array(count, () => "10 0 R")} /ParentTree << /Nums [0 [10 0 R]] >> >>`,
    page: "/StructParents 0",
    content: "/P << /MCID 0 >> BDC BT /F1 20 Tf 20 100 Td (Hello) Tj ET EMC",
    objects: ["<< /Type /StructElem /S /P /Pg 3 0 R /K 0 >>"],
  }),
  "kids of an element": (count) => ({
    catalog: `/MarkInfo << /Marked true >> /StructTreeRoot << /Type /StructTreeRoot /K 10 0 R /ParentTree << /Nums [0 [10 0 R]] >> >>`,
    page: "/StructParents 0",
    content: "/P << /MCID 0 >> BDC BT /F1 20 Tf 20 100 Td (Hello) Tj ET EMC",
    objects: [
      `<< /Type /StructElem /S /P /Pg 3 0 R /K ${array(count, (index) => String(index))} /A ${array(count, () => "<< /O /Table >>")} >>`,
    ],
  }),
  "parents of marked content": (count) => ({
    catalog: `/MarkInfo << /Marked true >> /StructTreeRoot << /Type /StructTreeRoot /K 10 0 R /ParentTree << /Nums [0 ${array(count, () => "10 0 R")}] >> >>`,
    page: "/StructParents 0",
    content: "/P << /MCID 0 >> BDC BT /F1 20 Tf 20 100 Td (Hello) Tj ET EMC",
    objects: ["<< /Type /StructElem /S /P /Pg 3 0 R /K 0 >>"],
  }),
  "a signature's references": (count) =>
    withField(
      `/FT /Sig /V << /Type /Sig /Filter /Adobe.PPKLite /Reference ${array(count, () => "<< /TransformMethod /FieldMDP >>")} /ByteRange [0 1 2 3] /Contents <00> >>`,
    ),
  identifiers: (count) => ({ trailer: `/ID ${array(count, () => "(aaaaaaaaaaaaaaaa)")}` }),
  "a decoding": (count) => ({
    resources: "/XObject << /I 10 0 R >>",
    content: "100 0 0 100 0 0 cm /I Do",
    objects: [
      {
        entries: `/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceGray /Decode ${array(count, () => "1")}`,
        data: new Uint8Array(64).fill(99),
      },
    ],
  }),
  "a domain": (count) => ({
    resources: "/Shading << /S 10 0 R >>",
    content: "/S sh",
    objects: [
      `<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 200 200] /Background ${array(count, () => "1")} /Function << /FunctionType 2 /N 1 /C0 [1 0 0] /C1 [0 0 1] /Domain ${array(count, () => "1")} >> >>`,
    ],
  }),
} as const satisfies Readonly<Record<string, (count: number) => Parts>>;

export const dictionaries = {
  "named destinations": (count) => ({ catalog: `/Dests ${dictionary(count, "[3 0 R /Fit]")}` }),
  "fonts of a form": (count) => ({
    ...withField(""),
    catalog: `/AcroForm << /Fields [10 0 R] /DA (/F1 9 Tf) /DR << /Font ${dictionary(count, "7 0 R")} >> >>`,
  }),
  roles: (count) => ({
    catalog: `/MarkInfo << /Marked true >> /StructTreeRoot << /Type /StructTreeRoot /K 10 0 R /RoleMap ${dictionary(count, "/P")} /ClassMap ${dictionary(count, "<<>>")} /ParentTree << /Nums [0 [10 0 R]] >> >>`,
    page: "/StructParents 0",
    content: "/P << /MCID 0 >> BDC BT /F1 20 Tf 20 100 Td (Hello) Tj ET EMC",
    objects: ["<< /Type /StructElem /S /P /Pg 3 0 R /K 0 >>"],
  }),
  information: (count) => ({ info: dictionary(count, "(a)").slice(2, -2) }),
  trailer: (count) => ({ trailer: dictionary(count, "(a)").slice(2, -2) }),
  catalog: (count) => ({ catalog: dictionary(count, "(a)").slice(2, -2) }),
  page: (count) => ({ page: dictionary(count, "(a)").slice(2, -2) }),
  "categories of resources": (count) => ({
    resources: `/Font << /F1 7 0 R >> ${dictionary(count, "<< /a 7 0 R >>").slice(2, -2)}`,
  }),
  "external objects": inResources("XObject", "10 0 R", [FORM]),
  fonts: inResources("Font", "7 0 R", []),
  "graphics states": inResources("ExtGState", "<< /CA 1 >>", []),
  "shared graphics states": inResources("ExtGState", "10 0 R", ["<< /CA 1 >>"]),
  shadings: inResources("Shading", "10 0 R", [
    "<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 9 9] /Function << /FunctionType 2 /N 1 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] >> >>",
  ]),
  patterns: inResources("Pattern", "10 0 R", [
    "<< /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 9 9] /Function << /FunctionType 2 /N 1 /Domain [0 1] >> >> >>",
  ]),
  "color spaces": inResources("ColorSpace", "/DeviceRGB", []),
  properties: inResources("Properties", "10 0 R", ["<< /Type /OCG /Name (a) /Metadata 6 0 R >>"]),
  glyphs: (count) =>
    withFont(
      `/FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 65 /LastChar 66 /Widths [9 9] /Encoding << /Differences [65 /k0000001 /k0000002] >> /CharProcs ${dictionary(count, "11 0 R")}`,
      "Type3",
    ),
  "an annotation": (count) => withAnnotation(dictionary(count, "(a)").slice(2, -2)),
  appearances: (count) => withAnnotation(`/AP ${dictionary(count, "11 0 R")}`),
  "states of an appearance": (count) => withAnnotation(`/AP << /N ${dictionary(count, "11 0 R")} >>`),
  "additional actions": (count) => withAnnotation(`/AA ${dictionary(count, "<< /S /URI /URI (a) >>")}`),
  "states of a button": (count) => {
    const button = withField(`/AP << /N ${dictionary(count, "11 0 R")} >>`);
    return {
      ...button,
      objects: [String(button.objects?.[0]).replace("/FT /Tx", "/FT /Btn").replace("/V (one)", ""), FORM],
    };
  },
} as const satisfies Readonly<Record<string, (count: number) => Parts>>;

/** A page with a word, and a container. */
export function documentWith(parts: Parts): Uint8Array {
  const { catalog = "", page = "", resources, info = "", trailer = "", kids = "", content, objects = [] } = parts;
  const text = latin1(content ?? "BT /F1 20 Tf 20 100 Td (Hello) Tj ET");
  const contents = page.includes("/Contents") ? "" : "/Contents 6 0 R";
  return pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      `<< /Type /Pages /Kids [3 0 R ${kids.slice(1, -1)}] /Count 1 >>`,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources 5 0 R ${contents} ${page} >>`,
      `<< /Title (a) ${info} >>`,
      `<< ${resources ?? "/Font << /F1 7 0 R >>"} >>`,
      { entries: "", data: text },
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      "null",
      "null",
      ...objects,
    ],
    `/Root 1 0 R /Info 4 0 R ${trailer}`,
  );
}
