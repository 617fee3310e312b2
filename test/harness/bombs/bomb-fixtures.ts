/** Small files that make a program work much: what they hold is read again and again, or is far larger than it looks. */
import { deflateSync } from "node:zlib";
import { deflatedRun } from "./deflated-run.ts";
import { concatenate, flate, latin1, pdf, type PdfObject } from "../fixtures/pdf-writer.ts";
import { pngOf } from "../images/png-writer.ts";

const MiB = 1024 * 1024;
const CATALOG = "<< /Type /Catalog /Pages 2 0 R >>";

const listOf = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(" ");

const pageOf = (entries = ""): string => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ${entries} >>`;

/** A document of `count` pages, which stand behind `objects`, the first of which has the number 3. */
function pagesWith(count: number, entries: string, objects: readonly PdfObject[], catalog = ""): Uint8Array {
  const first = 3 + objects.length;
  const pages = `<< /Type /Pages /Kids [${listOf(count, (index) => `${first + index} 0 R`)}] /Count ${count} >>`;
  const root = CATALOG.replace(" >>", ` ${catalog} >>`);
  return pdf([root, pages, ...objects, ...Array<string>(count).fill(pageOf(entries))], "/Root 1 0 R");
}

/** `bytes` of nothing but the same words behind a header. */
export function repeatedWords(words: string, bytes: number): Uint8Array {
  return latin1(`%PDF-1.7\n${words.repeat(Math.floor(bytes / words.length))}`);
}

/** An object stream, its type written with a code, that is deflated twice and holds `size` bytes. */
export function hiddenObjectStream(size: number): Uint8Array {
  const data = deflateSync(deflatedRun(size, " "), { level: 9 });
  const filters = "/Filter [/FlateDecode /FlateDecode]";
  const objects: PdfObject[] = [
    CATALOG,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    pageOf(),
    { entries: `/Type /Obj#53tm /N 1 /First 10 ${filters}`, data },
  ];
  return withReferences(objects, "/Root 1 0 R /Info 5 0 R", [[2, 4, 0]]);
}

/** A page that shows a word, and a catalog with a value in an object stream that is deflated twice: a few hundred bytes for a large one. */
export function packedValue(value: string, word: string): Uint8Array {
  const page =
    "/Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>";
  const data = deflateSync(deflateSync(latin1(`7 0 ${value}`), { level: 9 }), { level: 9 });
  const objects: PdfObject[] = [
    CATALOG.replace(" >>", " /Large 7 0 R >>"),
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    pageOf(page),
    flate(`BT /F1 12 Tf 10 100 Td (before ${word} after) Tj ET`),
    "null",
    { entries: "/Type /ObjStm /N 1 /First 4 /Filter [/FlateDecode /FlateDecode]", data },
  ];
  return withReferences(objects, "/Root 1 0 R", [[2, 6, 0]]);
}

/** A document with a cross-reference stream; `more`: rows for the numbers behind its objects. */
export function withReferences(
  objects: readonly PdfObject[],
  trailer: string,
  more: readonly (readonly [number, number, number])[],
): Uint8Array {
  const plain = Buffer.from(pdf(objects, trailer)).toString("latin1");
  const body = plain.slice(0, plain.lastIndexOf("xref\n0 "));
  const number = objects.length + more.length + 1;
  const places = objects.map((_, index) => [1, body.indexOf(`\n${index + 1} 0 obj\n`) + 1, 0] as const);
  const rows = [[0, 0, 65_535] as const, ...places, ...more, [1, body.length, 0] as const];
  const table = Buffer.alloc(rows.length * 7);
  for (const [index, [type, place, last]] of rows.entries()) {
    table[index * 7] = type;
    table.writeUInt32BE(place, index * 7 + 1);
    table.writeUInt16BE(last, index * 7 + 5);
  }
  const entries = `/Type /XRef /Size ${number + 1} /W [1 4 2] ${trailer} /Length ${table.length}`;
  return concatenate([
    latin1(`${body}${number} 0 obj\n<< ${entries} >>\nstream\n`),
    table,
    latin1(`\nendstream\nendobj\nstartxref\n${body.length}\n%%EOF\n`),
  ]);
}

/** A page with a stream of nobody's that holds `size` bytes. */
export function deflatedZeros(size: number): Uint8Array {
  return pagesWith(1, "/PieceInfo << >> /Thumb 3 0 R", [
    { entries: "/Filter /FlateDecode", data: deflatedRun(size, "\0") },
  ]);
}

/** An attachment of so many bytes, whose size the document does not say. */
export function deflatedAttachment(size: number): Uint8Array {
  return pagesWith(
    1,
    "",
    [
      { entries: "/Type /EmbeddedFile /Filter /FlateDecode", data: deflatedRun(size, "\0") },
      "<< /Type /Filespec /UF (zeros) /EF << /F 3 0 R >> >>",
    ],
    "/Names << /EmbeddedFiles << /Names [(zeros) 4 0 R] >> >>",
  );
}

/** A list field named `list` with options `o0`, `o1`, ... of which several can be chosen. */
export function longList(options: number): Uint8Array {
  const widget = `<< /Type /Annot /Subtype /Widget /FT /Ch /Ff 2097152 /T (list) /Rect [10 10 100 100] /Opt [${listOf(options, (index) => `(o${index})`)}] >>`;
  return pagesWith(1, "/Annots [3 0 R]", [widget], "/AcroForm << /Fields [3 0 R] >>");
}

/** Drop-downs `f0`, `f1`, ... that share an array of options. */
export function sharedOptions(fields: number, options: number): Uint8Array {
  const numbers = listOf(fields, (index) => `${4 + index} 0 R`);
  const field = (index: number): string =>
    `<< /Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (f${index}) /Rect [10 10 100 30] /Opt 3 0 R >>`;
  const objects = [
    `[${listOf(options, (index) => `(o${index})`)}]`,
    ...Array.from({ length: fields }, (_, index) => field(index)),
  ];
  return pagesWith(1, `/Annots [${numbers}]`, objects, `/AcroForm << /Fields [${numbers}] >>`);
}

const ANNOTATIONS = {
  square: "/Subtype /Square",
  drawn: "/Subtype /Square /AP << /N 4 0 R >>",
  widget: "/Subtype /Widget /Parent 4 0 R",
} as const;

/** Pages that share an array of annotations: squares, without an appearance or black, or the widgets of one text field. */
export function sharedAnnotations(pages: number, annotations: number, kind: keyof typeof ANNOTATIONS): Uint8Array {
  const annotation = `<< /Type /Annot ${ANNOTATIONS[kind]} /Rect [0 0 9 9] >>`;
  const numbers = listOf(annotations, (index) => `${5 + index} 0 R`);
  const content = "0 0 9 9 re f";
  const shared = {
    square: "null",
    drawn: `<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length ${content.length} >>\nstream\n${content}\nendstream`,
    widget: `<< /FT /Tx /T (text) /Kids [${numbers}] >>`,
  };
  const objects = [`[${numbers}]`, shared[kind], ...Array<string>(annotations).fill(annotation)];
  return pagesWith(pages, "/Annots 3 0 R", objects, kind === "widget" ? "/AcroForm << /Fields [4 0 R] >>" : "");
}

/** A page of rows of the letter "a" of 1 pt, each of which is a link to a page of its own. */
export function linkedLetters(rows: number, columns: number): Uint8Array {
  const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";
  const shown = flate(`BT /F1 1 Tf 1 TL 5 195 Td ${`(${"a".repeat(columns)}) Tj T*\n`.repeat(rows)}ET`, "");
  const links = Array.from({ length: rows * columns }, (_, index) => {
    const [left, bottom] = [5 + (index % columns) * 0.6, 195 - Math.floor(index / columns)];
    const box = [left, bottom, left + 0.6, bottom + 0.5].map((value) => value.toFixed(1)).join(" ");
    return `<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [${box}] /A << /S /URI /URI (https://example.com/${index}) >> >>`;
  });
  const annotations = `[${listOf(links.length, (index) => `${6 + index} 0 R`)}]`;
  const entries = "/Contents 4 0 R /Annots 5 0 R /Resources << /Font << /F1 3 0 R >> >>";
  return pagesWith(1, entries, [font, shown, annotations, ...links]);
}

/** A page of 2,400 x 3,400 points with so many notes, squares, highlights, and labels, which viewers have to draw, and links. */
export function bareAnnotations(count: number): Uint8Array {
  const annotations = Array.from({ length: count }, (_, index) => {
    const [left, bottom] = [10 + ((index * 37) % 2_300), 10 + Math.floor(index / 60) * 6];
    const [right, top] = [left + 50, bottom + 20];
    const kind = [
      `/Text /Name /Note /Contents (Note ${index})`,
      "/Square /IC [0 1 0]",
      `/Highlight /QuadPoints [${left} ${top} ${right} ${top} ${left} ${bottom} ${right} ${bottom}]`,
      `/FreeText /DA (0 g /Helv 8 Tf) /Contents (Label ${index})`,
      `/Link /A << /S /URI /URI (https://example.com/${index}) >>`,
    ][index % 5];
    return `<< /Type /Annot /Subtype ${kind} /Rect [${left} ${bottom} ${right} ${top}] /C [1 0 0] /F 4 >>`;
  });
  const list = listOf(count, (index) => `${4 + index} 0 R`);
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2400 3400] /Annots [${list}] >>`;
  return pdf([CATALOG, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, ...annotations], "/Root 1 0 R");
}

/** Pages that share resources with so many forms. */
export function sharedResources(pages: number, forms: number): Uint8Array {
  const names = listOf(forms, (index) => `/X${index} 5 0 R`);
  const form = flate(" ", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]");
  return pagesWith(pages, "/Resources 3 0 R", ["<< /XObject 4 0 R >>", `<< ${names} >>`, form]);
}

/** A PNG with so many color profiles, each of which holds `size` bytes. */
export function manyProfiles(profiles: number, size: number): Uint8Array {
  const profile = concatenate([latin1("p\0\0"), deflatedRun(size, "\0")]);
  const chunks = Array.from({ length: profiles }, () => ["iCCP", profile] as const);
  return pngOf({ width: 2, height: 2, colorType: 2, depth: 8, chunks }, deflateSync(Buffer.alloc(14)));
}

/** A PNG whose data lies in so many chunks, most of them empty. */
export function manyChunks(chunks: number): Uint8Array {
  const empty = Array.from({ length: chunks }, () => ["IDAT", new Uint8Array()] as const);
  return pngOf({ width: 2, height: 2, colorType: 2, depth: 8, chunks: empty }, deflateSync(Buffer.alloc(14)));
}

/** A page whose text belongs to a structure element that is an ancestor of itself. */
export function structureLoop(): Uint8Array {
  const content =
    "/P << /MCID 0 >> BDC BT /F1 20 Tf 20 100 Td (Looped) Tj ET EMC\n/P << /MCID 1 >> BDC 20 20 50 30 re f EMC";
  const element = (parent: number, kids: string): string =>
    `<< /Type /StructElem /S /P /P ${parent} 0 R /Pg 10 0 R /K ${kids} >>`;
  const objects: PdfObject[] = [
    "<< /Type /StructTreeRoot /K [5 0 R] /ParentTree 4 0 R >>",
    "<< /Nums [0 [6 0 R 7 0 R]] >>",
    element(6, "[6 0 R 7 0 R]"),
    element(5, "0"),
    element(5, "1"),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    flate(content),
  ];
  const entries = "/StructParents 0 /Contents 9 0 R /Resources << /Font << /F1 8 0 R >> >>";
  return pagesWith(1, entries, objects, "/StructTreeRoot 3 0 R /MarkInfo << /Marked true >>");
}

/** A page that paints with so many patterns, each of which draws an inline image. */
export function imagePatterns(patterns: number): Uint8Array {
  const pattern = flate(
    "q 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \u0040 EI Q",
    "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>",
  );
  const content = listOf(patterns, (index) => `/Pattern cs /P${index} scn 0 0 99 99 re f`);
  const named = listOf(patterns, (index) => `/P${index} ${4 + index} 0 R`);
  const objects = [flate(content), ...Array.from({ length: patterns }, () => pattern)];
  return pagesWith(1, `/Contents 3 0 R /Resources << /Pattern << ${named} >> >>`, objects);
}

/** One page, whose objects have numbers up to `highest`; most numbers below have none. */
export function sparseNumbers(highest: number): Uint8Array {
  const numbers = [5, Math.floor(highest / 4), Math.floor(highest / 2), highest];
  const [catalog = 0, pages = 0, page = 0, content = 0] = numbers;
  const bodies: readonly (readonly [number, string])[] = [
    [catalog, `<< /Type /Catalog /Pages ${pages} 0 R >>`],
    [pages, `<< /Type /Pages /Kids [${page} 0 R] /Count 1 >>`],
    [page, `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 200 200] /Contents ${content} 0 R >>`],
    [content, "<< /Length 16 >>\nstream\n20 20 99 99 re f\nendstream"],
  ];
  let file = "%PDF-1.7\n";
  let table = "xref\n0 1\n0000000000 65535 f \n";
  for (const [number, body] of bodies) {
    table += `${number} 1\n${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${number} 0 obj\n${body}\nendobj\n`;
  }
  return latin1(
    `${file}${table}trailer\n<< /Size ${highest + 1} /Root ${catalog} 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
  );
}

/** One page, and a page tree that claims to have many more. */
export function claimedPages(count: string): Uint8Array {
  return pdf([CATALOG, `<< /Type /Pages /Kids [3 0 R] /Count ${count} >>`, pageOf()], "/Root 1 0 R");
}

/** A field above `fields` others whose name, of `length` letters, begins the names of all. */
export function longNames(fields: number, length: number): Uint8Array {
  const numbers = listOf(fields, (index) => `${4 + index} 0 R`);
  const kid = (index: number): string => `<< /T (f${index}) /FT /Tx /Parent 3 0 R >>`;
  const objects = [
    `<< /T (${"n".repeat(length)}) /Kids [${numbers}] >>`,
    ...Array.from({ length: fields }, (_, index) => kid(index)),
  ];
  return pagesWith(1, "", objects, "/AcroForm << /Fields [3 0 R] >>");
}

/** A page with a link to itself whose action names itself twice as what follows. */
export function actionLoop(): Uint8Array {
  return pagesWith(1, "/Annots [3 0 R]", [
    "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A 4 0 R >>",
    "<< /S /GoTo /D [5 0 R /Fit] /Next [4 0 R 4 0 R] >>",
  ]);
}

/** A page with an array of annotations that holds the same one again and again. */
export function repeatedAnnotation(times: number): Uint8Array {
  return pagesWith(1, "/Annots 3 0 R", [
    `[${"4 0 R ".repeat(times)}]`,
    "<< /Type /Annot /Subtype /Square /Rect [0 0 9 9] >>",
  ]);
}

/** A page, and an outline of `items` titles that lead to it. */
export function longOutline(items: number): Uint8Array {
  const item = (index: number): string =>
    `<< /Title (${index}) /Parent 3 0 R /Dest [${4 + items} 0 R /Fit] ${index + 1 < items ? `/Next ${5 + index} 0 R` : ""} ${index > 0 ? `/Prev ${3 + index} 0 R` : ""} >>`;
  const outline = `<< /Type /Outlines /First 4 0 R /Last ${3 + items} 0 R /Count ${items} >>`;
  const objects = [outline, ...Array.from({ length: items }, (_, index) => item(index))];
  return pagesWith(1, "", objects, "/Outlines 3 0 R");
}

/** A page, and `files` attachments. */
export function manyAttachments(files: number): Uint8Array {
  const name = (index: number): string => `(f${String(index).padStart(6, "0")})`;
  const names = listOf(files, (index) => `${name(index)} ${4 + 2 * index} 0 R`);
  const objects = Array.from({ length: files }, (_, index) => [
    `<< /Type /Filespec /F ${name(index)} /EF << /F ${5 + 2 * index} 0 R >> >>`,
    flate(`content ${index}`, "/Type /EmbeddedFile"),
  ]);
  return pagesWith(1, "", [`<< /Names [${names}] >>`, ...objects.flat()], "/Names << /EmbeddedFiles 3 0 R >>");
}

/** A page behind `objects` others, without cross-references, and with as many that have the same number. */
export function lostObjects(objects: number): Uint8Array {
  const others = listOf(
    objects,
    (index) => `${4 + index} 0 obj\n<< /A ${4 + index} 0 R >>\nendobj\n3 0 obj\nnull\nendobj\n`,
  );
  const pages = `1 0 obj\n${CATALOG}\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n`;
  return latin1(`%PDF-1.7\n${pages}${others}3 0 obj\n${pageOf()}\nendobj\n`);
}

/** As large as the largest file that most of these are: 816 KB of zeros deflated hold 800 MB. */
export const BOMB = 800 * MiB;

/** One page, so many nodes of the page tree below its root. */
export function deepPageTree(levels: number): Uint8Array {
  const nodes = Array.from(
    { length: levels },
    (_, level) =>
      `<< /Type /Pages /Count 1 /Kids [${level + 3} 0 R] ${level === 0 ? "" : `/Parent ${level + 1} 0 R`} >>`,
  );
  const page = `<< /Type /Page /MediaBox [0 0 200 200] /Parent ${levels + 1} 0 R >>`;
  return pdf([CATALOG, ...nodes, page], "/Root 1 0 R");
}

/** So many empty pages. */
export const manyPages = (count: number): Uint8Array => pagesWith(count, "", ["null"]);

/** A page with so many annotations, each an object of its own. */
export function ownAnnotations(count: number): Uint8Array {
  const annotation = "<< /Type /Annot /Subtype /Square /Rect [0 0 9 9] >>";
  const numbers = listOf(count, (index) => `${3 + index} 0 R`);
  return pagesWith(1, `/Annots [${numbers}]`, Array<string>(count).fill(annotation));
}

/** A form of so many text fields, all on one page. */
export function manyFields(count: number): Uint8Array {
  const numbers = listOf(count, (index) => `${3 + index} 0 R`);
  const field = (index: number): string => `<< /Type /Annot /Subtype /Widget /FT /Tx /T (f${index}) /Rect [0 0 9 9] >>`;
  const fields = Array.from({ length: count }, (_, index) => field(index));
  return pagesWith(1, `/Annots [${numbers}]`, fields, `/AcroForm << /Fields [${numbers}] >>`);
}

/** A page with a link to one of so many destinations, which have names. */
export function namedDestinations(count: number): Uint8Array {
  const names = listOf(count, (index) => `(d${String(index).padStart(7, "0")}) [5 0 R /Fit]`);
  const link = "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest (d0000000) >>";
  return pagesWith(1, "/Annots [4 0 R]", [`<< /Names [${names}] >>`, link], "/Names << /Dests 3 0 R >>");
}

/** A page that is painted with a tiling pattern, which is painted with another one, and so on; the innermost of `count` is red. */
export function nestedPatterns(count: number): Uint8Array {
  const paint = "/Pattern cs /P scn";
  const pattern = (index: number): PdfObject => {
    const resources = index + 1 < count ? `/Pattern << /P ${index + 6} 0 R >>` : "";
    return {
      entries: `/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 50 50] /XStep 50 /YStep 50 /Resources << ${resources} >>`,
      data: latin1(`${resources === "" ? "1 0 0 rg" : paint} 0 0 40 40 re f`),
    };
  };
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Pattern << /P 5 0 R >> >> >>",
      { entries: "", data: latin1(`${paint} 0 0 200 200 re f`) },
      ...Array.from({ length: count }, (_, index) => pattern(index)),
    ],
    "/Root 1 0 R",
  );
}
